/* SPDX-License-Identifier: MIT
 *
 * Threads wait on event counters. A waiter reads the counter; before it sleeps it sets is_asleep and reads the counter
 * again. A signaller increments the counter and then reads is_asleep to decide whether to send a signal. All four
 * accesses are sequentially consistent, so at least one side sees the other. A late signal reaches a thread that is
 * awake and ends its next sleep at once; that is harmless, because the thread reads the counter again.
 */
#include "pool.h"

#include "hap.h"
#include "libc.h"
#include "pause.h"

#define WAKE 1u
#define YIELDS_BEFORE_SLEEP 2000 /* yields before sleeping: some milliseconds */

/* Waits until the event's number differs from `seen`. Returns the new number. */
static uint32_t await(struct phx_pool *pool, struct phx_event *event, uint32_t seen) {
    for (;;) {
        for (int i = 1;
             i < PHX_POLLS_PER_YIELD * YIELDS_BEFORE_SLEEP && !__atomic_load_n(&pool->is_idle, __ATOMIC_RELAXED); i++) {
            uint32_t number = __atomic_load_n(&event->number, __ATOMIC_ACQUIRE);
            if (number != seen) {
                return number;
            }
            if (i % PHX_POLLS_PER_YIELD == 0) {
                qurt_yield();
            } else {
                phx_pause();
            }
        }
        __atomic_store_n(&event->is_asleep, 1, __ATOMIC_SEQ_CST);
        uint32_t number = __atomic_load_n(&event->number, __ATOMIC_SEQ_CST);
        if (number == seen) {
            qurt_signal_wait(&event->wake, WAKE, QURT_SIGNAL_ATTR_WAIT_ANY);
            qurt_signal_clear(&event->wake, WAKE);
            number = __atomic_load_n(&event->number, __ATOMIC_ACQUIRE);
        }
        __atomic_store_n(&event->is_asleep, 0, __ATOMIC_RELAXED);
        if (number != seen) {
            return number;
        }
    }
}

static void post(struct phx_pool *pool, struct phx_event *event) {
    __atomic_fetch_add(&event->number, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&event->is_asleep, __ATOMIC_SEQ_CST)) {
        __atomic_fetch_add(&pool->n_signals, 1, __ATOMIC_RELAXED);
        qurt_signal_set(&event->wake, WAKE);
    }
}

/* A function of its own, so that each sample costs the same number of packets. */
static __attribute__((noinline)) void sample(const struct phx_pool *pool, struct phx_count *mark,
                                             struct phx_count *to) {
    phx_count_since(mark, to, pool->sample_packets, pool->timed);
}

/* Attributes the calling thread's execution since the mark to `to`, or discards it if `to` is NULL. */
static inline void count(const struct phx_pool *pool, struct phx_count *mark, struct phx_count *to) {
    if (pool->counted) {
        sample(pool, mark, to);
    }
}

/* Measures the packets that one sample itself costs. */
static void calibrate_sampling(struct phx_pool *pool) {
    struct phx_count mark = {0}, nothing = {0};
    pool->sample_packets = 0;
    sample(pool, &mark, NULL);
    sample(pool, &mark, &nothing);
    pool->sample_packets = nothing.packets;
}

uint32_t phx_pool_device_threads(void) {
    uint32_t units = (uint32_t)qurt_hvx_get_units();
    uint32_t n = units >> 8 & 0xff ? units >> 8 & 0xff : units & 0xff;
    return n < 1 ? 1 : n > PHX_MAX_THREADS ? PHX_MAX_THREADS : n;
}

static void work(void *argument) {
    struct phx_worker *worker = argument;
    struct phx_pool *pool = worker->pool;
    uint32_t seen = 0;
    for (;;) {
        seen = await(pool, &worker->event, seen);
        if (pool->is_stopping) {
            break;
        }
        struct phx_count *mark = &pool->marks[worker->index];
        count(pool, mark, NULL);
        pool->job(pool->argument, worker->index, pool->n_running);
        count(pool, mark, &pool->counts[worker->index]);
        if (__atomic_sub_fetch(&pool->n_working, 1, __ATOMIC_ACQ_REL) == 0) {
            post(pool, &pool->done);
        }
    }
    qurt_thread_exit(QURT_EOK);
}

static int start_worker(struct phx_pool *pool, uint32_t index) {
    struct phx_worker *worker = &pool->workers[index];
    worker->pool = pool;
    worker->index = index;
    worker->event = (struct phx_event){0};
    qurt_signal_init(&worker->event.wake);
    int error = phx_thread_start(&worker->thread, PHX_POOL_STACK_BYTES, work, worker);
    if (error) {
        qurt_signal_destroy(&worker->event.wake);
    }
    return error;
}

int phx_pool_start(struct phx_pool *pool, uint32_t n_threads) {
    calibrate_sampling(pool);
    pool->done = (struct phx_event){0};
    pool->is_stopping = 0;
    pool->is_idle = 1;
    qurt_signal_init(&pool->done.wake);
    for (pool->n_threads = 1; pool->n_threads < n_threads; pool->n_threads++) {
        int error = start_worker(pool, pool->n_threads);
        if (error) {
            phx_pool_stop(pool);
            return error;
        }
    }
    return AEE_SUCCESS;
}

void phx_pool_stop(struct phx_pool *pool) {
    pool->is_stopping = 1;
    for (uint32_t index = 1; index < pool->n_threads; index++) {
        struct phx_worker *worker = &pool->workers[index];
        post(pool, &worker->event);
        phx_thread_join(&worker->thread);
        qurt_signal_destroy(&worker->event.wake);
    }
    qurt_signal_destroy(&pool->done.wake);
    pool->n_threads = 0;
}

void phx_pool_begin(struct phx_pool *pool) {
    pool->counted = false;
    pool->n_dispatches = 0;
    pool->n_signals = 0;
    __atomic_store_n(&pool->is_idle, 0, __ATOMIC_RELAXED);
}

void phx_pool_end(struct phx_pool *pool) {
    __atomic_store_n(&pool->is_idle, 1, __ATOMIC_RELAXED);
}

void phx_pool_run(struct phx_pool *pool, uint32_t n_threads, phx_pool_job job, void *argument) {
    uint32_t n_running = n_threads < pool->n_threads ? n_threads : pool->n_threads;
    uint32_t seen = __atomic_load_n(&pool->done.number, __ATOMIC_RELAXED);
    pool->job = job;
    pool->argument = argument;
    pool->n_running = n_running;
    count(pool, &pool->marks[0], &pool->counts[0]);
    if (n_running > 1) {
        __atomic_store_n(&pool->n_working, n_running - 1, __ATOMIC_RELAXED);
        pool->n_dispatches += n_running - 1;
        for (uint32_t index = 1; index < n_running; index++) {
            post(pool, &pool->workers[index].event);
        }
    }
    count(pool, &pool->marks[0], NULL);
    job(argument, 0, n_running);
    count(pool, &pool->marks[0], &pool->counts[0]);
    if (n_running > 1) {
        uint64_t before = phx_packets();
        await(pool, &pool->done, seen);
        pool->wait_packets += phx_packets() - before;
    }
    count(pool, &pool->marks[0], NULL);
}

/* Spins without sleeping, since waits within a job are short. */
static __attribute__((noinline)) void spin(struct phx_pool *pool, uint32_t thread, const uint32_t *number,
                                           uint32_t until) {
    uint64_t before = thread ? 0 : phx_packets();
    for (uint32_t i = 1; (int32_t)(__atomic_load_n(number, __ATOMIC_ACQUIRE) - until) < 0; i++) {
        if (i % PHX_POLLS_PER_YIELD == 0) {
            qurt_yield();
        } else {
            phx_pause();
        }
    }
    if (thread == 0) {
        pool->wait_packets += phx_packets() - before;
    }
}

void phx_pool_barrier(struct phx_pool *pool, uint32_t thread) {
    uint32_t generation = __atomic_load_n(&pool->generation, __ATOMIC_RELAXED);
    if (pool->n_running == 1) {
        return;
    }
    count(pool, &pool->marks[thread], &pool->counts[thread]);
    if (__atomic_add_fetch(&pool->n_arrived, 1, __ATOMIC_ACQ_REL) == pool->n_running) {
        __atomic_store_n(&pool->n_arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&pool->generation, generation + 1, __ATOMIC_RELEASE);
    }
    spin(pool, thread, &pool->generation, generation + 1);
    count(pool, &pool->marks[thread], NULL);
}

void phx_pool_wait(struct phx_pool *pool, uint32_t thread, const uint32_t *number, uint32_t until) {
    if ((int32_t)(__atomic_load_n(number, __ATOMIC_ACQUIRE) - until) >= 0) {
        return;
    }
    count(pool, &pool->marks[thread], &pool->counts[thread]);
    spin(pool, thread, number, until);
    count(pool, &pool->marks[thread], NULL);
}

uint64_t phx_pool_clock(struct phx_pool *pool) {
    if (!pool->counted) {
        return 0;
    }
    count(pool, &pool->marks[0], &pool->counts[0]);
    uint64_t ticks = HAP_perf_get_qtimer_count();
    count(pool, &pool->marks[0], NULL);
    return ticks;
}

void phx_pool_count_start(struct phx_pool *pool, bool timed) {
    memset(pool->counts, 0, sizeof(pool->counts));
    pool->timed = timed;
    pool->counted = true;
    count(pool, &pool->marks[0], NULL);
}

void phx_pool_count_end(struct phx_pool *pool, struct phx_op_record *record) {
    count(pool, &pool->marks[0], &pool->counts[0]);
    for (uint32_t thread = 0; thread < pool->n_threads; thread++) {
        const struct phx_count *total = &pool->counts[thread];
        record->packets += total->packets;
        record->hvx_instructions += total->hvx_instructions;
        record->busy_ns += phx_ticks_to_ns(total->busy);
        record->cycles += total->cycles;
        if (total->cycles > record->cycles_max_thread) {
            record->cycles_max_thread = total->cycles;
        }
        if (total->packets > record->packets_max_thread) {
            record->packets_max_thread = total->packets;
        }
    }
}

struct phx_thread_record phx_pool_thread_record(const struct phx_pool *pool, uint32_t thread) {
    const struct phx_count *total = &pool->counts[thread];
    return (struct phx_thread_record){
        .start_ns = phx_ticks_to_ns(total->first),
        .end_ns = phx_ticks_to_ns(total->last),
        .busy_ns = phx_ticks_to_ns(total->busy),
        .packets = total->packets,
        .hvx_instructions = total->hvx_instructions,
        .cycles = total->cycles,
    };
}
