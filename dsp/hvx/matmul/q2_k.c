/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q2_K weights: P = sum of code * q over 16 k, without a shift. A half block's scale is made of the
 * super-block's and of 4 bits; the other 4 are its minimum.
 *
 * B, the sum of minimum * t over a super-block, is taken apart: t = 256 * high + low with -128 <= low <= 127, both
 * int8. With the minimums below 16 the sums of minimum * high and minimum * low are below 2^15 and so is B16.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_HALVES_MINIMUMS
#define TYPE_VECTORS 5
#define TYPE_LEAD 2
#define TYPE_TRAIL 0
#define TYPE_SCALES 2
#define TYPE_MINIMUMS 1
#define TYPE_EXPANDED 18
#define TYPE_SUM_TILES hvx_sum_q2_k_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_halves_rows
#define TYPE_TABLE NULL
#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    HVX_Vector vd = lead[0], vsmall = w[4];
    hvx_expand_bit_pairs(w, to);
    hvx_expand_bit_pairs(w + 2, to + 9);
    HVX_Vector vmask = hvx_splat_i16(0x7800);
    HVX_Vector vsecond = Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 3), vmask);
    to[8] = hvx_mpyr_i16(vd, Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 11), vmask));
    to[17] = hvx_mpyr_i16(vd, vsecond);
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[8] = to[17] = Q6_V_vzero();
}

HVX_INLINE void super_block_minimums(const struct hvx_row_layout *layout, const struct minimum_operands *operands,
                                     bool of_tiles, uint32_t i, HVX_Vector *vb_i16, HVX_Vector *vdm_i16) {
    HVX_Vector vhigh[MAX_RESULTS], vlow[MAX_RESULTS];
    HVX_UNROLL
    for (int result = 0; result < MAX_RESULTS; result++) {
        vhigh[result] = vlow[result] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (int j = 0; j < SUPER_BLOCK; j++) {
        HVX_Vector vminimum = Q6_V_vzero();
        HVX_UNROLL
        for (int result = 0; result < MAX_RESULTS; result++) {
            const struct hvx_block *blocks = hvx_row_blocks(layout, operands->rows[of_tiles ? 0 : result]);
            if (of_tiles || result == 0) {
                vminimum = Q6_Vub_vlsr_VubR(operands->w[result][TYPE_LEAD + j * TYPE_VECTORS + 4], 4);
            }
            blocks += 2 * (i * SUPER_BLOCK + j);
            vhigh[result] = Q6_Vh_vdmpyacc_VhVubRb(vhigh[result], vminimum, blocks[0].bias);
            vlow[result] = Q6_Vh_vdmpyacc_VhVubRb(vlow[result], vminimum, blocks[1].bias);
        }
    }
    HVX_UNROLL
    for (int result = 0; result < MAX_RESULTS; result++) {
        HVX_Vector v = Q6_Vh_vasr_VhR(Q6_Vh_vadd_VhVh(vlow[result], hvx_splat_i16(64)), 7); /* 30720 at most */
        vb_i16[result] = Q6_Vh_vadd_VhVh(v, Q6_Vh_vadd_VhVh(vhigh[result], vhigh[result]));
        vdm_i16[result] = operands->w[of_tiles ? result : 0][1];
    }
}

const struct phx_matmul_kernel hvx_matmul_q2_k = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
