/* SPDX-License-Identifier: MIT
 *
 * The worker pool: the caller of phx_pool_run() is thread 0, the others are QuRT threads.
 *
 * Waking a sleeping thread costs a kernel call and microseconds, and a step of a model has hundreds of pieces of work.
 * So within a run threads hand over by spinning: a worker that has finished looks for its next turn for a while, and
 * sleeps only then; so does the caller when it waits for the workers. Between runs all of them sleep. Within a piece of
 * work they may wait for each other, which is not for long, and nobody sleeps.
 */
#ifndef PHX_POOL_H
#define PHX_POOL_H

#include "contract.h"
#include "counters.h"
#include "qurt.h"

#define PHX_POOL_STACK_BYTES 65536u /* of a worker */

typedef void (*phx_pool_job)(void *argument, uint32_t thread, uint32_t n_threads);

/* What one thread waits for: a number that another one changes. */
struct phx_turn {
    uint32_t number;    /* atomic */
    uint32_t is_asleep; /* atomic: the one who waits wants a signal */
    qurt_signal_t wake;
};

struct phx_worker {
    struct phx_pool *pool;
    uint32_t index; /* its thread number, 1 and up */
    qurt_thread_t thread;
    void *stack;
    struct phx_turn turn; /* one for each piece of work, and the last one to stop */
};

struct phx_pool {
    uint32_t n_threads; /* 0: not started */
    phx_pool_job job;
    void *argument;
    uint32_t n_running;    /* threads of the job at hand */
    uint32_t n_working;    /* atomic: workers that have not finished it */
    struct phx_turn done;  /* of the caller: one for each job */
    uint32_t is_resting;   /* atomic: between runs, where nobody spins */
    uint32_t is_stopping;  /* set before the last turns */
    uint32_t n_hand_overs; /* since phx_pool_begin() */
    uint32_t n_signals;    /* atomic, likewise */
    uint32_t n_met;        /* atomic: threads that have come to a meeting */
    uint32_t meeting;      /* atomic: its number */
    uint64_t n_waited;     /* packets of the caller while it waited for the workers */
    struct phx_worker workers[PHX_MAX_THREADS];
    struct phx_count counts[PHX_MAX_THREADS]; /* per thread, since phx_pool_count_start */
    struct phx_count marks[PHX_MAX_THREADS];
    bool counted;
    bool timed;            /* the clock is read, too */
    uint64_t look_packets; /* that looking at the counters takes by itself */
};

/* As many threads as the device runs HVX code at once. */
uint32_t phx_pool_device_threads(void);

/* n_threads = 1..PHX_MAX_THREADS. The pool must not move until stopped. Returns 0, or an AEE code of the DSP. */
int phx_pool_start(struct phx_pool *pool, uint32_t n_threads);
void phx_pool_stop(struct phx_pool *pool);

/* Around a run: in between, threads may spin. */
void phx_pool_begin(struct phx_pool *pool);
void phx_pool_end(struct phx_pool *pool);

/* Calls job(argument, i, n) for i = 0..n-1, each on its own thread, with n = n_threads or the pool's number if that is
 * smaller, and returns when all have finished. One caller at a time. */
void phx_pool_run(struct phx_pool *pool, uint32_t n_threads, phx_pool_job job, void *argument);

/* Within a job, by each of its threads as often as by the others: returns when all of them have called it. */
void phx_pool_meet(struct phx_pool *pool, uint32_t thread);

/* Within a job, by one of its threads: returns when others have made *number, which is atomic and grows, at least `until`. */
void phx_pool_wait(struct phx_pool *pool, uint32_t thread, const uint32_t *number, uint32_t until);

/* Around an op whose cost is wanted: what each thread executes of it, without the hand-over between threads, whose length varies. Adds to
 * the record's packets, HVX instructions and, if timed, busy time. */
void phx_pool_count_start(struct phx_pool *pool, bool timed);
void phx_pool_count_end(struct phx_pool *pool, struct phx_op_record *record);

/* By the first thread, within a job or outside: qtimer ticks for the record of an op, to look at which does not count; 0
 * where none is wanted. */
uint64_t phx_pool_clock(struct phx_pool *pool);

/* After phx_pool_count_end of a timed op. */
struct phx_thread_record phx_pool_thread_record(const struct phx_pool *pool, uint32_t thread);

#endif
