/* SPDX-License-Identifier: MIT
 *
 * The micro-kernels of each weight type (kernels.c), and multiply() and finish(), which all types share.
 */
#ifndef PHX_HVX_MATMUL_H
#define PHX_HVX_MATMUL_H

#include "expand.h"
#include "groups.h"
#include "minimums.h"
#include "result.h"

#define HVX_CHUNK 64     /* blocks expanded at a time; a multiple of HVX_BATCH */
#define HVX_ROWS_APART 3 /* at most */
/* Results besides one for each row: of four tiles, and those that micro-kernels and hvx_store_results() may write past
 * the last one. */
#define HVX_SLACK_RESULTS (HVX_ROWS_APART * (HVX_RESULTS - 1))

/* A thread's working memory: blocks, then the accumulators of each result, then those of the minimums. */
#define HVX_BLOCKS_WORK_BYTES (HVX_CHUNK * HVX_EXPANDED_HALVES * HVX_BYTES)
#define HVX_SUMS_BYTES (2 * HVX_SLACK_RESULTS * HVX_RESULT_BYTES)
#define HVX_WORK_BYTES (HVX_BLOCKS_WORK_BYTES + HVX_SUMS_BYTES)

struct hvx_type {
    struct phx_matmul_kernel kernel;
    uint16_t before_q;                           /* bytes of a batch's parts that lie before all q in a row */
    uint16_t q_shift;                            /* log2 of the bytes of a block's q */
    hvx_sum_groups *sum_tiles;                   /* four of them */
    hvx_sum_groups *sum_tile;                    /* one */
    hvx_sum_groups *sum_rows[HVX_LOOP_ROWS - 1]; /* of 2, 3 (or NULL), 4 and 5 (or NULL) rows */
    const uint16_t *table;                       /* for all of these */
    hvx_expand *expand;                          /* NULL: unpacking blocks again for every four rows costs less */
    hvx_sum_groups *sum_expanded;                /* of 4 rows */
    uint32_t expand_from;                        /* rows: the least number for which expanding pays */
    hvx_sum_minimums *sum_minimums_of_tiles;     /* NULL without minimums of super-blocks */
    hvx_sum_minimums *sum_minimums_of_rows[HVX_RESULTS - 1];
};

/* By dtype. */
extern const struct hvx_type hvx_types[] __attribute__((visibility("hidden")));

/* struct phx_matmul_kernel; the same for every type. */
void hvx_multiply(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last, void *work);
void hvx_finish_tiles(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                      void *work);

#endif
