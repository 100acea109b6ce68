/* SPDX-License-Identifier: MIT */
#include "process.h"

#include <stdlib.h>

#include "session.h"

#define MAX_PROCESSES (2 * N_EFFECTIVE) /* dead processes stay while a call is in progress */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct process *processes;
static pthread_key_t caller_key;
static uint64_t last_caller;

static void caller_ended(void *caller);

__attribute__((constructor)) static void init(void) {
    pthread_key_create(&caller_key, caller_ended);
}

void processes_forked(void) {
    pthread_mutex_init(&lock, NULL);
    processes = NULL;
}

void process_add(struct process *process) {
    pthread_mutex_lock(&lock);
    process->uses = 1;
    process->next = processes;
    processes = process;
    pthread_mutex_unlock(&lock);
}

void process_get(struct process *process) {
    pthread_mutex_lock(&lock);
    process->uses++;
    pthread_mutex_unlock(&lock);
}

/* Requires the lock. */
static void drop(struct process *process) {
    struct process **link = &processes;
    while (*link != process) {
        link = &(*link)->next;
    }
    *link = process->next;
}

void process_put(struct process *process) {
    pthread_mutex_lock(&lock);
    bool last = --process->uses == 0;
    if (last) {
        drop(process);
    }
    pthread_mutex_unlock(&lock);
    if (last) {
        process->engine->destroy(process->pd);
        free(process);
    }
}

/* Calls `each` for every process, with a use of it and without holding the lock. */
static void for_each_process(void (*each)(struct process *process, uint64_t argument), uint64_t argument) {
    struct process *all[MAX_PROCESSES];
    size_t n = 0;
    pthread_mutex_lock(&lock);
    for (struct process *p = processes; p != NULL && n < MAX_PROCESSES; p = p->next) {
        p->uses++;
        all[n++] = p;
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++) {
        each(all[i], argument);
        process_put(all[i]);
    }
}

static void process_forget(struct process *process, uint64_t memory_id) {
    pthread_mutex_lock(&process->session->lock);
    process->engine->forget(process->pd, memory_id);
    pthread_mutex_unlock(&process->session->lock);
}

void processes_forget(uint64_t memory_id) {
    for_each_process(process_forget, memory_id);
}

static void process_resume(struct process *process, uint64_t unused) {
    (void)unused;
    process->engine->stall(process->pd, false);
}

void processes_resume(void) {
    for_each_process(process_resume, 0);
}

static void process_kill(struct process *process, uint64_t unused) {
    (void)unused;
    process->engine->kill(process->pd);
}

/* Ends open sessions when the CPU process exits. */
__attribute__((destructor)) static void finish(void) {
    for_each_process(process_kill, 0);
}

/* --- Callers --- */

static void process_caller_gone(struct process *process, uint64_t caller) {
    process->engine->caller_gone(process->pd, caller);
}

static void caller_ended(void *caller) {
    for_each_process(process_caller_gone, (uint64_t)(uintptr_t)caller);
}

uint64_t process_caller(void) {
    uintptr_t caller = (uintptr_t)pthread_getspecific(caller_key);
    if (caller == 0) {
        pthread_mutex_lock(&lock);
        caller = ++last_caller;
        pthread_mutex_unlock(&lock);
        pthread_setspecific(caller_key, (void *)caller);
    }
    return caller;
}
