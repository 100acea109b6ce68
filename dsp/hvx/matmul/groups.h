/* SPDX-License-Identifier: MIT
 *
 * The assembly loops that asm/kernels.py makes: T of docs/arithmetic.md over whole groups of four scale blocks,
 * for four results of 64 rows. Offsets are known there.
 */
#ifndef PHX_HVX_GROUPS_H
#define PHX_HVX_GROUPS_H

#include "activations.h"
#include "hvx/hvx.h"

#define HVX_MIN_GROUPS 4 /* the loops overlap that many iterations */

struct hvx_groups {
    const HVX_Vector *w[4]; /* of each tile */
    const int32_t *q[4];    /* of each row */
    const struct hvx_block *blocks[4];
    uint32_t n_groups;
    uint32_t ds;
    HVX_Vector *t; /* rows 0..31 and 32..63 of each result: what is added to */
    const uint16_t *table; /* that codes are looked up in */
};

_Static_assert(offsetof(struct hvx_groups, q) == 16 && offsetof(struct hvx_groups, blocks) == 32, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, n_groups) == 48 && offsetof(struct hvx_groups, t) == 56, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, table) == 60, "asm/kernels.py");

typedef void hvx_sum_groups(const struct hvx_groups *groups);

/* Four tiles times one row, and one tile times four rows. */
hvx_sum_groups hvx_sum_q4_0_tiles, hvx_sum_q4_0_rows;
hvx_sum_groups hvx_sum_q4_k_tiles, hvx_sum_q4_k_rows;
hvx_sum_groups hvx_sum_q6_k_tiles, hvx_sum_q6_k_rows;
hvx_sum_groups hvx_sum_q8_0_tiles, hvx_sum_q8_0_rows;
hvx_sum_groups hvx_sum_q4_1_tiles, hvx_sum_q4_1_rows;
hvx_sum_groups hvx_sum_q5_0_tiles, hvx_sum_q5_1_tiles, hvx_sum_q5_k_tiles;
hvx_sum_groups hvx_sum_q2_k_tiles, hvx_sum_q3_k_tiles;
hvx_sum_groups hvx_sum_iq4_tiles, hvx_sum_mxfp4_tiles;

/* Expanded blocks (expand.h) times four rows: rounded in part, with a minimum in each, of two scale blocks. */
hvx_sum_groups hvx_sum_expanded_odd_rows, hvx_sum_expanded_fourth_rows, hvx_sum_expanded_minimums_rows;
hvx_sum_groups hvx_sum_expanded_halves_rows, hvx_sum_expanded_biased_rows;

#endif
