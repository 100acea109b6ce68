/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND: rows of keys and values into the pages of their sequences. All pages are looked up before anything is
 * written. Threads take whole KV heads: tokens of one head may share vectors.
 */
#include "append.h"
#include "attention.h"
#include "ops/executor.h"
#include "pages.h"

struct phx_cache_append_plan {
    struct phx_cache cache;
    struct phx_paged paged;
    const struct phx_attention_kernel *kernel;
};
_Static_assert(sizeof(struct phx_cache_append_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");

struct job {
    const struct phx_call *call;
    struct phx_place *places;
};

struct phx_misfit phx_cache_append_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_cache_append_plan *plan = (void *)call->plan;
    const struct phx_operand *k = call->src[0], *cache = call->dst[0];
    struct phx_misfit misfit = phx_want_cache(cache);
    (void)executor;
    for (int i = 0; i < 2 && !misfit.status; i++) {
        misfit = phx_want_rows(call->src[i], PHX_F32);
    }
    if (misfit.status) {
        return misfit;
    }
    plan->cache = phx_cache_of(cache);
    plan->paged = (struct phx_paged){call->src[2], call->src[3], call->src[4]};
    plan->kernel = phx_attention_kernel(call->kernels);
    for (int i = 0; i < 2; i++) {
        const uint32_t *ne = call->src[i]->view.ne;
        if (!phx_cache_takes(&plan->cache, ne[0]) || ne[0] != k->view.ne[0] || ne[1] != plan->cache.n_heads ||
            ne[2] != k->view.ne[2] || ne[3] != 1) {
            return (struct phx_misfit){PHX_E_SHAPE, call->src[i]};
        }
    }
    return phx_paged_check(&plan->paged, k->view.ne[2]);
}

size_t phx_append_bytes(const struct phx_call *call) {
    return call->src[0]->view.ne[2] * sizeof(struct phx_place);
}

uint32_t phx_append_find_places(const struct phx_call *call, struct phx_place *places) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_paged *paged = &plan->paged;
    uint32_t n_rows = call->src[0]->view.ne[2];
    for (uint32_t row = 0; row < n_rows; row++) {
        int32_t position = phx_number(paged->positions, row);
        uint32_t sequence, tile = (uint32_t)position / PHX_TILE_ROWS;
        places[row] = (struct phx_place){PHX_NO_PAGE, (uint32_t)position};
        if (position < 0) {
            continue;
        }
        if (!phx_sequence_of(paged, row, &sequence) || tile >= paged->table->view.ne[0]) {
            return PHX_E_INDEX;
        }
        places[row].page = phx_page_offset(&plan->cache, phx_page_number(paged, sequence, tile));
        if (places[row].page == PHX_NO_PAGE) {
            return PHX_E_INDEX;
        }
    }
    return PHX_OK;
}

void phx_append_heads(const struct phx_call *call, const struct phx_place *places, uint32_t first, uint32_t end) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_operand *k = call->src[0], *v = call->src[1];
    struct phx_tokens tokens = {
        .k_step = k->view.nb[2],
        .v_step = v->view.nb[2],
        .width = k->view.ne[0],
        .places = places,
        .n = k->view.ne[2],
    };
    for (uint32_t head = first; head < end; head++) {
        tokens.k = k->data + head * k->view.nb[1];
        tokens.v = v->data + head * v->view.nb[1];
        tokens.tiles = plan->cache.data + head * 2 * plan->cache.tile_bytes;
        plan->kernel->append(&plan->cache, &tokens);
    }
}

static void append_some(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct job *job = argument;
    struct phx_slices heads = phx_cut_evenly(job->call->dst[0]->view.ne[1], n_threads);
    phx_append_heads(job->call, job->places, phx_slice_start(heads, thread), phx_slice_start(heads, thread + 1));
}

uint32_t phx_cache_append_run(struct phx_executor *executor, const struct phx_call *call,
                              struct phx_op_record *record) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    uint32_t n_rows = call->src[0]->view.ne[2], n_heads = plan->cache.n_heads;
    record->kernels = plan->kernel->kernels;
    record->n_threads = 1;
    if (n_rows == 0) {
        return PHX_OK;
    }
    struct job job = {call, phx_area_reserve(executor->scratch, phx_append_bytes(call))};
    if (!job.places) {
        return PHX_E_NO_MEMORY;
    }
    uint32_t status = phx_append_find_places(call, job.places);
    if (status) {
        return status;
    }
    uint32_t n_threads = n_rows * n_heads < PHX_APPENDS_WORTH_A_THREAD ? 1 : executor->pool->n_threads;
    record->n_threads = n_threads < n_heads ? n_threads : n_heads;
    phx_pool_run(executor->pool, record->n_threads, append_some, &job);
    return PHX_OK;
}
