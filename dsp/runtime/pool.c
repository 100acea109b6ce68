/* SPDX-License-Identifier: MIT
 *
 * The worker pool, on QuRT threads and signals. A signal object has one waiter: each worker waits on its own `wake`,
 * the caller on `done`, where every worker has a bit. The signals order the accesses to the job and to its data.
 */
#include "pool.h"

#include "hap.h"
#include "libc.h"

#define LOWEST_PRIORITY 254
#define WAKE_RUN 1u
#define WAKE_STOP 2u

uint32_t phx_pool_device_threads(void) {
    uint32_t units = (uint32_t)qurt_hvx_get_units();
    uint32_t n = units >> 8 & 0xff ? units >> 8 & 0xff : units & 0xff;
    return n < 1 ? 1 : n > PHX_MAX_THREADS ? PHX_MAX_THREADS : n;
}

static void work(void *argument) {
    struct phx_worker *worker = argument;
    struct phx_pool *pool = worker->pool;
    for (;;) {
        uint32_t reason = qurt_signal_wait(&worker->wake, WAKE_RUN | WAKE_STOP, QURT_SIGNAL_ATTR_WAIT_ANY);
        qurt_signal_clear(&worker->wake, reason & (WAKE_RUN | WAKE_STOP));
        if (reason & WAKE_STOP) {
            break;
        }
        struct phx_count mark = {0};
        phx_count_since(&mark, NULL, pool->timed);
        pool->job(pool->argument, worker->index, pool->n_running);
        phx_count_since(&mark, &pool->counts[worker->index], pool->timed);
        qurt_signal_set(&pool->done, 1u << worker->index);
    }
    qurt_thread_exit(QURT_EOK);
}

static int start_worker(struct phx_pool *pool, uint32_t index) {
    struct phx_worker *worker = &pool->workers[index];
    worker->pool = pool;
    worker->index = index;
    worker->stack = phx_memalign(16, PHX_POOL_STACK_BYTES);
    if (!worker->stack) {
        return DSP_ENOMEMORY;
    }
    qurt_signal_init(&worker->wake);
    int priority = qurt_thread_get_priority(qurt_thread_get_id()); /* FASTRPC_THREAD_PARAMS may say 255 */
    qurt_thread_attr_t attr = {
        .name = "pyhexagon",
        .priority = (uint16_t)(priority < LOWEST_PRIORITY ? priority : LOWEST_PRIORITY),
        .bus_priority = QURT_BUS_PRIORITY_DEFAULT,
        .timetest_id = QURT_TIMETEST_ID_DEFAULT,
        .stack_size = PHX_POOL_STACK_BYTES,
        .stack = worker->stack,
    };
    if (qurt_thread_create(&worker->thread, &attr, work, worker) != QURT_EOK) {
        qurt_signal_destroy(&worker->wake);
        phx_free(worker->stack);
        return DSP_ETHREADCREATE;
    }
    return AEE_SUCCESS;
}

int phx_pool_start(struct phx_pool *pool, uint32_t n_threads) {
    qurt_signal_init(&pool->done);
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
    for (uint32_t index = 1; index < pool->n_threads; index++) {
        struct phx_worker *worker = &pool->workers[index];
        int status;
        qurt_signal_set(&worker->wake, WAKE_STOP);
        qurt_thread_join(worker->thread, &status);
        qurt_signal_destroy(&worker->wake);
        phx_free(worker->stack);
    }
    qurt_signal_destroy(&pool->done);
    pool->n_threads = 0;
}

uint64_t phx_pool_run(struct phx_pool *pool, uint32_t n_threads, phx_pool_job job, void *argument) {
    uint32_t n_running = n_threads < pool->n_threads ? n_threads : pool->n_threads;
    uint32_t others = (1u << n_running) - 2; /* bits 1..n_running-1 */
    pool->job = job;
    pool->argument = argument;
    pool->n_running = n_running;
    phx_count_since(&pool->mark, &pool->counts[0], pool->timed);
    uint64_t start = HAP_perf_get_qtimer_count();
    for (uint32_t index = 1; index < n_running; index++) {
        qurt_signal_set(&pool->workers[index].wake, WAKE_RUN);
    }
    phx_count_since(&pool->mark, NULL, pool->timed);
    job(argument, 0, n_running);
    phx_count_since(&pool->mark, &pool->counts[0], pool->timed);
    if (others) {
        qurt_signal_wait(&pool->done, others, QURT_SIGNAL_ATTR_WAIT_ALL);
        qurt_signal_clear(&pool->done, others);
    }
    uint64_t ticks = HAP_perf_get_qtimer_count() - start;
    phx_count_since(&pool->mark, NULL, pool->timed);
    return ticks;
}

void phx_pool_count_start(struct phx_pool *pool, bool timed) {
    memset(pool->counts, 0, sizeof(pool->counts));
    pool->timed = timed;
    phx_count_since(&pool->mark, NULL, pool->timed);
}

void phx_pool_count_end(struct phx_pool *pool, struct phx_op_record *record) {
    phx_count_since(&pool->mark, &pool->counts[0], pool->timed);
    for (uint32_t thread = 0; thread < pool->n_threads; thread++) {
        const struct phx_count *count = &pool->counts[thread];
        record->packets += count->packets;
        record->hvx_instructions += count->hvx_instructions;
        record->busy_ns += phx_ticks_to_ns(count->busy);
        if (count->packets > record->packets_max_thread) {
            record->packets_max_thread = count->packets;
        }
    }
}

struct phx_thread_record phx_pool_thread_record(const struct phx_pool *pool, uint32_t thread) {
    const struct phx_count *count = &pool->counts[thread];
    return (struct phx_thread_record){
        .start_ns = phx_ticks_to_ns(count->first),
        .end_ns = phx_ticks_to_ns(count->last),
        .busy_ns = phx_ticks_to_ns(count->busy),
        .packets = count->packets,
        .hvx_instructions = count->hvx_instructions,
    };
}
