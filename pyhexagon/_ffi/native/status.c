/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#pragma GCC visibility push(default)
#include "status.h"
#pragma GCC visibility pop

#define N_DOMAINS 8 /* effective domain ids are domain + N_DOMAINS * session */

struct process_status *phx_new_status(int domain) {
    struct process_status *process = calloc(1, sizeof *process);
    if (process != NULL) {
        process->domain = domain;
    }
    return process;
}

int phx_store_status(void *context, int domain, int session, int status) {
    struct process_status *process = context;
    int effective = domain < N_DOMAINS ? domain + N_DOMAINS * session : domain; /* libraries report either */
    if (effective == process->domain) {
        __atomic_store_n(&process->status, status, __ATOMIC_RELEASE);
    }
    return 0;
}
