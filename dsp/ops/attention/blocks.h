/* SPDX-License-Identifier: MIT
 *
 * Which thread attends to what. A block is up to 4 heads of one row that share a KV head. Blocks of as many heads are
 * dealt to the threads one by one: the later a row, the more it sees. Of the last ones there are fewer than threads: their
 * tiles are laid on a line, and each thread takes as much of it, if that is worth what it costs to share a block.
 */
#ifndef PHX_ATTENTION_BLOCKS_H
#define PHX_ATTENTION_BLOCKS_H

#include "attention.h"
#include "pages.h"

/* What there is to do beside tiles, in units of what tiles cost: once, and for each block that is left, by the first thread;
 * for a part of a block; for a block; for cutting them; where blocks are cut. shared_query: of each thread but the first, which
 * share that of an only block, or 0. */
struct phx_beside_tiles {
    uint32_t begin, block, part, query, shared_query, result, cut, hand_over;
};

struct phx_flash_attn_plan {
    struct phx_attention op;
    struct phx_paged paged;
    const struct phx_operand *lengths, *sinks, *slopes, *mask;
    const struct phx_attention_kernel *kernel;
    uint32_t window; /* 0: none */
    uint32_t group;  /* query heads of a KV head */
    uint32_t first_slope;
    struct phx_beside_tiles beside;
};
_Static_assert(sizeof(struct phx_flash_attn_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");

/* What a row sees: positions first..end-1 of a sequence; none if end is 0. */
struct phx_seen_row {
    uint32_t sequence;
    uint32_t first, end;
    uint32_t position;
};

/* Pages of a sequence that have been looked up: from the first that a row needs to the last. */
struct phx_looked_up {
    uint32_t first, end;
    bool has_gaps;
};

/* Numbers of a block's heads, beside what its kernel is told. */
struct phx_block {
    struct phx_heads heads;
    int32_t sinks[PHX_HEADS_AT_ONCE];
    uint32_t slopes[PHX_HEADS_AT_ONCE];
};

/* A block that is left when the others are dealt. Threads from `thread` on share it: starts[pass][i] is the first tile
 * of each, counted from the block's first, and starts[pass][n_parts] the end. */
struct phx_left {
    struct phx_block block;
    uint32_t kv_head, row, head; /* of its first query head, within the KV head's */
    uint32_t thread, n_parts;
    uint32_t starts[PHX_ATTENTION_PASSES][PHX_MAX_THREADS + 1];
    uint8_t *work;
};

/* A run of the op. */
struct phx_attention_job {
    const struct phx_call *call;
    const struct phx_flash_attn_plan *plan;
    struct phx_pool *pool;
    uint32_t *pages; /* of each sequence, as many as the table has */
    struct phx_looked_up *looked_up;
    struct phx_seen_row *rows;
    uint8_t *work;
    size_t work_bytes;
    uint32_t n_threads;
    uint32_t n_dealt[2], n_left[2]; /* blocks of 4 heads, and of the rest */
    struct phx_left *left;
    bool is_cut;     /* one of those */
    bool is_long;    /* shares are smaller for who has something to do beside tiles */
    uint32_t most;   /* of each thread */
    uint32_t status; /* of looking up pages */
};

struct phx_beside_tiles phx_beside_tiles_of(const struct phx_cache *cache);

/* Deals blocks of 4 heads, and those of the rest: as many for each thread. Returns how many are left. */
uint32_t phx_deal_blocks(struct phx_attention_job *job);

/* Finds those that are left, the last ones of their kind. work_bytes: of each. */
void phx_find_left(struct phx_attention_job *job, uint8_t *work, size_t work_bytes);

/* Gives them to threads, if they are not to be cut. Returns how many threads there is work for. */
uint32_t phx_share_left(struct phx_attention_job *job, uint32_t n_left);

/* One of so many threads cuts them: one that mostly has no result to write. */
static inline uint32_t phx_cutting_thread(uint32_t n_threads) {
    return n_threads > 2 ? n_threads - 2 : 1;
}

void phx_cut_left(struct phx_attention_job *job, uint32_t n_threads);

/* flash_attn_ext.c: a row's heads from first_head on, counted within those of the KV head. */
void phx_read_block(const struct phx_attention_job *job, uint32_t kv_head, uint32_t number, uint32_t first_head,
                    struct phx_block *block);

#endif
