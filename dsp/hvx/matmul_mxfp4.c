/* SPDX-License-Identifier: MIT
 *
 * Matmul with MXFP4 weights: P = sum of value * q over 32 k, halved; a code stands for twice an E2M1.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_LIKE PHX_Q8_0
#define TYPE_VECTORS 9
#define TYPE_LEAD 0
#define TYPE_TRAIL 0
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 17
#define TYPE_SUM_TILES hvx_sum_mxfp4_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_odd_rows
#define TYPE_TABLE values

/* 8 * value + 128. */
static const hvx_table values = HVX_TABLE(128, 136, 144, 152, 160, 176, 192, 224, 128, 120, 112, 104, 96, 80, 64, 32);

#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    hvx_expand_looked_up(w, *(const HVX_Vector *)values, to);
    to[16] = w[8];
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[16] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_mxfp4 = {PHX_KERNELS_HVX, EXPANDED_WORK_BYTES, rows_bytes, quantise_like,
                                                   multiply_tiles};
