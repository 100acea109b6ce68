/* SPDX-License-Identifier: MIT
 *
 * Matmul with Q3_K weights: P = sum of (code - 4) * q over 16 k, without a shift. A half block's scale is made of the
 * super-block's and of 6 bits, signed.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_LIKE PHX_Q6_K
#define TYPE_VECTORS 7
#define TYPE_LEAD 1
#define TYPE_TRAIL 0
#define TYPE_SCALES 2
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 18
#define TYPE_SUM_TILES hvx_sum_q3_k_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_biased_rows
#define TYPE_TABLE NULL
#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    HVX_Vector vd = lead[0], vsmall = w[6];
    hvx_expand_threes(w, to);
    hvx_expand_threes(w + 3, to + 9);
    HVX_Vector vsecond = Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 2), hvx_splat_i16(0xfc00));
    to[8] = hvx_mpyr_i16(vd, Q6_Vh_vasl_VhR(vsmall, 10));
    to[17] = hvx_mpyr_i16(vd, vsecond);
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[8] = to[17] = Q6_V_vzero();
}

/* The bias of each struct hvx_block: 4*S in both halves. There was 1 - 32*S. */
static void quantise_with_bias(const struct phx_matmul *mm, struct phx_rows_in x, uint32_t n_rows, uint32_t first,
                               uint32_t last, void *rows) {
    struct phx_matmul other = like(mm);
    struct hvx_row_layout layout = hvx_layout(&other);
    HVX_VectorPred qodd = hvx_odd_words();
    quantise_like(mm, x, n_rows, first, last, rows);
    for (uint32_t m = first; m < last; m++) {
        HVX_Vector *blocks = (HVX_Vector *)((uint8_t *)rows + (size_t)m * layout.row_bytes + layout.blocks);
        for (uint32_t i = 0; i < 4 * hvx_n_batches(mm); i++) {
            HVX_Vector vbias = Q6_Vw_vasr_VwR(Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(1), blocks[i]), 3);
            blocks[i] = Q6_V_vmux_QVV(qodd, hvx_interleave_low_i16(vbias, vbias), blocks[i]);
        }
    }
}

const struct phx_matmul_kernel hvx_matmul_q3_k = {PHX_KERNELS_HVX, EXPANDED_WORK_BYTES, rows_bytes, quantise_with_bias,
                                                  multiply_tiles};
