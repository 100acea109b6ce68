/* SPDX-License-Identifier: MIT
 *
 * The HVX kernel of each weight type: what its activations look like, and the loops that make its sums.
 */
#include "matmul.h"

#include "formats/tiles.h"
#include "tables.h"

static const hvx_table iq4_table = HVX_TABLE(1, 128, PHX_IQ4_VALUES);
static const hvx_table mxfp4_table = HVX_TABLE(8, 128, PHX_MXFP4_VALUES);
static const hvx_table iq3_table = HVX_TABLE(4, 128, PHX_IQ3_VALUES);
static const hvx_table iq2_table = HVX_TABLE(2, 128, PHX_IQ2_VALUES);

#define KERNEL(form) KERNEL_APART(form, 1)
#define KERNEL_APART(form, rows_apart)                                                                                 \
    .kernel = {PHX_KERNELS_HVX,                                                                                        \
               form,                                                                                                   \
               true,                                                                                                   \
               rows_apart,                                                                                             \
               HVX_WORK_BYTES,                                                                                         \
               HVX_RESULT_BYTES * ((form) == HVX_FORM_HALVES_MINIMUMS ? 2 : 1),                                        \
               HVX_SUMS_BYTES,                                                                                         \
               HVX_PART_BYTES(form),                                                                                   \
               hvx_quantise,                                                                                           \
               hvx_look,                                                                                               \
               hvx_quantise_seen,                                                                                      \
               hvx_multiply,                                                                                           \
               hvx_finish_tiles},                                                                                      \
    .before_q = HVX_BLOCKS_BYTES(form), .q_shift = (form) == HVX_FORM_WIDE ? 6 : 5
#define LOOPS(name)                                                                                                    \
    .sum_tiles = hvx_sum_##name##_tiles, .sum_tile = hvx_sum_##name##_tile,                                            \
    .sum_rows = {hvx_sum_##name##_rows2, hvx_sum_##name##_rows3, hvx_sum_##name##_rows}
/* From how many rows on: as many times four as the loop of expanded blocks must save packets to make up for expanding
 * them: 134 for four blocks of 32 k, 58 for two (50 of Q3_K). */
#define EXPAND_FROM(n, name, rows) .expand_from = n, .expand = hvx_expand_##name, .sum_expanded = hvx_sum_##rows##_rows
#define MINIMUMS(name)                                                                                                 \
    .sum_minimums_of_tiles = hvx_sum_minimums_##name##_tiles,                                                          \
    .sum_minimums_of_rows = {hvx_sum_minimums_##name##_rows2, hvx_sum_minimums_##name##_rows3,                         \
                             hvx_sum_minimums_##name##_rows}

/* Four results of loops that make two at most. */
#define TWO_AND_TWO_TILES(name)                                                                                        \
    static void sum_##name##_tiles(const struct hvx_groups *groups) {                                                  \
        struct hvx_groups two = *groups;                                                                               \
        hvx_sum_##name##_tiles2(&two);                                                                                 \
        two.w[0] = two.w[2];                                                                                           \
        two.w[1] = two.w[3];                                                                                           \
        two.totals += 4;                                                                                               \
        hvx_sum_##name##_tiles2(&two);                                                                                 \
    }
TWO_AND_TWO_TILES(q3_k)
TWO_AND_TWO_TILES(q4_k)
TWO_AND_TWO_TILES(q5_k)
TWO_AND_TWO_TILES(iq4_xs)

static void sum_q4_k_rows(const struct hvx_groups *groups) {
    struct hvx_groups two = *groups;
    hvx_sum_q4_k_rows2(&two);
    for (uint32_t i = 0; i < 2; i++) {
        two.q[i] = two.q[2 + i];
        two.blocks[i] = two.blocks[2 + i];
    }
    two.totals += 4;
    hvx_sum_q4_k_rows2(&two);
}

const struct hvx_type hvx_types[PHX_N_WEIGHT_TYPES] = {
    [PHX_F32] = {KERNEL_APART(HVX_FORM_WIDE, 3), LOOPS(float)},
    [PHX_F16] = {KERNEL_APART(HVX_FORM_WIDE, 3), LOOPS(float)},
    [PHX_BF16] = {KERNEL_APART(HVX_FORM_WIDE, 3), LOOPS(float)},
    [PHX_Q4_0] = {KERNEL_APART(HVX_FORM_PLAIN, 2), LOOPS(q4_0)},
    [PHX_Q4_1] = {KERNEL_APART(HVX_FORM_MINIMUMS, 3), LOOPS(q4_1)},
    [PHX_Q5_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q5_0), EXPAND_FROM(28, q5_0, q8_0)},
    [PHX_Q5_1] = {KERNEL(HVX_FORM_MINIMUMS), LOOPS(q5_1), EXPAND_FROM(32, q5_1, expanded_minimums)},
    [PHX_Q8_0] = {KERNEL(HVX_FORM_PLAIN), LOOPS(q8_0)},
    [PHX_Q2_K] = {KERNEL(HVX_FORM_HALVES_MINIMUMS), LOOPS(q2_k), EXPAND_FROM(32, q2_k, expanded_halves),
                  MINIMUMS(q2_k)},
    [PHX_Q3_K] = {KERNEL(HVX_FORM_HALVES_BIASED), .sum_tiles = sum_q3_k_tiles, .sum_tile = hvx_sum_q3_k_tile,
                  .sum_rows = {hvx_sum_q3_k_rows2, hvx_sum_q3_k_rows3, hvx_sum_q3_k_rows},
                  EXPAND_FROM(24, q3_k, expanded_biased)},
    [PHX_Q4_K] = {KERNEL_APART(HVX_FORM_SUPER_MINIMUMS, 3), .sum_tiles = sum_q4_k_tiles, .sum_tile = hvx_sum_q4_k_tile,
                  .sum_rows = {hvx_sum_q4_k_rows2, NULL, sum_q4_k_rows}},
    [PHX_Q5_K] = {KERNEL(HVX_FORM_SUPER_MINIMUMS), .sum_tiles = sum_q5_k_tiles, .sum_tile = hvx_sum_q5_k_tile,
                  .sum_rows = {hvx_sum_q5_k_rows2, hvx_sum_q5_k_rows3, hvx_sum_q5_k_rows, hvx_sum_q5_k_rows5}},
    [PHX_Q6_K] = {KERNEL(HVX_FORM_HALVES), LOOPS(q6_k)},
    [PHX_IQ4_NL] = {KERNEL(HVX_FORM_PLAIN), LOOPS(iq4), .table = iq4_table},
    [PHX_IQ4_XS] = {KERNEL(HVX_FORM_PLAIN), .sum_tiles = sum_iq4_xs_tiles, .sum_tile = hvx_sum_iq4_xs_tile,
                    .sum_rows = {hvx_sum_iq4_xs_rows2, hvx_sum_iq4_xs_rows3, hvx_sum_iq4_xs_rows}, .table = iq4_table},
    [PHX_MXFP4] = {KERNEL(HVX_FORM_PLAIN), LOOPS(mxfp4), .table = mxfp4_table},
    [PHX_IQ3_XXS] = {KERNEL(HVX_FORM_HALVES), LOOPS(codebook), .table = iq3_table},
    [PHX_IQ2_S] = {KERNEL(HVX_FORM_HALVES), LOOPS(codebook), .table = iq2_table},
    [PHX_NVFP4] = {KERNEL(HVX_FORM_HALVES), LOOPS(codebook), .table = mxfp4_table},
};

const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype) {
    return phx_weight_type(dtype) ? &hvx_types[dtype].kernel : NULL;
}
