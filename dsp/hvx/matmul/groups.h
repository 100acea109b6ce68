/* SPDX-License-Identifier: MIT
 *
 * The loops that add up blocks: they make four results of 64 weight rows at a time, over whole groups of four scale
 * blocks. Form `tiles`: four tiles times one activation row; form `rows`: one tile times four activation rows. Form `tile`
 * makes one result, of one tile and one row.
 * asm/kernels.py writes those of integer types, because a compiler leaves a quarter of the packets' slots empty there;
 * offsets into struct hvx_groups are known to it.
 */
#ifndef PHX_HVX_GROUPS_H
#define PHX_HVX_GROUPS_H

#include "activations.h"
#include "hvx/hvx.h"

#define HVX_RESULTS 4    /* of a loop */
#define HVX_MIN_GROUPS 4 /* the assembly overlaps that many iterations */

/* In form `tiles` all q and all blocks are those of the one row, in form `rows` only w[0] is used, in form `tile` only the
 * first of each. */
struct hvx_groups {
    const HVX_Vector *w[HVX_RESULTS];            /* each tile's first block */
    const int32_t *q[HVX_RESULTS];               /* each row's activations from that block on */
    const struct hvx_block *blocks[HVX_RESULTS]; /* and their scales */
    uint32_t n_groups;
    uint32_t ds;           /* a group's sum is shifted to the right by it */
    HVX_Vector *totals;    /* in and out: of each result, weight rows 0..31 and then 32..63 */
    const uint16_t *table; /* what codes are looked up in, or NULL */
    uint32_t n_results;    /* 1..4 are wanted; assembly writes all that its form makes, whatever stands in the others */
};

_Static_assert(offsetof(struct hvx_groups, q) == 16 && offsetof(struct hvx_groups, blocks) == 32, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, n_groups) == 48 && offsetof(struct hvx_groups, ds) == 52, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, totals) == 56 && offsetof(struct hvx_groups, table) == 60, "asm/kernels.py");

/* Adds the groups' sums to the totals. */
typedef void hvx_sum_groups(const struct hvx_groups *groups);

hvx_sum_groups hvx_sum_q4_0_tiles, hvx_sum_q4_0_tile, hvx_sum_q4_0_rows;
hvx_sum_groups hvx_sum_q4_1_tiles, hvx_sum_q4_1_tile, hvx_sum_q4_1_rows;
hvx_sum_groups hvx_sum_q4_k_tiles, hvx_sum_q4_k_tile, hvx_sum_q4_k_rows;
hvx_sum_groups hvx_sum_q6_k_tiles, hvx_sum_q6_k_tile, hvx_sum_q6_k_rows;
hvx_sum_groups hvx_sum_q8_0_tiles, hvx_sum_q8_0_tile, hvx_sum_q8_0_rows;
hvx_sum_groups hvx_sum_q5_0_tiles, hvx_sum_q5_1_tiles, hvx_sum_q5_k_tiles;
hvx_sum_groups hvx_sum_q5_0_tile, hvx_sum_q5_1_tile, hvx_sum_q5_k_tile;
hvx_sum_groups hvx_sum_q2_k_tiles, hvx_sum_q2_k_tile, hvx_sum_q3_k_tiles, hvx_sum_q3_k_tile;
hvx_sum_groups hvx_sum_iq4_tiles, hvx_sum_iq4_tile, hvx_sum_mxfp4_tiles, hvx_sum_mxfp4_tile;

/* Expanded blocks (expand.h) times four rows: MXFP4's and Q5_K's rounding, a minimum in each block, two scale blocks. */
hvx_sum_groups hvx_sum_expanded_odd_rows, hvx_sum_expanded_fourth_rows, hvx_sum_expanded_minimums_rows;
hvx_sum_groups hvx_sum_expanded_halves_rows, hvx_sum_expanded_biased_rows;

/* In C (float.c). They take any number of groups and leave alone the totals that are not wanted: `tile` is `tiles`. */
hvx_sum_groups hvx_sum_float_tiles, hvx_sum_float_rows;

#endif
