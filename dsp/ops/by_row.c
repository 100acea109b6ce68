/* SPDX-License-Identifier: MIT
 *
 * Runs ops that are fused row by row: norms, rotations and elementwise ops, optionally followed by an append to the KV
 * cache. The ops between the projections and attention are of this kind. Ops with the same number of rows have the same
 * partition, so each thread takes its rows through all of them, in order, and never waits for another thread. Ops whose
 * numbers of rows differ, such as RoPE of 32 query heads and of 8 KV heads, never read what the other one writes, which
 * fused.c checks. Each number of rows therefore has its own partition.
 */
#include "attention/append.h"
#include "codes.h"
#include "executor.h"

PHX_DECLARE_RUN(cache_append)

/* Costs in packets. */
#define COST_OF_CALL 290u   /* of an op, for each thread that runs it */
#define COST_OF_THREAD 250u /* of waking one */

#define MAX_SINGLE 64u            /* about so many rows are assigned one by one */
#define MIN_SHARED_ELEMENTS 4096u /* elements from which an op alone is shared by several threads */

/* Made at the first run, and again if the numbers of rows or threads differ. */
struct partition {
    uint32_t n_threads, n_threads_of_pool, n_fused;
    uint32_t most;    /* cost of the busiest thread */
    bool is_separate; /* ops of many elements had better run one after the other */
    uint32_t n_rows[PHX_MAX_FUSED];
    uint32_t starts[PHX_MAX_THREADS + 1][PHX_MAX_FUSED]; /* each thread's first row of each op */
};

struct by_row_job {
    const struct phx_call *calls;
    const struct partition *partition;
    uint8_t *work;
    uint32_t work_bytes; /* per thread */
    struct phx_slot *slots;
    uint32_t status; /* atomic: status of a thread that failed */
};

/* --- Partition --- */

static uint32_t cost_of_row(const struct phx_call *call) {
    uint32_t n = phx_rows_view(call)->ne[0];
    switch (call->type->code) {
    case PHX_OP_RMS_NORM:
    case PHX_OP_NORM:
    case PHX_OP_L2_NORM:
        return n + 100;
    case PHX_OP_CACHE_APPEND:
        return 2 * n + 40;
    default:
        return n / 2;
    }
}

/* Partitions the rows of all ops with n_rows rows over n_threads threads: one by one, each to the thread that then has
 * the least to do. */
static __attribute__((noinline)) void assign_rows(struct partition *partition, const struct phx_call *calls,
                                                  uint32_t n_rows, uint32_t n_threads, uint32_t *loads) {
    uint32_t counts[PHX_MAX_THREADS] = {0}, of_row = 0, of_calls = 0;
    uint32_t each = n_rows > MAX_SINGLE ? (n_rows - MAX_SINGLE) / n_threads : 0;
    for (uint32_t i = 0; i < partition->n_fused; i++) {
        if (partition->n_rows[i] == n_rows) {
            of_row += cost_of_row(&calls[i]);
            of_calls += COST_OF_CALL;
        }
    }
    for (uint32_t thread = 0; each && thread < n_threads; thread++) {
        counts[thread] = each;
        loads[thread] += of_calls + each * of_row;
    }
    for (uint32_t row = each * n_threads; row < n_rows; row++) {
        uint32_t best = 0, least = UINT32_MAX;
        for (uint32_t thread = 0; thread < n_threads; thread++) {
            uint32_t load = loads[thread] + of_row + (counts[thread] ? 0 : of_calls) +
                            (loads[thread] || thread == 0 ? 0 : COST_OF_THREAD);
            if (load < least) {
                best = thread;
                least = load;
            }
        }
        counts[best]++;
        loads[best] = least;
    }
    for (uint32_t i = 0; i < partition->n_fused; i++) {
        for (uint32_t thread = 0; partition->n_rows[i] == n_rows && thread < PHX_MAX_THREADS; thread++) {
            partition->starts[thread + 1][i] = partition->starts[thread][i] + counts[thread];
        }
    }
}

/* Returns the least number of rows above `above` that an op has, or UINT32_MAX. */
static __attribute__((noinline)) uint32_t next_n_rows(const struct partition *partition, uint32_t above) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < partition->n_fused; i++) {
        least = partition->n_rows[i] > above && partition->n_rows[i] < least ? partition->n_rows[i] : least;
    }
    return least;
}

/* Assigns the ops with the fewest rows, which tend to be the most expensive ones, to the first n_threads threads, and
 * then the others to all threads. */
static void try_partition(struct partition *partition, const struct phx_call *calls, uint32_t n_threads) {
    uint32_t loads[PHX_MAX_THREADS] = {0};
    memset(partition->starts, 0, sizeof(partition->starts));
    uint32_t all = 0, most_elements = 0;
    partition->most = 0;
    partition->n_threads = 1;
    for (uint32_t n_rows = next_n_rows(partition, 0); n_rows != UINT32_MAX; n_rows = next_n_rows(partition, n_rows)) {
        assign_rows(partition, calls, n_rows, n_threads, loads);
        n_threads = partition->n_threads_of_pool;
    }
    for (uint32_t thread = 0; thread < n_threads; thread++) {
        partition->n_threads = loads[thread] ? thread + 1 : partition->n_threads;
        partition->most = loads[thread] > partition->most ? loads[thread] : partition->most;
        all += loads[thread];
    }
    for (uint32_t i = 0; i < partition->n_fused; i++) {
        const uint32_t *ne = phx_rows_view(&calls[i])->ne;
        most_elements = ne[0] * ne[1] > most_elements ? ne[0] * ne[1] : most_elements;
    }
    bool is_uneven = (uint64_t)partition->most * partition->n_threads_of_pool > (uint64_t)all * 5 / 4;
    partition->is_separate = is_uneven && most_elements >= MIN_SHARED_ELEMENTS &&
                             calls[partition->n_fused - 1].type->ref;
}

/* Returns the partition, or NULL when the workspace is exhausted. */
static const struct partition *make_partition(const struct phx_executor *executor, const struct phx_call *calls) {
    struct partition *partition = phx_area_reserve(&calls->tables->area, sizeof(struct partition)), one;
    one.n_threads_of_pool = executor->pool->n_threads;
    one.n_fused = calls->n_fused;
    for (uint32_t i = 0; i < calls->n_fused; i++) {
        one.n_rows[i] = calls[i].n_rows;
    }
    for (uint32_t n = 1; partition && n <= one.n_threads_of_pool; n++) {
        try_partition(&one, calls, n);
        if (n == 1 || one.most < partition->most) {
            *partition = one;
        }
    }
    return partition;
}

/* --- Running --- */

static uint32_t run_rows(const struct by_row_job *job, uint32_t thread, void *work) {
    const uint32_t *starts = job->partition->starts[thread], *ends = job->partition->starts[thread + 1];
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; i < job->calls->n_fused && !status; i++) {
        const struct phx_call *call = &job->calls[i];
        uint32_t first_row = starts[i], end_row = ends[i];
        if (first_row == end_row) {
            ;
        } else if (call->type->ref) {
            struct phx_slice slice = {first_row, end_row, 0, call->dst[0]->view.ne[0]};
            status = phx_rows_kernel(call)(call, &slice, work);
        } else {
            phx_append_heads(call, job->slots, first_row, end_row);
        }
    }
    return status;
}

static void run_thread(void *argument, uint32_t thread, uint32_t n_threads) {
    struct by_row_job *job = argument;
    uint32_t status = run_rows(job, thread, job->work + thread * job->work_bytes);
    (void)n_threads;
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
}

/* Runs the ops one after the other, each with its own partition. */
static uint32_t run_separately(struct phx_executor *executor, const struct phx_call *calls,
                               struct phx_op_record *record) {
    uint32_t status = PHX_OK, kernels = record->kernels, n_threads = 1;
    for (uint32_t i = 0; i < calls->n_fused && !status; i++) {
        executor->failed = i;
        status = calls[i].type->ref ? phx_rows_run(executor, &calls[i], record)
                                    : phx_cache_append_run(executor, &calls[i], record);
        n_threads = record->n_threads > n_threads ? record->n_threads : n_threads;
    }
    record->kernels = kernels;
    record->n_threads = n_threads;
    executor->failed = status ? executor->failed : 0;
    return status;
}

uint32_t phx_by_row_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_call *last = call + call->n_fused - 1;
    struct by_row_job job = {.calls = call, .partition = call->tables->area.data};
    bool is_made = job.partition && job.partition->n_threads_of_pool == executor->pool->n_threads &&
                   job.partition->n_fused == call->n_fused;
    for (uint32_t i = 0; i < call->n_fused; i++) {
        job.work_bytes = call[i].work_bytes > job.work_bytes ? call[i].work_bytes : job.work_bytes;
        is_made = is_made && job.partition->n_rows[i] == call[i].n_rows; /* patches change them */
    }
    if (!is_made) {
        job.partition = make_partition(executor, call);
    }
    if (!job.partition) {
        return PHX_E_NO_MEMORY;
    }
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    if (job.partition->is_separate) {
        return run_separately(executor, call, record);
    }
    uint32_t n_threads = job.partition->n_threads;
    size_t slots_bytes = last->type->ref ? 0 : phx_append_bytes(last);
    if (job.work_bytes + slots_bytes) {
        job.work = phx_area_reserve(executor->scratch, n_threads * job.work_bytes + slots_bytes);
        if (!job.work) {
            return PHX_E_NO_MEMORY;
        }
    }
    if (slots_bytes) {
        job.slots = (void *)(job.work + n_threads * job.work_bytes);
        uint32_t status = phx_append_find_slots(last, job.slots);
        if (status) {
            executor->failed = call->n_fused - 1;
            return status;
        }
    }
    record->n_threads = n_threads;
    if (n_threads == 1) {
        return run_rows(&job, 0, job.work);
    }
    phx_pool_run(executor->pool, n_threads, run_thread, &job);
    return job.status;
}
