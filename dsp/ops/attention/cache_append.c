/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND: writes rows of keys and values to the pages of their sequences. All pages are translated before
 * anything is written. Threads take whole KV heads; or they take tokens of all heads by their place within a page, such
 * that tokens with a common vector, or the same token twice, go to the same thread in order.
 */
#include "append.h"
#include "attention.h"
#include "ops/executor.h"
#include "pages.h"

PHX_DECLARE_CHECK(cache_append)
PHX_DECLARE_RUN(cache_append)

struct phx_cache_append_plan {
    struct phx_cache cache;
    struct phx_paged paged;
    const struct phx_attention_kernel *kernel;
};
_Static_assert(sizeof(struct phx_cache_append_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");

#define MAX_SURPLUS 8u /* largest surplus of tokens per thread of an uneven partition */

struct job {
    const struct phx_call *call;
    struct phx_slot *slots;
    struct phx_pool *pool;
    uint32_t status; /* atomic: of translating pages */
};

struct phx_mismatch phx_cache_append_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_cache_append_plan *plan = (void *)call->plan;
    const struct phx_operand *k = call->src[0], *cache = call->dst[0];
    struct phx_mismatch mismatch = phx_require_cache(cache);
    (void)executor;
    for (int i = 0; i < 2 && !mismatch.status; i++) {
        mismatch = phx_require_rows(call->src[i], PHX_F32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    plan->cache = phx_cache_of(cache);
    plan->paged = (struct phx_paged){call->src[2], call->src[3], call->src[4]};
    plan->kernel = phx_attention_kernel(call->kernels);
    for (int i = 0; i < 2; i++) {
        const uint32_t *ne = call->src[i]->view.ne;
        if (!phx_cache_takes(&plan->cache, ne[0]) || ne[0] != k->view.ne[0] || ne[1] != plan->cache.n_heads ||
            ne[2] != k->view.ne[2] || ne[3] != 1) {
            return (struct phx_mismatch){PHX_E_SHAPE, call->src[i]};
        }
    }
    return phx_paged_check(&plan->paged, k->view.ne[2]);
}

size_t phx_append_bytes(const struct phx_call *call) {
    return call->src[0]->view.ne[2] * sizeof(struct phx_slot);
}

/* Resolves the destinations of rows first..end-1. */
static uint32_t find_slots(const struct phx_call *call, struct phx_slot *slots, uint32_t first, uint32_t end) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_paged paged = plan->paged; /* local copies: the compiler must assume that `slots` aliases them */
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
        slots[row] = (struct phx_slot){page, (uint32_t)position};
    }
    return PHX_OK;
}

uint32_t phx_append_find_slots(const struct phx_call *call, struct phx_slot *slots) {
    return find_slots(call, slots, 0, call->src[0]->view.ne[2]);
}

/* Appends rows first_row..end_row-1 of KV heads first..end-1. */
static void append(const struct phx_call *call, const struct phx_slot *slots, uint32_t first_row, uint32_t end_row,
                   uint32_t first, uint32_t end) {
    const struct phx_cache_append_plan *plan = (const void *)call->plan;
    const struct phx_operand *k = call->src[0], *v = call->src[1];
    struct phx_tokens tokens = {
        .k_step = k->view.nb[2],
        .v_step = v->view.nb[2],
        .width = k->view.ne[0],
        .slots = slots + first_row,
        .n = end_row - first_row,
    };
    for (uint32_t head = first; head < end; head++) {
        tokens.k = k->data + head * k->view.nb[1] + first_row * k->view.nb[2];
        tokens.v = v->data + head * v->view.nb[1] + first_row * v->view.nb[2];
        tokens.tiles = plan->cache.data + head * 2 * plan->cache.tile_bytes;
        plan->kernel->append(&plan->cache, &tokens);
    }
}

void phx_append_heads(const struct phx_call *call, const struct phx_slot *slots, uint32_t first, uint32_t end) {
    append(call, slots, 0, call->src[0]->view.ne[2], first, end);
}

static void append_some(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct job *job = argument;
    struct phx_slices heads = phx_split_evenly(job->call->dst[0]->view.ne[1], n_threads);
    phx_append_heads(job->call, job->slots, phx_slice_start(heads, thread), phx_slice_start(heads, thread + 1));
}

/* Returns a bit mask of the groups of tokens that belong to the thread: bit i is for tokens 4 * i to 4 * i + 3 of a
 * page and the ones 32 higher. Groups never share a vector of 4-bit codes; the tokens of one group do. */
static uint32_t own_tokens(uint32_t thread, uint32_t n_threads) {
    uint32_t own = 0;
    for (uint32_t i = 0; i < 8; i++) {
        own |= (uint32_t)(i * n_threads / 8 == thread) << i;
    }
    return own;
}

/* Returns in bit 0 whether a token is in the mask. */
static inline uint32_t is_in_mask(uint32_t mask, const struct phx_slot *slot) {
    return mask >> slot->position / 4 % 8;
}

/* Returns the first token that is not in the mask. */
static const struct phx_slot *skip(uint32_t mask, const struct phx_slot *slot, const struct phx_slot *end) {
    while (end - slot >= 4 && is_in_mask(mask, slot) & is_in_mask(mask, slot + 1) & is_in_mask(mask, slot + 2) &
                                  is_in_mask(mask, slot + 3) & 1) {
        slot += 4;
    }
    while (slot < end && is_in_mask(mask, slot) & 1) {
        slot++;
    }
    return slot;
}

static void append_tokens(void *argument, uint32_t thread, uint32_t n_threads) {
    struct job *job = argument;
    uint32_t n_rows = job->call->src[0]->view.ne[2], n_heads = job->call->dst[0]->view.ne[1];
    struct phx_slices rows = phx_split_evenly(n_rows, n_threads);
    uint32_t status = find_slots(job->call, job->slots, phx_slice_start(rows, thread),
                                 phx_slice_start(rows, thread + 1));
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
    phx_pool_barrier(job->pool, thread);
    n_rows = __atomic_load_n(&job->status, __ATOMIC_RELAXED) ? 0 : n_rows;
    uint32_t own = own_tokens(thread, n_threads);
    const struct phx_slot *slot = job->slots, *end = slot + n_rows;
    while ((slot = skip(~own, slot, end)) < end) {
        const struct phx_slot *first = slot;
        slot = skip(own, slot, end);
        append(job->call, job->slots, (uint32_t)(first - job->slots), (uint32_t)(slot - job->slots), 0, n_heads);
    }
}

/* Returns whether partitioning tokens, though unevenly, gives the busiest thread fewer tokens than partitioning
 * heads. */
static bool splits_tokens(uint32_t n_rows, uint32_t n_heads, uint32_t n_threads) {
    struct phx_slices heads = phx_split_evenly(n_heads, n_threads);
    uint32_t most = (heads.each + (heads.more > 0)) * n_rows;
    return n_heads * (phx_split_evenly(n_rows, n_threads).each + MAX_SURPLUS) < most;
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
    if (!job.slots) {
        return PHX_E_NO_MEMORY;
    }
    uint32_t n_threads = n_rows * n_heads < PHX_MIN_APPENDS_PER_THREAD ? 1 : executor->pool->n_threads;
    if (splits_tokens(n_rows, n_heads, n_threads)) {
        record->n_threads = n_threads;
        phx_pool_run(executor->pool, n_threads, append_tokens, &job);
        return job.status;
    }
    job.status = phx_append_find_slots(call, job.slots);
    if (!job.status) {
        record->n_threads = n_threads < n_heads ? n_threads : n_heads;
        phx_pool_run(executor->pool, record->n_threads, append_some, &job);
    }
    return job.status;
}
