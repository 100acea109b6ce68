/* SPDX-License-Identifier: MIT
 *
 * Matmul with F16 and F32 weights, which tiles hold as int16 with a scale per 32 k: P = sum of w * q, 31 bits, to 16 by
 * a rounding shift of 15.
 *
 * Even and odd k are summed apart, modulo 2^32, so that even tiles that no repacker writes give the reference's bits.
 */
#include "activations.h"
#include "hvx/hvx.h"

#define TYPE_FORM HVX_FORM_WIDE
#define TYPE_SCALES 1
#define TYPE_VECTORS 33
#define TYPE_Q_WORDS 16
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES NULL
#define TYPE_SUM_ROWS NULL
#include "matmul.h"

HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums) {
    /* 2^14: half of the shift's last place */
    HVX_VectorPair wstart = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vsplat_R(1 << 14));
    HVX_VectorPair wlow_i32[MAX_ROWS_IN_C] = {wstart, wstart}, whigh_i32[MAX_ROWS_IN_C] = {wstart, wstart};
#pragma clang loop unroll_count(4)
    for (int j = 0; j < 16; j++) { /* unrolled whole, the loads would come first and spill */
        HVX_Vector vlow = operands->w[2 * j], vhigh = operands->w[2 * j + 1];
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            wlow_i32[i] = Q6_Ww_vmpyacc_WwVhRh(wlow_i32[i], vlow, operands->q[i][j]);
            whigh_i32[i] = Q6_Ww_vmpyacc_WwVhRh(whigh_i32[i], vhigh, operands->q[i][j]);
        }
    }
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        HVX_Vector vlow = Q6_Vw_vadd_VwVw(Q6_V_lo_W(wlow_i32[i]), Q6_V_hi_W(wlow_i32[i]));
        HVX_Vector vhigh = Q6_Vw_vadd_VwVw(Q6_V_lo_W(whigh_i32[i]), Q6_V_hi_W(whigh_i32[i]));
        sums->vp_i16[0][i] = Q6_Vh_vasr_VwVwR_sat(vhigh, vlow, 15);
    }
    sums->vscale_i16[0] = operands->w[32];
}

const struct phx_matmul_kernel hvx_matmul_float = {
    PHX_KERNELS_HVX, TYPE_FORM, true, HVX_WORK_BYTES, HVX_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
