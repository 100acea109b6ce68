/* SPDX-License-Identifier: MIT
 *
 * Runs ops that are fused row by row: norms, rotations and elementwise ops, optionally followed by an append to the KV
 * cache. The ops between the projections and attention are of this kind. A work unit is one row of the op with the
 * fewest rows, and the corresponding rows of each other op: a KV head with its query heads. Each thread takes its units
 * through all of the ops, in order, and never waits for another thread.
 */
#include "attention/append.h"
#include "executor.h"

#define MIN_ELEMENTS 1024u        /* work that pays for waking a thread */
#define APPEND_COST 12u           /* cost per element of an append, relative to other ops */
#define MIN_SHARED_ELEMENTS 4096u /* elements from which an op alone is shared by several threads */
#define MAX_UNEVEN 16u            /* units per thread beyond which an uneven partition does not matter */

struct by_row_job {
    const struct phx_call *calls;
    uint8_t *work;
    uint32_t work_bytes; /* per thread */
    struct phx_slot *slots;
    uint32_t status; /* atomic: status of a thread that failed */
};

static uint32_t run_units(const struct by_row_job *job, uint32_t first, uint32_t end, void *work) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; i < job->calls->n_fused && !status; i++) {
        const struct phx_call *call = &job->calls[i];
        uint32_t first_row = first * call->rows_per_unit, end_row = end * call->rows_per_unit;
        if (call->type->ref) {
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
    struct phx_slices units = phx_split_evenly(job->calls->n_units, n_threads);
    uint32_t status = run_units(job, phx_slice_start(units, thread), phx_slice_start(units, thread + 1),
                                job->work + thread * job->work_bytes);
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

static uint32_t n_elements_of(const struct phx_call *call) {
    const uint32_t *ne = (call->type->ref ? call->dst[0] : call->src[0])->view.ne;
    return ne[0] * ne[1];
}

uint32_t phx_by_row_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_call *last = call + call->n_fused - 1;
    uint32_t n_units = call->n_units, n_elements = 0, most = 0, n_threads = executor->pool->n_threads;
    struct by_row_job job = {.calls = call};
    for (uint32_t i = 0; i < call->n_fused; i++) {
        uint32_t n = n_elements_of(&call[i]);
        n_elements += call[i].type->ref ? n : APPEND_COST * n;
        most = n > most ? n : most;
        job.work_bytes = call[i].work_bytes > job.work_bytes ? call[i].work_bytes : job.work_bytes;
    }
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    bool is_uneven = n_threads > 1 && n_units < MAX_UNEVEN * n_threads && phx_split_evenly(n_units, n_threads).more;
    if (is_uneven && most >= MIN_SHARED_ELEMENTS && (last->type->ref || n_units == 1)) {
        return run_separately(executor, call, record);
    }
    n_threads = n_elements / MIN_ELEMENTS < n_threads ? n_elements / MIN_ELEMENTS : n_threads;
    n_threads = n_threads < n_units ? n_threads : n_units;
    n_threads = n_threads ? n_threads : 1;
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
        return run_units(&job, 0, n_units, job.work);
    }
    phx_pool_run(executor->pool, n_threads, run_thread, &job);
    return job.status;
}
