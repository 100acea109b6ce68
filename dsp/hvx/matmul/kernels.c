/* SPDX-License-Identifier: MIT
 *
 * The HVX kernel of each weight type: what its activations look like, and the loops that make its sums.
 */
#include "matmul.h"

#include "ops/matmul/tiles.h"

#define KERNEL(form)                                                                                                   \
    .kernel = {PHX_KERNELS_HVX,                                                                                        \
               form,                                                                                                   \
               true,                                                                                                   \
               HVX_WORK_BYTES,                                                                                         \
               HVX_RESULT_BYTES * (1 + HVX_HAS_SUPER_MINIMUMS(form)),                                                  \
               HVX_PART_BYTES(form),                                                                                   \
               hvx_quantise,                                                                                           \
               hvx_multiply}
#define LOOPS(tiles, rows)                                                                                             \
    .sum_tiles = hvx_sum_##tiles##_tiles, .sum_tile = hvx_sum_##tiles##_tile, .sum_rows = hvx_sum_##rows##_rows
#define FLOAT_LOOPS .sum_tiles = hvx_sum_float_tiles, .sum_tile = hvx_sum_float_tiles, .sum_rows = hvx_sum_float_rows
#define EXPAND(name, vectors) .expand = hvx_expand_##name, .expanded_vectors = vectors
#define MINIMUMS(name)                                                                                                 \
    .sum_minimums_of_tiles = hvx_sum_minimums_##name##_tiles, .sum_minimums_of_rows = hvx_sum_minimums_##name##_rows

const struct hvx_type hvx_types[PHX_N_WEIGHT_TYPES] = {
    [PHX_F32] = {KERNEL(HVX_FORM_WIDE), FLOAT_LOOPS},
    [PHX_F16] = {KERNEL(HVX_FORM_WIDE), FLOAT_LOOPS},
    [PHX_BF16] = {KERNEL(HVX_FORM_WIDE), FLOAT_LOOPS},
    [PHX_Q4_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q4_0, q4_0)},
    [PHX_Q4_1] = {KERNEL(HVX_FORM_MINIMUMS), LOOPS(q4_1, q4_1)},
    [PHX_Q5_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q5_0, q8_0), EXPAND(q5_0, HVX_EXPANDED)},
    [PHX_Q5_1] = {KERNEL(HVX_FORM_MINIMUMS), LOOPS(q5_1, expanded_minimums), EXPAND(q5_1, HVX_EXPANDED_MINIMUMS)},
    [PHX_Q8_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q8_0, q8_0)},
    [PHX_Q2_K] = {KERNEL(HVX_FORM_HALVES_MINIMUMS), LOOPS(q2_k, expanded_halves), EXPAND(q2_k, HVX_EXPANDED_HALVES),
                  MINIMUMS(q2_k)},
    [PHX_Q3_K] = {KERNEL(HVX_FORM_HALVES_BIASED), LOOPS(q3_k, expanded_biased), EXPAND(q3_k, HVX_EXPANDED_HALVES)},
    [PHX_Q4_K] = {KERNEL(HVX_FORM_SUPER_MINIMUMS), LOOPS(q4_k, q4_k), MINIMUMS(k)},
    [PHX_Q5_K] = {KERNEL(HVX_FORM_SUPER_MINIMUMS), LOOPS(q5_k, expanded_fourth), EXPAND(q5_k, HVX_EXPANDED),
                  MINIMUMS(k)},
    [PHX_Q6_K] = {KERNEL(HVX_FORM_HALVES), LOOPS(q6_k, q6_k)},
    [PHX_IQ4_NL] = {KERNEL(HVX_FORM_PLAIN), LOOPS(iq4, q8_0), EXPAND(iq4, HVX_EXPANDED), .table = hvx_iq4_table},
    [PHX_IQ4_XS] = {KERNEL(HVX_FORM_PLAIN), LOOPS(iq4, q8_0), EXPAND(iq4, HVX_EXPANDED), .table = hvx_iq4_table},
    [PHX_MXFP4] = {KERNEL(HVX_FORM_PLAIN), LOOPS(mxfp4, expanded_odd), EXPAND(mxfp4, HVX_EXPANDED),
                   .table = hvx_mxfp4_table},
};

const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype) {
    return phx_weight_type(dtype) ? &hvx_types[dtype].kernel : NULL;
}
