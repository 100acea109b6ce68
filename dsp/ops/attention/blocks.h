/* SPDX-License-Identifier: MIT
 *
 * The partition of attention over threads. A block is up to 4 heads of one row that share a KV head. Blocks with the
 * same number of heads are assigned round-robin, because later rows attend to more tokens. The remainder, the last
 * blocks, fewer than the threads, is split if that pays for the cost of sharing: its tiles form one line, of which each
 * thread takes an equal share.
 */
#ifndef PHX_ATTENTION_BLOCKS_H
#define PHX_ATTENTION_BLOCKS_H

#include "attention.h"
#include "pages.h"

/* Fixed costs in the cost units of tiles.
 *     begin, block       first thread: once, and for each block of the remainder
 *     part               each part of a block
 *     query, result      each block: preparing q, combining its parts
 *     shared_query       each thread but the first, if they share q of a single block; or 0
 *     cut                one thread: splitting the blocks
 *     barriers          each thread, if blocks are split */
struct phx_fixed_costs {
    uint32_t begin, block, part, query, shared_query, result, split, barriers;
};

struct phx_flash_attn_plan {
    struct phx_attention op;
    struct phx_paged paged;
    const struct phx_operand *lengths, *sinks, *slopes, *mask;
    const struct phx_attention_kernel *kernel;
    uint32_t window; /* 0: none */
    uint32_t group;  /* query heads per KV head */
    uint32_t first_slope;
    struct phx_fixed_costs fixed;
};
_Static_assert(sizeof(struct phx_flash_attn_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");

/* What a row attends to: positions first..end-1 of a sequence; nothing if end is 0. */
struct phx_visible_row {
    uint32_t sequence;
    uint32_t first, end;
    uint32_t position;
};

/* The range of a sequence's pages that are translated. */
struct phx_translated {
    uint32_t first, end;
    bool has_gaps;
};

/* A block's per-head numbers, with its kernel arguments. */
struct phx_block {
    struct phx_heads heads;
    int32_t sinks[PHX_HEADS_PER_BLOCK];
    uint32_t slopes[PHX_HEADS_PER_BLOCK];
};

/* A block of the remainder. The threads from `thread` on share it: starts[pass][i] is the first tile of each, relative
 * to the block's first, and starts[pass][n_parts] the end. */
struct phx_remaining_block {
    struct phx_block block;
    uint32_t kv_head, row, head; /* index of its first query head within the KV head's */
    uint32_t thread, n_parts;
    uint32_t starts[PHX_ATTENTION_PASSES][PHX_MAX_THREADS + 1];
    uint8_t *work;
};

/* State of one run of the op. */
struct phx_attention_job {
    const struct phx_call *call;
    const struct phx_flash_attn_plan *plan;
    struct phx_pool *pool;
    uint32_t *pages; /* page offsets: [sequence][page of the table] */
    struct phx_translated *translated;
    struct phx_visible_row *rows;
    uint8_t *work;
    size_t work_bytes;
    uint32_t n_threads;
    uint32_t n_assigned[2], n_remaining[2]; /* blocks of 4 heads, and blocks of fewer */
    struct phx_remaining_block *remaining;
    bool is_split;       /* the remainder is split */
    bool is_long;        /* shares are reduced by the fixed costs of a thread */
    uint32_t load_limit; /* load per thread */
    uint32_t status;     /* of translating pages */
};

struct phx_fixed_costs phx_fixed_costs_of(const struct phx_cache *cache);

/* Assigns the same number of blocks, of 4 heads and of fewer, to each thread. Returns the number of blocks in the
 * remainder. */
uint32_t phx_assign_blocks(struct phx_attention_job *job);

/* Collects the blocks of the remainder, the last ones of their kind. work_bytes: memory per block. */
void phx_find_remainder(struct phx_attention_job *job, uint8_t *work, size_t work_bytes);

/* Decides whether the remainder is split; if not, assigns its blocks to threads. Returns the number of threads with
 * work. */
uint32_t phx_assign_remainder(struct phx_attention_job *job, uint32_t n_remaining);

/* Returns the thread that splits the blocks: one that usually writes no result. */
static inline uint32_t phx_splitting_thread(uint32_t n_threads) {
    return n_threads > 2 ? n_threads - 2 : 1;
}

void phx_split_remainder(struct phx_attention_job *job, uint32_t n_threads);

/* flash_attn_ext.c: reads a block: heads of a row from first_head on, an index within the KV head's. */
void phx_read_block(const struct phx_attention_job *job, uint32_t kv_head, uint32_t number, uint32_t first_head,
                    struct phx_block *block);

#endif
