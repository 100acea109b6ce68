/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q5_K weights: P = sum of code * q over 32 k, quartered; minimums as Q4_K's.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_SUPER_MINIMUMS
#define TYPE_VECTORS 11
#define TYPE_LEAD 0
#define TYPE_TRAIL 5
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 1
#define TYPE_EXPANDED 17
#define TYPE_SUM_TILES hvx_sum_q5_k_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_fourth_rows
#define TYPE_TABLE NULL
#include "expand.h"
#include "minimums_k.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    hvx_expand_fives(w, 2, 128, to); /* code * 4 + 128 */
    to[16] = w[10];
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[16] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_q5_k = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
