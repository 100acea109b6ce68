/* SPDX-License-Identifier: MIT
 *
 * The micro-kernels of matmul. Each accumulates whole groups of four scale blocks into up to five results of 64 weight
 * rows. Form `tiles`: four tiles times one activation row (GEMV). Forms `rows`, `rows3`, `rows2` and, of some types,
 * `rows5`: one tile times four, three, two or five activation rows (GEMM). Form `tile`: one tile times one row. Types
 * whose groups are super-blocks of 256 k (Q4_K, Q5_K, IQ4_XS) have form `tiles2`, two tiles times one row, in place of
 * `tiles`. asm/kernels.py writes them, because a compiler leaves a quarter of the packets' slots empty, and knows the
 * offsets of struct hvx_groups: docs/internals-inner-loops.md.
 */
#ifndef PHX_HVX_GROUPS_H
#define PHX_HVX_GROUPS_H

#include "activations.h"
#include "math/hvx/hvx.h"

#define HVX_RESULTS 4   /* of a micro-kernel */
#define HVX_LOOP_ROWS 5 /* of a micro-kernel, at most */

/* Forms `tiles` and `tile` read q[0] and blocks[0]; forms of rows read w[0], and q and blocks of each row. */
struct hvx_groups {
    const HVX_Vector *w[HVX_RESULTS];              /* each tile's first block */
    const int32_t *q[HVX_LOOP_ROWS];               /* each row's activations from that block on */
    const struct hvx_block *blocks[HVX_LOOP_ROWS]; /* and their scales */
    uint32_t n_groups;                             /* at least 1 */
    uint32_t ds;                                   /* right shift of a group's sum */
    HVX_Vector *totals;                            /* in and out: of each result, weight rows 0..31 and then 32..63 */
    const uint16_t *table;                         /* values of the codes, or NULL */
};

#ifdef __hexagon__
_Static_assert(offsetof(struct hvx_groups, q) == 16 && offsetof(struct hvx_groups, blocks) == 36, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, n_groups) == 56 && offsetof(struct hvx_groups, ds) == 60, "asm/kernels.py");
_Static_assert(offsetof(struct hvx_groups, totals) == 64 && offsetof(struct hvx_groups, table) == 68, "asm/kernels.py");
#endif

/* Accumulates the groups into the totals. */
typedef void hvx_sum_groups(const struct hvx_groups *groups);

#define HVX_DECLARE_LOOPS(name)                                                                                        \
    hvx_sum_groups hvx_sum_##name##_tiles, hvx_sum_##name##_tile, hvx_sum_##name##_rows, hvx_sum_##name##_rows3,       \
        hvx_sum_##name##_rows2;
HVX_DECLARE_LOOPS(q4_0)
HVX_DECLARE_LOOPS(q4_1)
HVX_DECLARE_LOOPS(q5_0)
HVX_DECLARE_LOOPS(q5_1)
HVX_DECLARE_LOOPS(q8_0)
HVX_DECLARE_LOOPS(q2_k)
HVX_DECLARE_LOOPS(q6_k)
HVX_DECLARE_LOOPS(iq4)
HVX_DECLARE_LOOPS(mxfp4)
HVX_DECLARE_LOOPS(codebook)
HVX_DECLARE_LOOPS(float)

/* Of super-blocks. */
hvx_sum_groups hvx_sum_q4_k_tiles2, hvx_sum_q4_k_tile, hvx_sum_q4_k_rows2;
hvx_sum_groups hvx_sum_q5_k_tiles2, hvx_sum_q5_k_tile, hvx_sum_q5_k_rows5, hvx_sum_q5_k_rows, hvx_sum_q5_k_rows3,
    hvx_sum_q5_k_rows2;
hvx_sum_groups hvx_sum_iq4_xs_tiles2, hvx_sum_iq4_xs_tile, hvx_sum_iq4_xs_rows, hvx_sum_iq4_xs_rows3,
    hvx_sum_iq4_xs_rows2;

/* Of four blocks and eight scale blocks. */
hvx_sum_groups hvx_sum_q3_k_tiles2, hvx_sum_q3_k_tile, hvx_sum_q3_k_rows, hvx_sum_q3_k_rows3, hvx_sum_q3_k_rows2;

/* Expanded blocks (expand.h) times four rows: Q5_1's rounding and minimums, two scale blocks without and with bias.
 * Groups of Q5_0 are blocks of Q8_0. */
hvx_sum_groups hvx_sum_expanded_minimums_rows, hvx_sum_expanded_halves_rows, hvx_sum_expanded_biased_rows;

#endif
