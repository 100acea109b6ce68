/* SPDX-License-Identifier: MIT
 *
 * The thread pool: the caller of phx_pool_run(), the job thread (job_thread.h), is thread 0; the others are workers.
 *
 * Waking a sleeping thread costs a kernel call and microseconds, and a forward pass dispatches hundreds of jobs. Within
 * a run, threads therefore spin: a worker that has finished polls for its next job for a while and only then sleeps,
 * and so does the caller that waits for the workers. Between runs all workers sleep. Barriers and waits within a job
 * are short and only spin.
 */
#ifndef PHX_POOL_H
#define PHX_POOL_H

#include "contract.h"
#include "counters.h"
#include "thread.h"

#define PHX_POOL_STACK_BYTES 32768u /* of the job thread and of each worker */

typedef void (*phx_pool_job)(void *argument, uint32_t thread, uint32_t n_threads);

/* An event counter that one thread waits for and another one increments. */
struct phx_event {
    uint32_t number;    /* atomic */
    uint32_t is_asleep; /* atomic: the waiter needs a signal */
    qurt_signal_t wake;
};

struct phx_worker {
    struct phx_pool *pool;
    uint32_t index; /* thread number, from 1 */
    struct phx_thread thread;
    struct phx_event event; /* incremented for each job, and once to stop */
};

struct phx_pool {
    uint32_t n_threads; /* 0: not started */
    phx_pool_job job;
    void *argument;
    uint32_t n_running;    /* threads of the current job */
    uint32_t n_working;    /* atomic: workers that have not finished the job */
    struct phx_event done; /* the caller waits here: incremented once per job */
    uint32_t is_idle;      /* atomic: no run is active, so threads sleep instead of spinning */
    uint32_t is_stopping;  /* set before the last increment of each event */
    uint32_t n_dispatches; /* jobs dispatched to workers since phx_pool_begin() */
    uint32_t n_signals;    /* atomic: signals sent since phx_pool_begin() */
    uint32_t n_arrived;    /* atomic: threads that have arrived at the barrier */
    uint32_t generation;   /* atomic: generation of the barrier */
    uint64_t wait_packets; /* packets that the caller spent waiting for the workers */
    struct phx_worker workers[PHX_MAX_THREADS];
    struct phx_count counts[PHX_MAX_THREADS]; /* per thread, since phx_pool_count_start */
    struct phx_count marks[PHX_MAX_THREADS];
    bool counted;
    bool timed;              /* also read the clock */
    uint64_t sample_packets; /* cost of one sample of the counters */
};

/* Returns how many threads of the device can run HVX code at once. */
uint32_t phx_pool_device_threads(void);

/* Starts n_threads (1..PHX_MAX_THREADS) threads, the caller included. The pool must not move until it is stopped.
 * Returns 0 or an AEE code of the DSP. */
int phx_pool_start(struct phx_pool *pool, uint32_t n_threads);
void phx_pool_stop(struct phx_pool *pool);

/* Bracket a run. Between them, idle threads spin. */
void phx_pool_begin(struct phx_pool *pool);
void phx_pool_end(struct phx_pool *pool);

/* Calls job(argument, i, n) for i = 0..n-1, each on its own thread, with n = min(n_threads, the pool's threads), and
 * returns when all have finished. One caller at a time. */
void phx_pool_run(struct phx_pool *pool, uint32_t n_threads, phx_pool_job job, void *argument);

/* Barrier: returns when all threads of the job have called it. Each thread of the job must call it equally often. */
void phx_pool_barrier(struct phx_pool *pool, uint32_t thread);

/* Waits until *number >= until, modulo 2^32. *number is atomic, only grows, and is incremented by other threads of the
 * job. */
void phx_pool_wait(struct phx_pool *pool, uint32_t thread, const uint32_t *number, uint32_t until);

/* Bracket an op whose cost is recorded. Adds each thread's packets, HVX instructions and, if timed, busy time to the
 * record. Dispatching and waiting are excluded, because their duration varies. */
void phx_pool_count_start(struct phx_pool *pool, bool timed);
void phx_pool_count_end(struct phx_pool *pool, struct phx_op_record *record);

/* Returns the time in qtimer ticks for an op's record, or 0 while nothing is recorded. Thread 0 only, inside or outside
 * a job. The packets of the call itself are not counted. */
uint64_t phx_pool_clock(struct phx_pool *pool);

/* Returns what a thread did in a timed op. Call it after phx_pool_count_end(). */
struct phx_thread_record phx_pool_thread_record(const struct phx_pool *pool, uint32_t thread);

#endif
