/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)
#include "caller.h"
#pragma GCC visibility pop

#define LOOK_NS 50000u /* before sleeping: about what being woken costs */
#define BLIND 15 /* waits that begin asleep after a look in vain, as when both sides have one core, or calls are rare */
#define FOREVER UINT64_MAX

typedef int invoke_function(uint64_t handle, uint32_t scalars, void *arguments);

enum state {
    IDLE,
    POSTED, /* the thread is to make a call, or makes it */
    ENDING, /* it is to end */
    ENDED
};

struct caller {
    pthread_t thread;
    _Atomic uint32_t state;    /* enum state; what both sides sleep on */
    _Atomic uint32_t sleepers; /* how many do: nobody is woken for nothing */
    invoke_function *invoke; /* from here on: written before state becomes POSTED, and result before it is IDLE again */
    uint64_t handle;
    uint32_t scalars;
    void *arguments;
    int result;
    unsigned blind; /* see while_it_is; of whoever waits */
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wake(struct caller *caller) {
    if (atomic_load(&caller->sleepers)) {
        syscall(SYS_futex, &caller->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    }
}

/* Sleeps while the state is this one, until the deadline: 0 when it is another one, else -1. */
static int sleep_while(struct caller *caller, uint32_t state, uint64_t deadline) {
    int result = 0;
    atomic_fetch_add(&caller->sleepers, 1);
    while (atomic_load(&caller->state) == state) {
        uint64_t now = now_ns(), left = deadline > now ? deadline - now : 0;
        struct timespec time = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        if (!left || (syscall(SYS_futex, &caller->state, FUTEX_WAIT_PRIVATE, state, deadline == FOREVER ? NULL : &time,
                              NULL, 0) < 0 &&
                      errno == EINTR)) {
            result = -1;
            break;
        }
    }
    atomic_fetch_sub(&caller->sleepers, 1);
    return result;
}

/* Waits until the state is another one; -1 at the deadline, or when a signal came. blind is this side's. */
static int while_it_is(struct caller *caller, uint32_t state, uint64_t deadline, unsigned *blind) {
    if (*blind) {
        --*blind;
        return sleep_while(caller, state, deadline);
    }
    uint64_t asleep = now_ns() + LOOK_NS;
    while (atomic_load_explicit(&caller->state, memory_order_acquire) == state) {
        if (now_ns() >= asleep) {
            *blind = BLIND;
            return sleep_while(caller, state, deadline);
        }
    }
    return 0;
}

static void *serve(void *argument) {
    struct caller *caller = argument;
    unsigned blind = 0;
    for (;;) {
        while_it_is(caller, IDLE, FOREVER, &blind);
        if (atomic_load(&caller->state) == ENDING) {
            break;
        }
        caller->result = caller->invoke(caller->handle, caller->scalars, caller->arguments);
        uint32_t posted = POSTED;
        if (!atomic_compare_exchange_strong(&caller->state, &posted, IDLE)) {
            break; /* ENDING meanwhile */
        }
        wake(caller);
    }
    atomic_store(&caller->state, ENDED);
    wake(caller);
    return NULL;
}

void *phx_caller_start(void) {
    struct caller *caller = calloc(1, sizeof(*caller));
    if (!caller) {
        return NULL;
    }
    sigset_t all, before; /* signals are for Python's threads: one here would end a system call of the library */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&caller->thread, NULL, serve, caller);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        free(caller);
        return NULL;
    }
    return caller;
}

void phx_caller_post(void *given, void *invoke, uint64_t handle, uint32_t scalars, void *arguments) {
    struct caller *caller = given;
    caller->invoke = (invoke_function *)(uintptr_t)invoke;
    caller->handle = handle;
    caller->scalars = scalars;
    caller->arguments = arguments;
    atomic_store(&caller->state, POSTED);
    wake(caller);
}

int phx_caller_wait(void *given, uint64_t timeout_ns, int *result) {
    struct caller *caller = given;
    if (while_it_is(caller, POSTED, now_ns() + timeout_ns, &caller->blind)) {
        return -1;
    }
    *result = caller->result;
    return 0;
}

int phx_caller_end(void *given, uint64_t timeout_ns) {
    struct caller *caller = given;
    uint32_t state = atomic_load(&caller->state);
    while (state < ENDING && !atomic_compare_exchange_weak(&caller->state, &state, ENDING)) {
    }
    wake(caller);
    if (while_it_is(caller, ENDING, now_ns() + timeout_ns, &caller->blind)) {
        return -1;
    }
    pthread_join(caller->thread, NULL);
    free(caller);
    return 0;
}
