/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND: rows of keys and values into the pages of their sequences. All pages are looked up before anything is
 * written. Threads take whole KV heads; or of all heads tokens by their place within a page: two that share a vector, or
 * are the same, go to the same thread, one after the other.
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

#define UNEVEN 8u /* tokens that one of the threads may have more than as many for each */

struct job {
    const struct phx_call *call;
    struct phx_place *places;
    struct phx_pool *pool;
    uint32_t status; /* atomic: of looking up pages */
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

/* Of rows first..end-1. */
static uint32_t find_places(const struct phx_call *call, struct phx_place *places, uint32_t first, uint32_t end) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_paged paged = plan->paged; /* copies: as far as the compiler knows places may be these */
    const struct phx_operand positions = *paged.positions, table = *paged.table;
    const struct phx_cache cache = plan->cache;
    for (uint32_t row = first; row < end; row++) {
        int32_t position = phx_number(&positions, row);
        uint32_t sequence, tile = (uint32_t)position / PHX_TILE_ROWS, page = PHX_NO_PAGE;
        if (position >= 0) {
            if (!phx_sequence_of(&paged, row, &sequence) || tile >= table.view.ne[0]) {
                return PHX_E_INDEX;
            }
            page = phx_page_offset(&cache, phx_page_number(&paged, sequence, tile));
            if (page == PHX_NO_PAGE) {
                return PHX_E_INDEX;
            }
        }
        places[row] = (struct phx_place){page, (uint32_t)position};
    }
    return PHX_OK;
}

uint32_t phx_append_find_places(const struct phx_call *call, struct phx_place *places) {
    return find_places(call, places, 0, call->src[0]->view.ne[2]);
}

/* Rows first_row..end_row-1 of KV heads first..end-1. */
static void append(const struct phx_call *call, const struct phx_place *places, uint32_t first_row, uint32_t end_row,
                   uint32_t first, uint32_t end) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_operand *k = call->src[0], *v = call->src[1];
    struct phx_tokens tokens = {
        .k_step = k->view.nb[2],
        .v_step = v->view.nb[2],
        .width = k->view.ne[0],
        .places = places + first_row,
        .n = end_row - first_row,
    };
    for (uint32_t head = first; head < end; head++) {
        tokens.k = k->data + head * k->view.nb[1] + first_row * k->view.nb[2];
        tokens.v = v->data + head * v->view.nb[1] + first_row * v->view.nb[2];
        tokens.tiles = plan->cache.data + head * 2 * plan->cache.tile_bytes;
        plan->kernel->append(&plan->cache, &tokens);
    }
}

void phx_append_heads(const struct phx_call *call, const struct phx_place *places, uint32_t first, uint32_t end) {
    append(call, places, 0, call->src[0]->view.ne[2], first, end);
}

static void append_some(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct job *job = argument;
    struct phx_slices heads = phx_cut_evenly(job->call->dst[0]->view.ne[1], n_threads);
    phx_append_heads(job->call, job->places, phx_slice_start(heads, thread), phx_slice_start(heads, thread + 1));
}

/* Of a page's tokens 4 * i to 4 * i + 3, and those 32 farther on: they share vectors of 4 bits, and no others do. A bit
 * for each i that is the thread's. */
static uint32_t own_tokens(uint32_t thread, uint32_t n_threads) {
    uint32_t own = 0;
    for (uint32_t i = 0; i < 8; i++) {
        own |= (uint32_t)(i * n_threads / 8 == thread) << i;
    }
    return own;
}

/* The first bit: whether a token is one of those. */
static inline uint32_t is_among(uint32_t some, const struct phx_place *place) {
    return some >> place->position / 4 % 8;
}

/* The first token that is none of those. */
static const struct phx_place *skip(uint32_t some, const struct phx_place *place, const struct phx_place *end) {
    while (end - place >= 4 && is_among(some, place) & is_among(some, place + 1) & is_among(some, place + 2) &
                                   is_among(some, place + 3) & 1) {
        place += 4;
    }
    while (place < end && is_among(some, place) & 1) {
        place++;
    }
    return place;
}

static void append_tokens(void *argument, uint32_t thread, uint32_t n_threads) {
    struct job *job = argument;
    uint32_t n_rows = job->call->src[0]->view.ne[2], n_heads = job->call->dst[0]->view.ne[1];
    struct phx_slices rows = phx_cut_evenly(n_rows, n_threads);
    uint32_t status = find_places(job->call, job->places, phx_slice_start(rows, thread),
                                  phx_slice_start(rows, thread + 1));
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
    phx_pool_meet(job->pool, thread);
    n_rows = __atomic_load_n(&job->status, __ATOMIC_RELAXED) ? 0 : n_rows;
    uint32_t own = own_tokens(thread, n_threads);
    const struct phx_place *place = job->places, *end = place + n_rows;
    while ((place = skip(~own, place, end)) < end) {
        const struct phx_place *first = place;
        place = skip(own, place, end);
        append(job->call, job->places, (uint32_t)(first - job->places), (uint32_t)(place - job->places), 0, n_heads);
    }
}

/* Whether the busiest thread has fewer tokens if these are cut, though not evenly, than of its heads. */
static bool cut_tokens(uint32_t n_rows, uint32_t n_heads, uint32_t n_threads) {
    struct phx_slices heads = phx_cut_evenly(n_heads, n_threads);
    uint32_t most = (heads.each + (heads.more > 0)) * n_rows;
    return n_heads * (phx_cut_evenly(n_rows, n_threads).each + UNEVEN) < most;
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
    struct job job = {call, phx_area_reserve(executor->scratch, phx_append_bytes(call)), executor->pool, PHX_OK};
    if (!job.places) {
        return PHX_E_NO_MEMORY;
    }
    uint32_t n_threads = n_rows * n_heads < PHX_APPENDS_WORTH_A_THREAD ? 1 : executor->pool->n_threads;
    if (cut_tokens(n_rows, n_heads, n_threads)) {
        record->n_threads = n_threads;
        phx_pool_run(executor->pool, n_threads, append_tokens, &job);
        return job.status;
    }
    job.status = phx_append_find_places(call, job.places);
    if (!job.status) {
        record->n_threads = n_threads < n_heads ? n_threads : n_heads;
        phx_pool_run(executor->pool, record->n_threads, append_some, &job);
    }
    return job.status;
}
