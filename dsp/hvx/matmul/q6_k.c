/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q6_K weights: P = sum of (code - 32) * q over 16 k, 17 bits, halved with rounding.
 *
 * The codes of rows 32..63 come in two parts, 2 and 4 bits. The sums begin with -32*S, because the codes are unsigned,
 * and 1, which rounds the halving.
 */
#include "activations.h"
#include "hvx/hvx.h"

#define TYPE_FORM HVX_FORM_HALVES
#define TYPE_SCALES 2
#define TYPE_VECTORS 14
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q6_k_tiles
#define TYPE_SUM_ROWS hvx_sum_q6_k_rows
#include "matmul.h"

/* Codes of rows 0..31 and of 32..63 for j = 2 * pair, then for 2 * pair + 1. */
HVX_INLINE void unpack_pair(const HVX_Vector *w, int pair, HVX_Vector *vcode) {
    HVX_Vector vmask = Q6_V_vsplat_R(0x3f3f3f3f);
    HVX_Vector v0 = w[2 * pair], v1 = w[2 * pair + 1], vrest = w[8 + pair];
    vcode[0] = Q6_V_vand_VV(v0, vmask);
    vcode[1] = Q6_Vh_vaslacc_VhVhR(Q6_V_vand_VV(vrest, Q6_V_vsplat_R(0x0f0f0f0f)), Q6_Vub_vlsr_VubR(v0, 6), 4);
    vcode[2] = Q6_V_vand_VV(v1, vmask);
    vcode[3] = Q6_Vh_vaslacc_VhVhR(Q6_Vub_vlsr_VubR(vrest, 4), Q6_Vub_vlsr_VubR(v1, 6), 4);
}

HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums) {
    HVX_UNROLL
    for (int part = 0; part < 2; part++) {
        HVX_Vector vcode[8];
        unpack_pair(operands->w, 2 * part, vcode);
        unpack_pair(operands->w, 2 * part + 1, vcode + 4);
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            HVX_Vector vlow_i32 = Q6_V_vsplat_R(operands->blocks[i][part].bias), vhigh_i32 = vlow_i32;
            HVX_UNROLL
            for (int j = 0; j < 4; j++) {
                vlow_i32 = Q6_Vw_vrmpyacc_VwVubRb(vlow_i32, vcode[2 * j], operands->q[i][4 * part + j]);
                vhigh_i32 = Q6_Vw_vrmpyacc_VwVubRb(vhigh_i32, vcode[2 * j + 1], operands->q[i][4 * part + j]);
            }
            sums->vp_i16[part][i] = Q6_Vh_vasr_VwVwR(vhigh_i32, vlow_i32, 1);
        }
        sums->vscale_i16[part] = operands->w[12 + part];
    }
}

const struct phx_matmul_kernel hvx_matmul_q6_k = {
    PHX_KERNELS_HVX, TYPE_FORM, true, HVX_WORK_BYTES, HVX_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
