/* SPDX-License-Identifier: MIT
 *
 * Matmul with IQ4_NL and IQ4_XS weights: P = sum of value * q over 32 k, by 16 with rounding. Codes index the values.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_LIKE PHX_Q8_0
#define TYPE_VECTORS 9
#define TYPE_LEAD 0
#define TYPE_TRAIL 0
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 17
#define TYPE_SUM_TILES hvx_sum_iq4_tiles
#define TYPE_SUM_ROWS hvx_sum_q8_0_rows
#define TYPE_TABLE values

/* The values + 128. */
static const hvx_table values = HVX_TABLE(1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241);

#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    hvx_expand_looked_up(w, *(const HVX_Vector *)values, to);
    to[16] = w[8];
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[16] = Q6_V_vzero();
}

const struct phx_matmul_kernel hvx_matmul_iq4 = {PHX_KERNELS_HVX, EXPANDED_WORK_BYTES, rows_bytes, quantise_like,
                                                 multiply_tiles};
