/* SPDX-License-Identifier: MIT */
#include "blocks.h"
#include "ops/executor.h"

#define LEAST_TILES 4u /* for each thread that shares blocks */

/* What a tile costs, by the number of heads; and 2^32 over it, rounded up. */
static const uint32_t costs[] = {0, 10, 14, 19, 23};
#define COST_OF_PART 100u /* of a block, beside its tiles; with the share of what one thread does: about 1100 packets */
#define COST_BEFORE 35u   /* of what one thread does for all of them */
#define LONG (16 * 23u)   /* for each thread */
static const uint32_t reciprocals_of_costs[] = {0, 0x1999999a, 0x12492493, 0x0d79435f, 0x0b21642d};

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

/* Cuts what is left, which costs `total`, for so many threads. */
static void cut_left(struct phx_attention_job *job, uint32_t n_left, uint32_t total, uint32_t n_threads) {
    /* The first thread has done all that is before. Over a short context the steps of the others would grow more. */
    uint32_t offset = total >= LONG * n_threads ? COST_BEFORE : 0, thread = 0;
    struct phx_slices slices = phx_cut_evenly(offset + total, n_threads);
    for (uint32_t i = 0; i < n_left; i++) {
        struct phx_left *left = &job->left[i];
        uint32_t n_tiles = n_tiles_of(job, left), n_heads = n_heads_of(job, left), cost = costs[n_heads];
        left->thread = thread;
        left->n_parts = 1;
        left->starts[0] = 0;
        for (; thread + 1 < n_threads; thread++) { /* where the next thread begins */
            uint32_t at = phx_slice_start(slices, thread + 1) - offset + cost / 2;
            uint32_t tile = (uint32_t)((uint64_t)at * reciprocals_of_costs[n_heads] >> 32);
            if (tile + 1 >= n_tiles) {
                thread += tile <= n_tiles;
                break;
            }
            if (tile > left->starts[left->n_parts - 1] + (left->n_parts == 1)) {
                left->starts[left->n_parts++] = tile;
            } else {
                left->thread++;
            }
        }
        left->starts[left->n_parts] = n_tiles;
        offset += n_tiles * cost;
        if (left->n_parts > 1) {
            job->is_cut = true;
            phx_read_block(job, left->kv_head, left->row, left->head, &left->block);
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
static uint32_t most_dealt(const struct phx_attention_job *job, uint32_t n_left) {
    uint32_t most = 0;
    for (uint32_t thread = 0; thread < job->n_threads; thread++) {
        uint32_t cost = 0;
        for (uint32_t i = thread; i < n_left; i += job->n_threads) {
            cost += cost_of(job, &job->left[i]) + COST_OF_PART;
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
    if (job->plan->kernel->attend_part && n_threads > 1 && n_threads >= n_busy &&
        (2 * n_left <= n_threads ||
         total + (n_left + n_threads - 1) * COST_OF_PART < n_threads * most_dealt(job, n_left))) {
        cut_left(job, n_left, total, n_threads);
        return n_threads;
    }
    deal_left(job, n_left);
    return n_busy;
}
