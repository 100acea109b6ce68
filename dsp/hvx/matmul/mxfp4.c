/* SPDX-License-Identifier: MIT
 *
 * Matmul with MXFP4 weights: P = sum of value * q over 32 k, halved; a code stands for twice an E2M1.
 */
#include "activations.h"
#include "codes.h"

#define TYPE_FORM HVX_FORM_PLAIN
#define TYPE_SUM_TILES hvx_sum_mxfp4_tiles
#define TYPE_SUM_ROWS hvx_sum_expanded_odd_rows

/* 8 * value + 128. */
static const hvx_table values = HVX_TABLE(128, 136, 144, 152, 160, 176, 192, 224, 128, 120, 112, 104, 96, 80, 64, 32);

#include "looked_up.h"

const struct phx_matmul_kernel hvx_matmul_mxfp4 = {
    PHX_KERNELS_HVX, TYPE_FORM, true, EXPANDED_WORK_BYTES, EXPANDED_WORK_ROW_BYTES,
    HVX_PART_BYTES(TYPE_FORM), hvx_quantise, multiply_tiles};
