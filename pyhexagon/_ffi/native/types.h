/* SPDX-License-Identifier: MIT
 *
 * What reads the GGUF blocks of each type: its scales, its codes, the bytes of a unit.
 */
REPACK_OF(F32, scales_f32, codes_f32, 128)
REPACK_OF(F16, scales_f16, codes_f16, 64)
REPACK_OF(BF16, scales_bf16, codes_bf16, 64)
REPACK_OF(Q4_0, scales_half_first, codes_q4_0, 18)
REPACK_OF(Q4_1, scales_q4_1, codes_q4_1, 20)
REPACK_OF(Q5_0, scales_half_first, codes_q5_0, 22)
REPACK_OF(Q5_1, scales_q5_1, codes_q5_1, 24)
REPACK_OF(Q8_0, scales_half_first, codes_q8_0, 34)
REPACK_OF(Q2_K, scales_q2_k, codes_q2_k, 84)
REPACK_OF(Q3_K, scales_q3_k, codes_q3_k, 110)
REPACK_OF(Q4_K, scales_q4_k, codes_q4_k, 144)
REPACK_OF(Q5_K, scales_q4_k, codes_q5_k, 176)
REPACK_OF(Q6_K, scales_q6_k, codes_q6_k, 210)
REPACK_OF(IQ4_NL, scales_half_first, codes_q4_0, 18)
REPACK_OF(IQ4_XS, scales_half_first, codes_iq4_xs, 136)
REPACK_OF(MXFP4, scales_mxfp4, codes_mxfp4, 17)
