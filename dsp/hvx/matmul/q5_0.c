/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q5_0 weights: P = sum of (code - 16) * q over 32 k, halved with rounding.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_PLAIN
#define TYPE_VECTORS 11
#define TYPE_LEAD 0
#define TYPE_TRAIL 0
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 17
#define TYPE_SUM_TILES hvx_sum_q5_0_tiles
#define TYPE_SUM_ROWS hvx_sum_q8_0_rows
#define TYPE_TABLE NULL
#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    hvx_expand_fives(w, 3, 0, to); /* (code - 16) * 8 + 128 */
    to[16] = w[10];
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[16] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_q5_0 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
