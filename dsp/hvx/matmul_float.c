/* SPDX-License-Identifier: MIT
 *
 * Matmul with F16 and F32 weights, which tiles hold as int16 with a scale per 32 k: P = sum of w * q, 31 bits, to 16 by a
 * rounding shift of 15.
 *
 * Even and odd k are summed apart, modulo 2^32, so that even tiles that no repacker writes give the reference's bits.
 */
#include "activations.h"
#include "hvx.h"

#define TYPE_SCALES 1
#define TYPE_VECTORS 33
#define TYPE_Q_WORDS 16
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES NULL
#define TYPE_SUM_ROWS NULL
#include "matmul.h"

HVX_INLINE void block_sums(struct operands *operands, int n_tiles, int n_rows, struct block_sums *sums) {
    HVX_VectorPair wlow_i32[MAX_RESULTS], whigh_i32[MAX_RESULTS];
    HVX_UNROLL
    for (int i = 0; i < n_tiles * n_rows; i++) {
        /* half of the shift's last place */
        wlow_i32[i] = whigh_i32[i] = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vsplat_R(1 << 14));
    }
    HVX_UNROLL
    for (int tile = 0; tile < n_tiles; tile++) {
        HVX_UNROLL
        for (int j = 0; j < 16; j++) {
            HVX_Vector vlow = *operands->w[tile]++;
            HVX_Vector vhigh = *operands->w[tile]++;
            HVX_UNROLL
            for (int row = 0; row < n_rows; row++) {
                int i = tile + row;
                wlow_i32[i] = Q6_Ww_vmpyacc_WwVhRh(wlow_i32[i], vlow, operands->q[row][j]);
                whigh_i32[i] = Q6_Ww_vmpyacc_WwVhRh(whigh_i32[i], vhigh, operands->q[row][j]);
            }
        }
        sums->vscale_i16[0][tile] = *operands->w[tile]++;
    }
    HVX_UNROLL
    for (int i = 0; i < n_tiles * n_rows; i++) {
        HVX_Vector vlow = Q6_Vw_vadd_VwVw(Q6_V_lo_W(wlow_i32[i]), Q6_V_hi_W(wlow_i32[i]));
        HVX_Vector vhigh = Q6_Vw_vadd_VwVw(Q6_V_lo_W(whigh_i32[i]), Q6_V_hi_W(whigh_i32[i]));
        sums->vp_i16[0][i] = Q6_Vh_vasr_VwVwR_sat(vhigh, vlow, 15);
    }
}

const struct phx_matmul_kernel hvx_matmul_float = {PHX_KERNELS_HVX, HVX_WORK_BYTES, hvx_rows_bytes, hvx_quantise,
                                                   multiply_tiles};
