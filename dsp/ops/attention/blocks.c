/* SPDX-License-Identifier: MIT */
#include "blocks.h"
#include "ops/executor.h"

#define LEAST_TILES 4u /* for each thread that shares blocks */

/* What a tile costs, by the number of heads; and 2^32 over it, rounded up. */
static const uint32_t costs[] = {0, 36, 55, 73, 92};
static const uint32_t reciprocals_of_costs[] = {0, 0x071c71c8, 0x04a7904b, 0x0381c0e1, 0x02c8590c};
#define LONG (16 * 92u) /* for each thread */

/* What there is to do beside tiles, in packets. */
#define FOR_BEGIN 270u /* by the first thread; and for each block that is left: */
#define FOR_BLOCK 40u
#define FOR_CUT 150u
#define FOR_PART 480u   /* of a block */
#define FOR_RESULT 120u /* of a block, with what its parts have come to; and for each 32 dims: */
#define FOR_RESULT_32 60u
#define FOR_HAND_OVER 300u /* from pass to pass of blocks that are cut */
#define FOR_QUERY 60u      /* q of a block; and for each 32 dims: */
#define FOR_QUERY_32 72u
#define FOR_QUERY_32_OF_ANY 110u /* of sizes without a loop of their own */
#define FOR_QUERY_32_OF_ANY_SHARED 66u

/* A tile of 4 heads is of 92 units: about 128 packets for each 32 dims; F16: 295. */
static uint32_t units_of(const struct phx_cache *cache, uint32_t n_packets) {
    return phx_cut_evenly(n_packets * (cache->dtype == PHX_F16 ? 10 : 23), cache->n_blocks).each / 32;
}

struct phx_beside_tiles phx_beside_tiles_of(const struct phx_cache *cache) {
    bool is_any = cache->n_blocks != 2 && cache->n_blocks != 4;
    return (struct phx_beside_tiles){
        .part = units_of(cache, FOR_PART),
        .query = units_of(cache, FOR_QUERY + cache->n_blocks * (is_any ? FOR_QUERY_32_OF_ANY : FOR_QUERY_32)),
        .shared_query = is_any && cache->dtype != PHX_F16
                            ? units_of(cache, FOR_QUERY + cache->n_blocks * FOR_QUERY_32_OF_ANY_SHARED)
                            : 0,
        .cut = units_of(cache, FOR_CUT),
        .result = units_of(cache, FOR_RESULT + FOR_RESULT_32 * cache->n_blocks),
        .begin = units_of(cache, FOR_BEGIN),
        .block = units_of(cache, FOR_BLOCK),
        .hand_over = units_of(cache, FOR_HAND_OVER)};
}

uint32_t phx_deal_blocks(struct phx_attention_job *job) {
    uint32_t n = job->call->src[0]->view.ne[2] * job->plan->op.cache.n_heads, group = job->plan->group;
    uint32_t n_of[2] = {n * (group / PHX_HEADS_AT_ONCE), group % PHX_HEADS_AT_ONCE ? n : 0};
    for (int i = 0; i < 2; i++) {
        job->n_left[i] = job->n_threads > 1 ? phx_cut_evenly(n_of[i], job->n_threads).more : 0;
        job->n_dealt[i] = n_of[i] - job->n_left[i];
    }
    return job->n_left[0] + job->n_left[1];
}

void phx_find_left(struct phx_attention_job *job, uint8_t *work, size_t work_bytes) {
    const struct phx_flash_attn_plan *plan = job->plan;
    uint32_t n_rows = job->call->src[0]->view.ne[2], last_head = (plan->group - 1) & ~(PHX_HEADS_AT_ONCE - 1);
    uint32_t kv_head = plan->op.cache.n_heads - 1, row = n_rows - 1, head = last_head, n_found[2] = {0, 0};
    while (n_found[0] < job->n_left[0] || n_found[1] < job->n_left[1]) {
        uint32_t is_rest = plan->group - head < PHX_HEADS_AT_ONCE;
        if (n_found[is_rest] < job->n_left[is_rest]) {
            uint32_t at = n_found[0] + n_found[1];
            n_found[is_rest]++;
            struct phx_left *left = &job->left[at];
            left->kv_head = kv_head;
            left->row = row;
            left->head = head;
            left->work = work + at * work_bytes;
        }
        if (head) {
            head -= PHX_HEADS_AT_ONCE;
        } else if (head = last_head, row) {
            row--;
        } else {
            row = n_rows - 1;
            kv_head--;
        }
    }
}

static uint32_t n_tiles_of(const struct phx_attention_job *job, const struct phx_left *left) {
    const struct phx_seen_row *row = &job->rows[left->row];
    return row->end ? (row->end - 1) / PHX_TILE_ROWS + 1 - row->first / PHX_TILE_ROWS : 0;
}

static uint32_t n_heads_of(const struct phx_attention_job *job, const struct phx_left *left) {
    uint32_t n = job->plan->group - left->head;
    return n < PHX_HEADS_AT_ONCE ? n : PHX_HEADS_AT_ONCE;
}

static uint32_t cost_of(const struct phx_attention_job *job, const struct phx_left *left) {
    return n_tiles_of(job, left) * costs[n_heads_of(job, left)];
}

/* What the threads but the first have before they come to tiles: they have prepared q of blocks, and one has cut these. */
static uint32_t lead_of(const struct phx_beside_tiles *beside, uint32_t thread, uint32_t n_left, uint32_t n_threads) {
    uint32_t n_queries = (thread <= n_left ? 1 : 0) + (thread + n_threads - 1 <= n_left ? 1 : 0);
    uint32_t for_queries = n_left == 1 && beside->shared_query ? beside->shared_query : n_queries * beside->query;
    return for_queries + (thread == phx_cutting_thread(n_threads) ? beside->cut : 0);
}

/* Where a part begins in each pass if `at` is its share: rounded in each another way, so that in all of them it is right. */
static void begin_part(struct phx_left *left, uint32_t at, uint32_t n_heads, uint32_t n_tiles) {
    uint32_t cost = costs[n_heads], tile = (uint32_t)((uint64_t)at * reciprocals_of_costs[n_heads] >> 32);
    uint32_t rest = 6 * (at - tile * cost);
    for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
        uint32_t *start = &left->starts[pass][left->n_parts], least = start[-1] + 1;
        uint32_t most = tile + (rest >= (5 - 2 * pass) * cost ? 1 : 0);
        most = most < n_tiles ? most : n_tiles - 1;
        *start = most > least ? most : least;
    }
    left->n_parts++;
}

void phx_cut_left(struct phx_attention_job *job, uint32_t n_threads) {
    struct phx_beside_tiles beside = job->plan->beside;
    uint32_t n_left = job->n_left[0] + job->n_left[1], most = job->most, thread = 0;
    if (!job->is_long) {
        beside = (struct phx_beside_tiles){.part = beside.part};
    }
    uint32_t load = beside.begin + n_left * beside.block;
    for (uint32_t i = 0; i < n_left; i++) {
        struct phx_left *left = &job->left[i];
        uint32_t n_tiles = n_tiles_of(job, left), n_heads = n_heads_of(job, left), cost = costs[n_heads], at = 0;
        left->thread = thread;
        left->n_parts = 1;
        load += beside.part;
        for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
            left->starts[pass][0] = 0;
        }
        for (; thread + 1 < n_threads; thread++) {
            uint32_t room = most > load ? most - load : 0, rest = n_tiles * cost - at;
            if (room + cost / 2 >= rest + beside.result || left->starts[1][left->n_parts - 1] + 1 >= n_tiles) {
                break;
            }
            if (left->n_parts == 1 && room < cost) {
                left->thread++;
            } else {
                at += room;
                begin_part(left, at, n_heads, n_tiles);
            }
            load = lead_of(&beside, thread + 1, n_left, n_threads) + beside.part;
        }
        load += n_tiles * cost - at + beside.result;
        for (uint32_t pass = 0; pass < PHX_ATTENTION_PASSES; pass++) {
            left->starts[pass][left->n_parts] = n_tiles;
        }
    }
}

/* Blocks that are not cut, as many for each thread. */
static void deal_left(struct phx_attention_job *job, uint32_t n_left) {
    uint32_t thread = 0;
    for (uint32_t i = 0; i < n_left; i++) {
        job->left[i].thread = thread;
        job->left[i].n_parts = 1;
        thread = thread + 1 == job->n_threads ? 0 : thread + 1;
    }
}

/* What the busiest thread has if they are not cut. */
static uint32_t most_dealt(const struct phx_attention_job *job, uint32_t n_left,
                           const struct phx_beside_tiles *beside) {
    uint32_t most = 0;
    for (uint32_t thread = 0; thread < job->n_threads; thread++) {
        uint32_t cost = thread == 0 ? beside->begin : 0;
        for (uint32_t i = thread; i < n_left; i += job->n_threads) {
            cost += cost_of(job, &job->left[i]) + beside->part + beside->query + beside->result;
        }
        most = cost > most ? cost : most;
    }
    return most;
}

uint32_t phx_share_left(struct phx_attention_job *job, uint32_t n_left) {
    uint32_t n_tiles = 0, total = 0, n_busy = n_left < job->n_threads ? n_left : job->n_threads;
    for (uint32_t i = 0; i < n_left; i++) {
        n_tiles += n_tiles_of(job, &job->left[i]);
        total += cost_of(job, &job->left[i]);
    }
    uint32_t n_threads = n_tiles / LEAST_TILES < job->n_threads ? n_tiles / LEAST_TILES : job->n_threads;
    if (job->plan->kernel->attend_parts && n_threads > 1 && n_threads >= n_busy) {
        struct phx_beside_tiles beside = job->plan->beside;
        beside.begin += n_left * beside.block;
        uint32_t most = 2 * n_left <= n_threads ? UINT32_MAX : most_dealt(job, n_left, &beside);
        uint32_t whole = total + (n_left + n_threads - 1) * beside.part;
        uint32_t queries = n_left == 1 && beside.shared_query ? (n_threads - 1) * beside.shared_query
                                                              : n_left * beside.query;
        uint32_t all = whole + queries + n_left * beside.result + beside.begin + beside.cut;
        uint32_t each = phx_cut_evenly(all, n_threads).each;
        if (each + beside.hand_over < most) {
            /* over a short context what one thread does alone would make the steps of the others longer */
            job->is_long = total >= LONG * n_threads;
            job->most = job->is_long ? each : phx_cut_evenly(whole, n_threads).each;
            job->is_cut = true;
            return n_threads;
        }
    }
    deal_left(job, n_left);
    return n_busy;
}
