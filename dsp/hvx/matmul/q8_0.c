/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q8_0 weights: P = sum of w * q over 32 k, 20 bits, to 16 by a rounding shift of 4.
 *
 * The bytes are w + 128, which adds 128*S to P and 8*S to P16 exactly: so 8*S is subtracted after the shift, modulo
 * 2^16.
 */
#include "activations.h"
#include "hvx/hvx.h"

#define TYPE_FORM HVX_FORM_PLAIN
#define TYPE_SCALES 1
#define TYPE_VECTORS 17
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q8_0_tiles
#define TYPE_SUM_ROWS hvx_sum_q8_0_rows
#include "matmul.h"

HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums) {
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        HVX_Vector vlow_i32 = Q6_V_vsplat_R(8), vhigh_i32 = Q6_V_vsplat_R(8); /* half of the shift's last place */
        HVX_UNROLL
        for (int j = 0; j < 8; j++) {
            vlow_i32 = Q6_Vw_vrmpyacc_VwVubRb(vlow_i32, operands->w[2 * j], operands->q[i][j]);
            vhigh_i32 = Q6_Vw_vrmpyacc_VwVubRb(vhigh_i32, operands->w[2 * j + 1], operands->q[i][j]);
        }
        HVX_Vector vbias = Q6_V_vsplat_R(operands->blocks[i]->bias);
        sums->vp_i16[0][i] = Q6_Vh_vsub_VhVh(Q6_Vh_vasr_VwVwR(vhigh_i32, vlow_i32, 4), vbias);
    }
    sums->vscale_i16[0] = operands->w[16];
}

const struct phx_matmul_kernel hvx_matmul_q8_0 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, HVX_WORK_BYTES, HVX_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
