/* SPDX-License-Identifier: MIT
 *
 * Minimums of super-blocks: docs/arithmetic.md, 2.
 */
#ifndef PHX_HVX_MINIMUMS_H
#define PHX_HVX_MINIMUMS_H

#include "groups.h"

/* Up to four results, as in struct hvx_groups. */
struct hvx_minimum_operands {
    const HVX_Vector *w[HVX_RESULTS]; /* w[i]: tile i's first super-block. Forms of rows: all are the same tile's */
    const uint8_t *rows[HVX_RESULTS]; /* rows[i]: activation row i. Form `tiles`: the first one only */
    uint32_t first, last;             /* super-blocks first..last-1 of those rows, first being the one at w */
};

/* Adds super-blocks first..last-1 to the totals of as many results as the form has: of each, weight rows 0..31 and then 32..63. */
typedef void hvx_sum_minimums(const struct phx_matmul *mm, const struct hvx_minimum_operands *operands,
                              HVX_Vector *totals);

/* Q4_K and Q5_K; Q2_K. */
hvx_sum_minimums hvx_sum_minimums_k_tiles, hvx_sum_minimums_q2_k_tiles;
hvx_sum_minimums hvx_sum_minimums_k_rows, hvx_sum_minimums_k_rows3, hvx_sum_minimums_k_rows2;
hvx_sum_minimums hvx_sum_minimums_q2_k_rows, hvx_sum_minimums_q2_k_rows3, hvx_sum_minimums_q2_k_rows2;

/* What the loops for minimums of 8 bits take (asm/minimums.py); forms and results are those of struct hvx_groups, and
 * so are the offsets, which asm/kernels.py knows. */
struct hvx_super_minimums {
    const HVX_Vector *w[HVX_RESULTS];             /* each tile's first minimums */
    const struct hvx_minimums *rows[HVX_RESULTS]; /* each row's words, from that super-block on */
    uint32_t step;                                /* bytes from a super-block to the next */
    uint32_t pad[3];
    uint32_t n;         /* super-blocks, at least 1 */
    uint32_t dm;        /* a super-block's sum is shifted to the right by it */
    HVX_Vector *totals; /* in and out */
};

_Static_assert(offsetof(struct hvx_super_minimums, rows) == offsetof(struct hvx_groups, q), "asm/kernels.py");
_Static_assert(offsetof(struct hvx_super_minimums, step) == offsetof(struct hvx_groups, blocks), "asm/kernels.py");
_Static_assert(offsetof(struct hvx_super_minimums, n) == offsetof(struct hvx_groups, n_groups), "asm/kernels.py");
_Static_assert(offsetof(struct hvx_super_minimums, dm) == offsetof(struct hvx_groups, ds), "asm/kernels.py");
_Static_assert(offsetof(struct hvx_super_minimums, totals) == offsetof(struct hvx_groups, totals), "asm/kernels.py");

typedef void hvx_sum_super_minimums(const struct hvx_super_minimums *minimums);
hvx_sum_super_minimums hvx_sum_k_minimums_tiles, hvx_sum_k_minimums_rows, hvx_sum_k_minimums_rows3,
    hvx_sum_k_minimums_rows2;

#endif
