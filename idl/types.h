/* SPDX-License-Identifier: MIT
 *
 * One row a weight type: what docs/arithmetic.md says of it in numbers. The skel (dsp/formats/tiles.h), the reference
 * and the HVX kernels, the generator of assembly, the repacker and the fuzzer all take them from here.
 * A field that a row does not name is 0. The number of a type is that of contract.h. Include this with TYPE defined:
 *
 *     TYPE(name, designated fields of struct phx_weight_type)
 *
 * k_step             K is a multiple of it: weights of a GGUF block, 1 for floats
 * scales_per_block   scale blocks in 32 k: 1, or 2 for scales of 16 k
 * vectors_per_block  of a tile, for 32 k: codes, then scales (or small scales) if any, then minimums of blocks
 * lead_vectors       in front of 8 blocks: what their small scales and small minimums multiply; PHX_SPREAD_VECTORS of
 *                    them are the small scales, too, of 6 bits with a sign
 * group_vectors      in front of 4 blocks: their scales, where these are powers of two or have 6 bits; with lead_vectors
                     between the second block and the third: small scales of 6 bits, those of 8 scale blocks in three vectors
 * trail_vectors      behind 8 blocks: their minimums
 * centre             what is subtracted from a stored code
 * sum_shift          right shift that narrows a block sum to 16 bits ("ps"); 0 for float weights, whose block sums stay
 *                    32 bits wide
 * is_unbiased        the last of every 2^sum_shift block sums is rounded down; with two scales in 32 k, ties of the second
 *                    block sum are rounded down
 * product_shift      of types whose block sums, rounded down, are multiplied by their small scales first: by which what both
 *                    halves of 32 k give is brought to 16 bits, and d16 multiplies the activations' scale
 * exponent           of the unit of a row's sum ("u")
 * spare_bits         of a group's sum, which need not be shifted out ("DS")
 * minimums           PHX_MINIMUMS_OF_BLOCKS, PHX_MINIMUMS_OF_SUPER_BLOCKS or PHX_MINIMUMS_IN_SUMS
 * minimum_shift      by which a super-block's sum of minimums is brought to 16 bits
 * is_float           the tile holds int16 weights, the activations are int16
 */
TYPE(F32, .k_step = 1, .scales_per_block = 1, .vectors_per_block = 32, .group_vectors = 1, .exponent = 15,
     .is_float = 1)
TYPE(F16, .k_step = 1, .scales_per_block = 1, .vectors_per_block = 32, .group_vectors = 1, .exponent = 15,
     .is_float = 1)
TYPE(BF16, .k_step = 1, .scales_per_block = 1, .vectors_per_block = 32, .group_vectors = 1, .exponent = 15,
     .is_float = 1)

TYPE(Q4_0, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 9, .centre = 8)
TYPE(Q4_1, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 10, .centre = 8,
     .minimums = PHX_MINIMUMS_OF_BLOCKS)
TYPE(Q5_0, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 11, .centre = 16, .sum_shift = 1, .exponent = 1)
TYPE(Q5_1, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 12, .centre = 16, .sum_shift = 1, .exponent = 1,
     .is_unbiased = 1, .minimums = PHX_MINIMUMS_OF_BLOCKS)
TYPE(Q8_0, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 17, .centre = 128, .sum_shift = 4, .exponent = 4)

TYPE(Q2_K, .k_step = 256, .scales_per_block = 2, .vectors_per_block = 5, .lead_vectors = 2, .exponent = 4,
     .spare_bits = 2, .minimums = PHX_MINIMUMS_OF_SUPER_BLOCKS, .minimum_shift = 7)
TYPE(Q3_K, .k_step = 256, .scales_per_block = 2, .vectors_per_block = 6, .lead_vectors = 1, .group_vectors = 3,
     .centre = 4, .exponent = 5, .spare_bits = 2)
TYPE(Q4_K, .k_step = 256, .scales_per_block = 1, .vectors_per_block = 8, .group_vectors = 2, .trail_vectors = 4,
     .sum_shift = 1, .exponent = 9, .spare_bits = 1, .is_unbiased = 1, .minimums = PHX_MINIMUMS_IN_SUMS,
     .minimum_shift = 9)
TYPE(Q5_K, .k_step = 256, .scales_per_block = 1, .vectors_per_block = 10, .group_vectors = 2, .trail_vectors = 4,
     .sum_shift = 2, .exponent = 10, .spare_bits = 1, .is_unbiased = 1, .minimums = PHX_MINIMUMS_IN_SUMS,
     .minimum_shift = 9)
TYPE(Q6_K, .k_step = 256, .scales_per_block = 2, .vectors_per_block = 13, .lead_vectors = 1, .centre = 32,
     .sum_shift = 1, .product_shift = 8, .exponent = 9, .spare_bits = 1)

TYPE(IQ4_NL, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 9, .sum_shift = 4, .exponent = 4)
TYPE(IQ4_XS, .k_step = 256, .scales_per_block = 1, .vectors_per_block = 8, .lead_vectors = 4, .sum_shift = 4,
     .exponent = 9)
TYPE(MXFP4, .k_step = 32, .scales_per_block = 1, .vectors_per_block = 8, .group_vectors = 1, .sum_shift = 1,
     .exponent = 1, .is_unbiased = 1)

TYPE(IQ3_XXS, .k_step = 256, .scales_per_block = 2, .vectors_per_block = 10, .sum_shift = 1, .exponent = 1,
     .is_unbiased = 1)
TYPE(IQ2_S, .k_step = 256, .scales_per_block = 2, .vectors_per_block = 10, .sum_shift = 2, .exponent = 2,
     .is_unbiased = 1)
TYPE(NVFP4, .k_step = 64, .scales_per_block = 2, .vectors_per_block = 10)
