/* SPDX-License-Identifier: MIT */
#include "blocks.h"
#include "ops/executor.h"

#define MIN_TILES 4u /* per thread that shares blocks */

/* Cost of a tile by the number of heads, and 2^32 / cost, rounded up. */
static const uint32_t costs[] = {0, 36, 55, 73, 92};
static const uint32_t reciprocals_of_costs[] = {0, 0x071c71c8, 0x04a7904b, 0x0381c0e1, 0x02c8590c};
#define LONG_CONTEXT (16 * 92u) /* per thread: cost from which a context counts as long */

/* Fixed costs, in packets. */
#define FOR_BEGIN 270u /* first thread, once; and for each block of the remainder: */
#define FOR_BLOCK 40u
#define FOR_SPLIT 150u
#define FOR_PART 520u   /* each part of a block */
#define FOR_RESULT 120u /* each block, combining its parts; and for each 32 dims: */
#define FOR_RESULT_32 60u
#define FOR_BARRIERS 300u /* barriers between the passes of split blocks */
#define FOR_QUERY 60u     /* preparing q of a block; and for each 32 dims: */
#define FOR_QUERY_32 72u
#define FOR_QUERY_32_OF_ANY 110u /* head sizes without a loop of their own */
#define FOR_QUERY_32_OF_ANY_SHARED 66u

/* Converts packets to cost units. A tile of 4 heads costs 92 units: about 128 packets per 32 dims; F16: 295. */
static uint32_t units_of(const struct phx_cache *cache, uint32_t n_packets) {
    return phx_split_evenly(n_packets * (cache->dtype == PHX_F16 ? 10 : 23), cache->n_blocks).each / 32;
}

struct phx_fixed_costs phx_fixed_costs_of(const struct phx_cache *cache) {
    bool is_general = cache->n_blocks != 2 && cache->n_blocks != 4;
    return (struct phx_fixed_costs){
        .part = units_of(cache, FOR_PART),
        .query = units_of(cache, FOR_QUERY + cache->n_blocks * (is_general ? FOR_QUERY_32_OF_ANY : FOR_QUERY_32)),
        .shared_query = is_general && cache->dtype != PHX_F16
                            ? units_of(cache, FOR_QUERY + cache->n_blocks * FOR_QUERY_32_OF_ANY_SHARED)
                            : 0,
        .split = units_of(cache, FOR_SPLIT),
        .result = units_of(cache, FOR_RESULT + FOR_RESULT_32 * cache->n_blocks),
        .begin = units_of(cache, FOR_BEGIN),
        .block = units_of(cache, FOR_BLOCK),
        .barriers = units_of(cache, FOR_BARRIERS)};
}

uint32_t phx_assign_blocks(struct phx_attention_job *job) {
    uint32_t n = job->call->src[0]->view.ne[2] * job->plan->op.cache.n_heads, group = job->plan->group;
    uint32_t n_of[2] = {n * (group / PHX_HEADS_PER_BLOCK), group % PHX_HEADS_PER_BLOCK ? n : 0};
    for (int i = 0; i < 2; i++) {
        job->n_remaining[i] = job->n_threads > 1 ? phx_split_evenly(n_of[i], job->n_threads).more : 0;
        job->n_assigned[i] = n_of[i] - job->n_remaining[i];
    }
    return job->n_remaining[0] + job->n_remaining[1];
}

void phx_find_remainder(struct phx_attention_job *job, uint8_t *work, size_t work_bytes) {
    const struct phx_flash_attn_plan *plan = job->plan;
    uint32_t n_rows = job->call->src[0]->view.ne[2], last_head = (plan->group - 1) & ~(PHX_HEADS_PER_BLOCK - 1);
    uint32_t kv_head = plan->op.cache.n_heads - 1, row = n_rows - 1, head = last_head, n_found[2] = {0, 0};
    while (n_found[0] < job->n_remaining[0] || n_found[1] < job->n_remaining[1]) {
        uint32_t is_partial_block = plan->group - head < PHX_HEADS_PER_BLOCK;
        if (n_found[is_partial_block] < job->n_remaining[is_partial_block]) {
            uint32_t at = n_found[0] + n_found[1];
            n_found[is_partial_block]++;
            struct phx_remaining_block *remaining = &job->remaining[at];
            remaining->kv_head = kv_head;
            remaining->row = row;
            remaining->head = head;
            remaining->work = work + at * work_bytes;
            for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
                remaining->starts[pass][0] = 0;
            }
        }
        if (head) {
            head -= PHX_HEADS_PER_BLOCK;
        } else if (head = last_head, row) {
            row--;
        } else {
            row = n_rows - 1;
            kv_head--;
        }
    }
}

static uint32_t n_tiles_of(const struct phx_attention_job *job, const struct phx_remaining_block *remaining) {
    const struct phx_visible_row *row = &job->rows[remaining->row];
    return row->end ? (row->end - 1) / PHX_TILE_ROWS + 1 - row->first / PHX_TILE_ROWS : 0;
}

static uint32_t n_heads_of(const struct phx_attention_job *job, const struct phx_remaining_block *remaining) {
    uint32_t n = job->plan->group - remaining->head;
    return n < PHX_HEADS_PER_BLOCK ? n : PHX_HEADS_PER_BLOCK;
}

static uint32_t cost_of(const struct phx_attention_job *job, const struct phx_remaining_block *remaining) {
    return n_tiles_of(job, remaining) * costs[n_heads_of(job, remaining)];
}

/* Returns the cost that a thread other than the first has before its tiles: preparing q of blocks and, on one thread,
 * splitting the blocks. */
static uint32_t lead_of(const struct phx_fixed_costs *fixed, uint32_t thread, uint32_t n_remaining,
                        uint32_t n_threads) {
    uint32_t n_queries = (thread <= n_remaining ? 1 : 0) + (thread + n_threads - 1 <= n_remaining ? 1 : 0);
    uint32_t for_queries = n_remaining == 1 && fixed->shared_query ? fixed->shared_query : n_queries * fixed->query;
    return for_queries + (thread == phx_splitting_thread(n_threads) ? fixed->split : 0);
}

/* Starts a part at cost `at` of the block. Each pass rounds the tile index differently, so that the average over the
 * passes matches. */
static void begin_part(struct phx_remaining_block *remaining, uint32_t at, uint32_t n_heads, uint32_t n_tiles) {
    uint32_t cost = costs[n_heads], tile = (uint32_t)((uint64_t)at * reciprocals_of_costs[n_heads] >> 32);
    uint32_t rest = 6 * (at - tile * cost);
    for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
        uint32_t *start = &remaining->starts[pass][remaining->n_parts], least = start[-1] + 1;
        uint32_t tile_limit = tile + (rest >= (5 - 2 * pass) * cost ? 1 : 0);
        tile_limit = tile_limit < n_tiles ? tile_limit : n_tiles - 1;
        *start = tile_limit > least ? tile_limit : least;
    }
    remaining->n_parts++;
}

void phx_split_remainder(struct phx_attention_job *job, uint32_t n_threads) {
    struct phx_fixed_costs fixed = job->plan->fixed;
    uint32_t n_remaining = job->n_remaining[0] + job->n_remaining[1], load_limit = job->load_limit, thread = 0;
    if (!job->is_long) {
        fixed = (struct phx_fixed_costs){.part = fixed.part};
    }
    uint32_t load = fixed.begin + n_remaining * fixed.block;
    for (uint32_t i = 0; i < n_remaining; i++) {
        struct phx_remaining_block *remaining = &job->remaining[i];
        uint32_t n_tiles = n_tiles_of(job, remaining), n_heads = n_heads_of(job, remaining), cost = costs[n_heads],
                 at = 0;
        remaining->thread = thread;
        remaining->n_parts = 1;
        load += fixed.part;
        for (; thread + 1 < n_threads; thread++) {
            uint32_t room = load_limit > load ? load_limit - load : 0, rest = n_tiles * cost - at;
            if (room + cost / 2 >= rest + fixed.result || remaining->starts[2][remaining->n_parts - 1] + 1 >= n_tiles) {
                break;
            }
            if (remaining->n_parts == 1 && room < cost) {
                remaining->thread++;
            } else {
                at += room;
                begin_part(remaining, at, n_heads, n_tiles);
            }
            load = lead_of(&fixed, thread + 1, n_remaining, n_threads) + fixed.part;
        }
        load += n_tiles * cost - at + fixed.result;
        for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
            remaining->starts[pass][remaining->n_parts] = n_tiles;
        }
    }
}

/* Assigns whole blocks to the threads, round-robin. */
static void assign_whole(struct phx_attention_job *job, uint32_t n_remaining) {
    uint32_t thread = 0;
    for (uint32_t i = 0; i < n_remaining; i++) {
        job->remaining[i].thread = thread;
        job->remaining[i].n_parts = 1;
        thread = thread + 1 == job->n_threads ? 0 : thread + 1;
    }
}

/* Returns the load of the busiest thread if no block is split. */
static uint32_t max_assigned_load(const struct phx_attention_job *job, uint32_t n_remaining,
                                  const struct phx_fixed_costs *fixed) {
    uint32_t max = 0;
    for (uint32_t thread = 0; thread < job->n_threads; thread++) {
        uint32_t cost = thread == 0 ? fixed->begin : 0;
        for (uint32_t i = thread; i < n_remaining; i += job->n_threads) {
            cost += cost_of(job, &job->remaining[i]) + fixed->part + fixed->query + fixed->result;
        }
        max = cost > max ? cost : max;
    }
    return max;
}

uint32_t phx_assign_remainder(struct phx_attention_job *job, uint32_t n_remaining) {
    uint32_t n_tiles = 0, total = 0, n_busy = n_remaining < job->n_threads ? n_remaining : job->n_threads;
    for (uint32_t i = 0; i < n_remaining; i++) {
        n_tiles += n_tiles_of(job, &job->remaining[i]);
        total += cost_of(job, &job->remaining[i]);
    }
    uint32_t n_threads = n_tiles / MIN_TILES < job->n_threads ? n_tiles / MIN_TILES : job->n_threads;
    if (job->plan->kernel->attend_parts && n_threads > 1 && n_threads >= n_busy) {
        struct phx_fixed_costs fixed = job->plan->fixed;
        fixed.begin += n_remaining * fixed.block;
        uint32_t load_whole = 2 * n_remaining <= n_threads ? UINT32_MAX : max_assigned_load(job, n_remaining, &fixed);
        uint32_t whole = total + (n_remaining + n_threads - 1) * fixed.part;
        uint32_t queries = n_remaining == 1 && fixed.shared_query ? (n_threads - 1) * fixed.shared_query
                                                                  : n_remaining * fixed.query;
        uint32_t all = whole + queries + n_remaining * fixed.result + fixed.begin + fixed.split;
        uint32_t each = phx_split_evenly(all, n_threads).each;
        if (each + fixed.barriers < load_whole) {
            /* Barriers separate the passes, and each pass lasts as long as its largest part. The fixed costs of single
             * threads lie before the first pass or behind the last. If such a thread gets fewer tiles in return, the
             * others get more, which lengthens every pass by whole tiles: over a short context, where a part has few
             * tiles, by more than the fixed costs. There all threads get equal shares of the tiles. */
            job->is_long = total >= LONG_CONTEXT * n_threads;
            job->load_limit = job->is_long ? each : phx_split_evenly(whole, n_threads).each;
            job->is_split = true;
            return n_threads;
        }
    }
    assign_whole(job, n_remaining);
    return n_busy;
}
