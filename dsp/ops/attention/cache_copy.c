/* SPDX-License-Identifier: MIT
 *
 * CACHE_COPY: copies whole pages, within a cache or between two, in the order of the pairs. Each thread copies its
 * slice of every page, so that a later pair may copy the result of an earlier one.
 */
#include "ops/executor.h"
#include "pages.h"
#include "runtime/libc.h"

PHX_DECLARE_CHECK(cache_copy)
PHX_DECLARE_RUN(cache_copy)

struct phx_cache_copy_plan {
    struct phx_cache from, to;
};

struct pair {
    uint32_t from, to; /* bytes from the caches' data; both PHX_NO_PAGE: skipped */
};

struct job {
    const struct phx_cache_copy_plan *plan;
    struct pair *pairs;
    uint32_t n_pairs;
    struct phx_slices vectors;
};

struct phx_mismatch phx_cache_copy_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_cache_copy_plan *plan = (void *)call->plan;
    const struct phx_operand *from = call->src[0], *pairs = call->src[1], *to = call->dst[0];
    struct phx_mismatch mismatch = phx_require_cache(from);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_cache(to);
    }
    if (!mismatch.status) {
        mismatch = phx_require_rows(pairs, PHX_I32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (from->view.dtype != to->view.dtype) {
        return (struct phx_mismatch){PHX_E_DTYPE, from};
    }
    if (from->view.ne[0] != to->view.ne[0] || from->view.ne[1] != to->view.ne[1]) {
        return (struct phx_mismatch){PHX_E_SHAPE, from};
    }
    const uint32_t *ne = pairs->view.ne;
    if (ne[0] != 2 || ne[2] != 1 || ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, pairs};
    }
    *plan = (struct phx_cache_copy_plan){phx_cache_of(from), phx_cache_of(to)};
    return PHX_MATCH;
}

static uint32_t find_pair(const struct phx_cache_copy_plan *plan, const struct phx_operand *pairs, uint32_t i,
                          struct pair *pair) {
    const uint8_t *at = pairs->data + i * pairs->view.nb[1];
    int32_t from = *(const volatile int32_t *)at, to = *(const volatile int32_t *)(at + pairs->view.nb[0]);
    *pair = (struct pair){PHX_NO_PAGE, PHX_NO_PAGE};
    if (from < 0) {
        return PHX_OK;
    }
    if ((uint32_t)from >= plan->from.n_pages || (uint32_t)to >= plan->to.n_pages) {
        return PHX_E_INDEX;
    }
    *pair = (struct pair){(uint32_t)from * plan->from.page_bytes, (uint32_t)to * plan->to.page_bytes};
    return PHX_OK;
}

static void copy_slices(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct job *job = argument;
    uint32_t first = phx_slice_start(job->vectors, thread) * PHX_VECTOR;
    uint32_t end = phx_slice_start(job->vectors, thread + 1) * PHX_VECTOR;
    (void)n_threads;
    for (uint32_t i = 0; i < job->n_pairs; i++) {
        const uint8_t *from = job->plan->from.data + job->pairs[i].from;
        uint8_t *to = job->plan->to.data + job->pairs[i].to;
        if (job->pairs[i].from != PHX_NO_PAGE && from != to) {
            memcpy(to + first, from + first, end - first);
        }
    }
}

uint32_t phx_cache_copy_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_cache_copy_plan *plan = (const void *)call->plan;
    uint32_t n_pairs = call->src[1]->view.ne[1], n_threads = executor->pool->n_threads;
    record->kernels = PHX_KERNELS_REF;
    record->n_threads = n_threads;
    struct job job = {plan, phx_area_reserve(executor->scratch, n_pairs * sizeof(struct pair)), n_pairs,
                      phx_split_evenly(plan->to.page_bytes / PHX_VECTOR, n_threads)};
    if (!job.pairs && n_pairs) {
        return PHX_E_NO_MEMORY;
    }
    for (uint32_t i = 0; i < n_pairs; i++) {
        uint32_t status = find_pair(plan, call->src[1], i, &job.pairs[i]);
        if (status) {
            return status;
        }
    }
    phx_pool_run(executor->pool, n_threads, copy_slices, &job);
    return PHX_OK;
}
