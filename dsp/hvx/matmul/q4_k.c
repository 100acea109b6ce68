/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q4_K weights: P = sum of code * q over 32 k, 17 bits, halved: rounded up in even blocks, down in
 * odd ones.
 */
#include "activations.h"
#include "hvx/hvx.h"

#define TYPE_FORM HVX_FORM_SUPER_MINIMUMS
#define TYPE_SCALES 1
#define TYPE_VECTORS 9
#define TYPE_Q_WORDS 8
#define TYPE_MINIMUMS 1
#define TYPE_SUM_TILES hvx_sum_q4_k_tiles
#define TYPE_SUM_ROWS hvx_sum_q4_k_rows
#include "matmul.h"
#include "minimums_k.h"
#include "nibbles.h"

HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums) {
    HVX_Vector vlow_i32[MAX_ROWS_IN_C], vhigh_i32[MAX_ROWS_IN_C];
    nibble_sums(operands, n_rows, vlow_i32, vhigh_i32);
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        sums->vp_i16[0][i] = operands->number % 2 ? Q6_Vh_vasr_VwVwR(vhigh_i32[i], vlow_i32[i], 1)
                                                  : Q6_Vh_vasr_VwVwR_rnd_sat(vhigh_i32[i], vlow_i32[i], 1);
    }
    sums->vscale_i16[0] = operands->w[8];
}

const struct phx_matmul_kernel hvx_matmul_q4_k = {
    PHX_KERNELS_HVX, TYPE_FORM, true, HVX_WORK_BYTES, HVX_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
