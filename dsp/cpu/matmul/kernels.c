/* SPDX-License-Identifier: MIT
 *
 * The table of dsp/hvx/matmul/kernels.c with this CPU's micro-kernels; all other code of multiply() is shared with HVX.
 */
#include "hvx/matmul/matmul.h"
#include "cpu/matmul/loops.h"
#include "formats/tiles.h"

#define KERNEL(form)                                                                                                   \
    .kernel = {PHX_KERNELS_CPU,                                                                                        \
               form,                                                                                                   \
               false,                                                                                                  \
               1,                                                                                                      \
               HVX_WORK_BYTES,                                                                                         \
               HVX_RESULT_BYTES * ((form) == HVX_FORM_HALVES_MINIMUMS ? 2 : 1),                                        \
               HVX_SUMS_BYTES,                                                                                         \
               HVX_PART_BYTES(form),                                                                                   \
               hvx_quantise,                                                                                           \
               hvx_look,                                                                                               \
               hvx_quantise_seen,                                                                                      \
               hvx_multiply,                                                                                           \
               NULL},                                                                                                  \
    .before_q = HVX_BLOCKS_BYTES(form), .q_shift = (form) == HVX_FORM_WIDE ? 6 : 5
#define LOOPS(name)                                                                                                    \
    .sum_tiles = cpu_sum_##name##_tiles, .sum_tile = cpu_sum_##name##_tile,                                            \
    .sum_rows = {cpu_sum_##name##_rows2, cpu_sum_##name##_rows3, cpu_sum_##name##_rows}
#define MINIMUMS(name)                                                                                                 \
    .sum_minimums_of_tiles = hvx_sum_minimums_##name##_tiles,                                                          \
    .sum_minimums_of_rows = {hvx_sum_minimums_##name##_rows2, hvx_sum_minimums_##name##_rows3,                         \
                             hvx_sum_minimums_##name##_rows}

const struct hvx_type hvx_types[PHX_N_WEIGHT_TYPES] = {
    [PHX_F32] = {KERNEL(HVX_FORM_WIDE), LOOPS(float)},
    [PHX_F16] = {KERNEL(HVX_FORM_WIDE), LOOPS(float)},
    [PHX_BF16] = {KERNEL(HVX_FORM_WIDE), LOOPS(float)},
    [PHX_Q4_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q4_0)},
    [PHX_Q4_1] = {KERNEL(HVX_FORM_MINIMUMS), LOOPS(q4_1)},
    [PHX_Q5_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q5_0)},
    [PHX_Q5_1] = {KERNEL(HVX_FORM_MINIMUMS), LOOPS(q5_1)},
    [PHX_Q8_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q8_0)},
    [PHX_Q2_K] = {KERNEL(HVX_FORM_HALVES_MINIMUMS), LOOPS(q2_k), MINIMUMS(q2_k)},
    [PHX_Q3_K] = {KERNEL(HVX_FORM_HALVES_BIASED), LOOPS(q3_k)},
    [PHX_Q4_K] = {KERNEL(HVX_FORM_SUPER_MINIMUMS), LOOPS(q4_k)},
    [PHX_Q5_K] = {KERNEL(HVX_FORM_SUPER_MINIMUMS), LOOPS(q5_k)},
    [PHX_Q6_K] = {KERNEL(HVX_FORM_HALVES), LOOPS(q6_k)},
    [PHX_IQ4_NL] = {KERNEL(HVX_FORM_PLAIN), LOOPS(iq4_nl)},
    [PHX_IQ4_XS] = {KERNEL(HVX_FORM_PLAIN), LOOPS(iq4_xs)},
    [PHX_MXFP4] = {KERNEL(HVX_FORM_PLAIN), LOOPS(mxfp4)},
    [PHX_IQ3_XXS] = {KERNEL(HVX_FORM_HALVES), LOOPS(iq3_xxs)},
    [PHX_IQ2_S] = {KERNEL(HVX_FORM_HALVES), LOOPS(iq2_s)},
    [PHX_NVFP4] = {KERNEL(HVX_FORM_HALVES), LOOPS(nvfp4)},
};

const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype) {
    return phx_weight_type(dtype) ? &hvx_types[dtype].kernel : NULL;
}
