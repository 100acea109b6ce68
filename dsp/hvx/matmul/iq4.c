/* SPDX-License-Identifier: MIT
 *
 * Matmul with IQ4_NL and IQ4_XS weights: P = sum of value * q over 32 k, by 16 with rounding. Codes index the values.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_PLAIN
#define TYPE_SUM_TILES hvx_sum_iq4_tiles
#define TYPE_SUM_ROWS hvx_sum_q8_0_rows

/* The values + 128. */
static const hvx_table values = HVX_TABLE(1, 24, 45, 63, 79, 93, 106, 118, 129, 141, 153, 166, 181, 197, 217, 241);

#include "looked_up.h"

const struct phx_matmul_kernel hvx_matmul_iq4 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
