/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q3_K weights: P = sum of (code - 4) * q over 16 k, without a shift. A half block's scale is made of the
 * super-block's and of 6 bits, signed.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_HALVES_BIASED
#define TYPE_VECTORS 7
#define TYPE_LEAD 1
#define TYPE_TRAIL 0
#define TYPE_SCALES 2
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 18
#define TYPE_SUM_TILES hvx_sum_q3_k_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_biased_rows
#define TYPE_TABLE NULL
#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    HVX_Vector vd = lead[0], vsmall = w[6];
    hvx_expand_threes(w, to);
    hvx_expand_threes(w + 3, to + 9);
    HVX_Vector vsecond = Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 2), hvx_splat_i16(0xfc00));
    to[8] = hvx_mpyr_i16(vd, Q6_Vh_vasl_VhR(vsmall, 10));
    to[17] = hvx_mpyr_i16(vd, vsecond);
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[8] = to[17] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_q3_k = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
