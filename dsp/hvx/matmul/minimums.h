/* SPDX-License-Identifier: MIT
 *
 * Minimums of super-blocks: docs/arithmetic.md, 2.
 */
#ifndef PHX_HVX_MINIMUMS_H
#define PHX_HVX_MINIMUMS_H

#include "groups.h"

/* Up to four results, as in struct hvx_groups. */
struct hvx_minimum_operands {
    const HVX_Vector *w[HVX_RESULTS]; /* w[i]: first super-block of tile i; in forms of rows all are of one tile */
    const uint8_t *rows[HVX_RESULTS]; /* rows[i]: activation row i; form `tiles` reads the first one only */
    uint32_t first, last;             /* super-blocks first..last-1 of the rows; w points to the first one */
};

/* Adds super-blocks first..last-1 to the totals of all results of the form; a result has weight rows 0..31, then
 * 32..63. */
typedef void hvx_sum_minimums(const struct phx_matmul *mm, const struct hvx_minimum_operands *operands,
                              HVX_Vector *totals);

hvx_sum_minimums hvx_sum_minimums_q2_k_tiles, hvx_sum_minimums_q2_k_rows, hvx_sum_minimums_q2_k_rows3,
    hvx_sum_minimums_q2_k_rows2;

#endif
