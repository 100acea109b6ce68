/* SPDX-License-Identifier: MIT
 *
 * Ops that run together row by row: norms, rotations, what goes by element; and at the end perhaps an append to a cache.
 * What a query head, a key and a value of one token go through on their way to attention is of this kind. A unit is a
 * row of the op that has fewest, and as many rows of each other op: with KV heads, their query heads. Threads take units
 * through all of the ops, in order, and never wait for each other.
 */
#include "attention/append.h"
#include "executor.h"

#define LEAST_ELEMENTS 1024u /* for a thread to be worth waking */
#define OF_AN_APPEND 12u     /* times as much as of another op */
#define LARGE 4096u          /* elements: an op that several threads share when it is alone */
#define MOST_UNEVEN 16u      /* times as many units as threads: of more, one more or less does not matter */

struct by_row_job {
    const struct phx_call *calls;
    uint8_t *work;
    uint32_t work_bytes; /* of each thread */
    struct phx_place *places;
    uint32_t status; /* atomic: of a thread that failed */
};

static uint32_t run_units(const struct by_row_job *job, uint32_t first, uint32_t end, void *work) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; i < job->calls->n_joined && !status; i++) {
        const struct phx_call *call = &job->calls[i];
        uint32_t first_row = first * call->rows_each, end_row = end * call->rows_each;
        if (call->type->ref) {
            struct phx_slice slice = {first_row, end_row, 0, call->dst[0]->view.ne[0]};
            status = phx_rows_kernel(call)(call, &slice, work);
        } else {
            phx_append_heads(call, job->places, first_row, end_row);
        }
    }
    return status;
}

static void run_some(void *argument, uint32_t thread, uint32_t n_threads) {
    struct by_row_job *job = argument;
    struct phx_slices units = phx_cut_evenly(job->calls->n_units, n_threads);
    uint32_t status = run_units(job, phx_slice_start(units, thread), phx_slice_start(units, thread + 1),
                                job->work + thread * job->work_bytes);
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
}

/* Each op on the threads that it would have alone. */
static uint32_t run_in_turn(struct phx_executor *executor, const struct phx_call *calls, struct phx_op_record *record) {
    uint32_t status = PHX_OK, kernels = record->kernels, n_threads = 1;
    for (uint32_t i = 0; i < calls->n_joined && !status; i++) {
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
    const struct phx_call *last = call + call->n_joined - 1;
    uint32_t n_units = call->n_units, n_elements = 0, most = 0, n_threads = executor->pool->n_threads;
    struct by_row_job job = {.calls = call};
    for (uint32_t i = 0; i < call->n_joined; i++) {
        uint32_t n = n_elements_of(&call[i]);
        n_elements += call[i].type->ref ? n : OF_AN_APPEND * n;
        most = n > most ? n : most;
        job.work_bytes = call[i].work_bytes > job.work_bytes ? call[i].work_bytes : job.work_bytes;
    }
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    bool is_uneven = n_threads > 1 && n_units < MOST_UNEVEN * n_threads && phx_cut_evenly(n_units, n_threads).more;
    if (is_uneven && most >= LARGE && (last->type->ref || n_units == 1)) {
        return run_in_turn(executor, call, record);
    }
    n_threads = n_elements / LEAST_ELEMENTS < n_threads ? n_elements / LEAST_ELEMENTS : n_threads;
    n_threads = n_threads < n_units ? n_threads : n_units;
    n_threads = n_threads ? n_threads : 1;
    size_t n_places = last->type->ref ? 0 : phx_append_bytes(last);
    if (job.work_bytes + n_places) {
        job.work = phx_area_reserve(executor->scratch, n_threads * job.work_bytes + n_places);
        if (!job.work) {
            return PHX_E_NO_MEMORY;
        }
    }
    if (n_places) {
        job.places = (void *)(job.work + n_threads * job.work_bytes);
        uint32_t status = phx_append_find_places(last, job.places);
        if (status) {
            executor->failed = call->n_joined - 1;
            return status;
        }
    }
    record->n_threads = n_threads;
    if (n_threads == 1) {
        return run_units(&job, 0, n_units, job.work);
    }
    phx_pool_run(executor->pool, n_threads, run_some, &job);
    return job.status;
}
