/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q6_K weights: P = sum of (code - 32) * q over 16 k, 17 bits, halved with rounding.
 *
 * The codes come in two parts, 4 and 2 bits, and are put together before they are multiplied. The sums begin with
 * -32*S, because the codes are unsigned, and 1, which rounds the halving.
 */
#include "activations.h"
#include "hvx.h"

#define TYPE_SCALES 2
#define TYPE_VECTORS 14
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q6_k_tiles
#define TYPE_SUM_ROWS hvx_sum_q6_k_rows
#include "matmul.h"

HVX_INLINE void block_sums(struct operands *operands, int n_tiles, int n_rows, struct block_sums *sums) {
    HVX_Vector vmask_4 = Q6_V_vsplat_R(0x0f0f0f0f), vmask_2 = Q6_V_vsplat_R(0x30303030);
    HVX_UNROLL
    for (int tile = 0; tile < n_tiles; tile++) {
        const HVX_Vector *w = operands->w[tile];
        HVX_UNROLL
        for (int part = 0; part < 2; part++) {
            HVX_Vector vlow_i32[MAX_RESULTS], vhigh_i32[MAX_RESULTS];
            HVX_UNROLL
            for (int row = 0; row < n_rows; row++) {
                vlow_i32[row] = vhigh_i32[row] = Q6_V_vsplat_R(operands->blocks[row][part].bias);
            }
            HVX_UNROLL
            for (int pair = 2 * part; pair < 2 * part + 2; pair++) {
                HVX_Vector vbits = w[8 + pair];
                HVX_Vector v0 = w[2 * pair], v1 = w[2 * pair + 1];
                HVX_Vector vcode[4] = {
                    Q6_V_vor_VV(Q6_V_vand_VV(v0, vmask_4), Q6_V_vand_VV(Q6_Vh_vasl_VhR(vbits, 4), vmask_2)),
                    Q6_V_vor_VV(Q6_Vub_vlsr_VubR(v0, 4), Q6_V_vand_VV(Q6_Vh_vasl_VhR(vbits, 2), vmask_2)),
                    Q6_V_vor_VV(Q6_V_vand_VV(v1, vmask_4), Q6_V_vand_VV(vbits, vmask_2)),
                    Q6_V_vor_VV(Q6_Vub_vlsr_VubR(v1, 4), Q6_V_vand_VV(Q6_Vuh_vlsr_VuhR(vbits, 2), vmask_2))};
                HVX_UNROLL
                for (int i = 0; i < 2; i++) {
                    HVX_UNROLL
                    for (int row = 0; row < n_rows; row++) {
                        int32_t q = operands->q[row][2 * pair + i];
                        vlow_i32[row] = Q6_Vw_vrmpyacc_VwVubRb(vlow_i32[row], vcode[2 * i], q);
                        vhigh_i32[row] = Q6_Vw_vrmpyacc_VwVubRb(vhigh_i32[row], vcode[2 * i + 1], q);
                    }
                }
            }
            HVX_UNROLL
            for (int row = 0; row < n_rows; row++) {
                sums->vp_i16[part][tile + row] = Q6_Vh_vasr_VwVwR(vhigh_i32[row], vlow_i32[row], 1);
            }
            sums->vscale_i16[part][tile] = w[12 + part];
        }
        operands->w[tile] += 14;
    }
}

const struct phx_matmul_kernel hvx_matmul_q6_k = {PHX_KERNELS_HVX, HVX_WORK_BYTES, hvx_rows_bytes, hvx_quantise,
                                                  multiply_tiles};
