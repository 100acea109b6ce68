/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "faults.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static int report_fd;

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/* Not all of this is safe in a signal handler, but the process is lost anyway, and its parent has a timeout. */
static void report(int number, siginfo_t *info, void *context) {
    uintptr_t pc = program_counter(context);
    Dl_info found;
    char line[160];
    if (dladdr((void *)pc, &found) && found.dli_fname && strncmp(found.dli_fname, "/proc/self/fd", 13) == 0) {
        int n = snprintf(line, sizeof line, "at address 0x%lx, pc kernel+0x%lx\n", (unsigned long)info->si_addr,
                         (unsigned long)(pc - (uintptr_t)found.dli_fbase));
        if (n > 0 && write(report_fd, line, (size_t)n) < 0) {
            _exit(128 + number);
        }
    }
    signal(number, SIG_DFL); /* blocked until this returns; then the instruction faults again */
}

int phx_report_faults(int fd) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    report_fd = fd;
    for (unsigned int i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (sigaction(numbers[i], &action, NULL) != 0) {
            return -1;
        }
    }
    return 0;
}
