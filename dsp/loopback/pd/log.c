/* SPDX-License-Identifier: MIT
 *
 * Writes log lines to standard error, a pipe to the host, with one write each. A fault logs its address before it ends
 * the PD.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "counters.h"
#include "loader.h"
#include "program.h"

static _Atomic uint64_t log_bytes;

void shell_log(const char *text) {
    char line[1024];
    size_t length = strnlen(text, sizeof line - 1);
    memcpy(line, text, length);
    for (size_t i = 0; i < length; i++) {
        line[i] = line[i] == '\n' ? ' ' : line[i];
    }
    line[length++] = '\n';
    ssize_t n = write(STDERR_FILENO, line, length);
    if (n > 0) {
        atomic_fetch_add(&log_bytes, (uint64_t)n);
    }
}

void pd_log(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    shell_log(line);
}

uint64_t pd_log_bytes(void) {
    return atomic_load(&log_bytes);
}

static void fault(int number, siginfo_t *info, void *context) {
    counters_pause();
    bool done = number == SIGILL && dma_emulate(context);
    counters_resume();
    if (done) {
        return;
    }
    uint32_t pc = (uint32_t)((ucontext_t *)context)->uc_mcontext.pc, offset;
    const char *module = loader_where(pc, &offset);
    struct shell_thread *self = shell_self();
    if (number == SIGABRT) {
        pd_log("pd: abort called in thread %s", self ? self->name : "main");
    } else {
        pd_log("pd: %s at address %p, pc %s+0x%x, thread %s", strsignal(number), info->si_addr, module ? module : "pd",
               (unsigned)(module ? offset : pc), self ? self->name : "main");
    }
    signal(number, SIG_DFL);
    raise(number);
}

void fault_handlers_install(void) {
    static const int numbers[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGTRAP};
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

void shell_pd_is_empty(struct shell_pd *pd) {
    (void)pd; /* never dead: this PD dies with the process */
}
