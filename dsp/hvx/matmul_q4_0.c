/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q4_0 weights: P = sum of (code - 8) * q over 32 k, an int16.
 *
 * One vector holds four k of rows 0..31 (low nibbles) and 32..63 (high nibbles). With several tiles to one activation row
 * the high nibbles are never shifted out: summing the whole bytes gives 16*high + low, so high = (whole - low) >> 4. With
 * several rows the two halves are unpacked once. The sums are taken modulo 2^16, where 8*S can be subtracted last.
 */
#include "activations.h"
#include "hvx.h"

#define TYPE_SCALES 1
#define TYPE_VECTORS 9
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 0
#define TYPE_SUM_TILES hvx_sum_q4_0_tiles
#define TYPE_SUM_ROWS hvx_sum_q4_0_rows
#include "matmul.h"
#include "nibbles.h"

HVX_INLINE void block_sums(struct operands *operands, int n_tiles, int n_rows, struct block_sums *sums) {
    HVX_Vector vlow_i32[MAX_RESULTS], vhigh_i32[MAX_RESULTS];
    nibble_sums(operands, n_tiles, n_rows, vlow_i32, vhigh_i32);
    HVX_UNROLL
    for (int i = 0; i < n_tiles * n_rows; i++) {
        HVX_Vector vbias = Q6_V_vsplat_R(operands->blocks[n_rows == 1 ? 0 : i]->bias);
        sums->vp_i16[0][i] = Q6_Vh_vsub_VhVh(hvx_interleave_low_i16(vlow_i32[i], vhigh_i32[i]), vbias);
    }
    HVX_UNROLL
    for (int i = 0; i < n_tiles; i++) {
        sums->vscale_i16[0][i] = *operands->w[i]++;
    }
}

const struct phx_matmul_kernel hvx_matmul_q4_0 = {PHX_KERNELS_HVX, HVX_WORK_BYTES, hvx_rows_bytes, hvx_quantise,
                                                  multiply_tiles};
