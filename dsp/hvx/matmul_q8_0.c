/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q8_0 weights: P = sum of w * q over 32 k, 20 bits, to 16 by a rounding shift of 4.
 *
 * The bytes are w + 128, which adds 128*S to P and 8*S to P16 exactly: so 8*S is subtracted after the shift, modulo 2^16.
 */
#include "activations.h"
#include "hvx.h"

#define TYPE_SCALES 1
#define TYPE_VECTORS 17
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q8_0_tiles
#define TYPE_SUM_ROWS hvx_sum_q8_0_rows
#include "matmul.h"

HVX_INLINE void block_sums(struct operands *operands, int n_tiles, int n_rows, struct block_sums *sums) {
    HVX_Vector vlow_i32[MAX_RESULTS], vhigh_i32[MAX_RESULTS];
    HVX_UNROLL
    for (int i = 0; i < n_tiles * n_rows; i++) {
        vlow_i32[i] = vhigh_i32[i] = Q6_V_vsplat_R(8); /* half of the shift's last place */
    }
    HVX_UNROLL
    for (int tile = 0; tile < n_tiles; tile++) {
        HVX_UNROLL
        for (int j = 0; j < 8; j++) {
            HVX_Vector vlow = *operands->w[tile]++;
            HVX_Vector vhigh = *operands->w[tile]++;
            HVX_UNROLL
            for (int row = 0; row < n_rows; row++) {
                int i = tile + row;
                vlow_i32[i] = Q6_Vw_vrmpyacc_VwVubRb(vlow_i32[i], vlow, operands->q[row][j]);
                vhigh_i32[i] = Q6_Vw_vrmpyacc_VwVubRb(vhigh_i32[i], vhigh, operands->q[row][j]);
            }
        }
        sums->vscale_i16[0][tile] = *operands->w[tile]++;
    }
    HVX_UNROLL
    for (int i = 0; i < n_tiles * n_rows; i++) {
        HVX_Vector vbias = Q6_V_vsplat_R(operands->blocks[n_rows == 1 ? 0 : i]->bias);
        sums->vp_i16[0][i] = Q6_Vh_vsub_VhVh(Q6_Vh_vasr_VwVwR(vhigh_i32[i], vlow_i32[i], 4), vbias);
    }
}

const struct phx_matmul_kernel hvx_matmul_q8_0 = {PHX_KERNELS_HVX, HVX_WORK_BYTES, hvx_rows_bytes, hvx_quantise,
                                                  multiply_tiles};
