/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q4_0 weights: P = sum of (code - 8) * q over 32 k, an int16.
 *
 * The sums are taken modulo 2^16, where the 8*S that unsigned codes add can be subtracted last. The assembly for
 * several tiles never shifts the high nibbles out: the sum of whole bytes is 16*high + low, so high is
 * (whole - low) >> 4.
 */
#include "activations.h"
#include "hvx/hvx.h"

#define TYPE_FORM HVX_FORM_PLAIN
#define TYPE_SCALES 1
#define TYPE_VECTORS 9
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q4_0_tiles
#define TYPE_SUM_ROWS hvx_sum_q4_0_rows
#include "matmul.h"
#include "nibbles.h"

HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums) {
    HVX_Vector vlow_i32[MAX_ROWS_IN_C], vhigh_i32[MAX_ROWS_IN_C];
    nibble_sums(operands, n_rows, vlow_i32, vhigh_i32);
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        HVX_Vector vbias = Q6_V_vsplat_R(operands->blocks[i]->bias);
        sums->vp_i16[0][i] = Q6_Vh_vsub_VhVh(hvx_interleave_low_i16(vlow_i32[i], vhigh_i32[i]), vbias);
    }
    sums->vscale_i16[0] = operands->w[8];
}

const struct phx_matmul_kernel hvx_matmul_q4_0 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, HVX_WORK_BYTES, HVX_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
