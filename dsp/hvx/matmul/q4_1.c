/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q4_1 weights: P = sum of (code - 8) * q over 32 k, and a 16-bit minimum in each block.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_MINIMUMS
#define TYPE_VECTORS 10
#define TYPE_LEAD 0
#define TYPE_TRAIL 0
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 10
#define TYPE_SUM_TILES hvx_sum_q4_1_tiles
#define TYPE_SUM_ROWS hvx_sum_q4_1_rows
#define TYPE_TABLE NULL
#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    /* The loop for rows unpacks, too. Not a loop: compilers make that a call of memcpy. */
    HVX_Vector v0 = w[0], v1 = w[1], v2 = w[2], v3 = w[3], v4 = w[4];
    HVX_Vector v5 = w[5], v6 = w[6], v7 = w[7], vscale = w[8], vminimum = w[9];
    to[0] = v0;
    to[1] = v1;
    to[2] = v2;
    to[3] = v3;
    to[4] = v4;
    to[5] = v5;
    to[6] = v6;
    to[7] = v7;
    to[8] = vscale;
    to[9] = vminimum;
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[8] = to[9] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_q4_1 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
