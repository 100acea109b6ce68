/* SPDX-License-Identifier: MIT
 *
 * GGUF's types with grids (IQ1, IQ2, IQ3), ternary types and NVFP4. Their blocks are decoded to codes of the tile that
 * holds them: docs/arithmetic.md, section 4. Only the repacker knows grids: the DSP reads codes of 2 or 4 bits.
 */
#ifndef PHX_NATIVE_RECODE_H
#define PHX_NATIVE_RECODE_H

#include "codes.h"

/* GGUF's numbers of the types that have no tile of their own; PHX_IQ2_S and so on are in contract.h. */
enum {
    PHX_IQ2_XXS = 16,
    PHX_IQ2_XS = 17,
    PHX_IQ1_S = 19,
    PHX_IQ3_S = 21,
    PHX_IQ1_M = 29,
    PHX_TQ1_0 = 34,
    PHX_TQ2_0 = 35
};

#define EIGHT 8 /* weights that share an entry of a grid, or two entries of 4 */

/* Entries of 8 or 4 numbers: the place of each weight's magnitude among the levels; of IQ1 the weight + 1. */
static const uint8_t *grids[PHX_N_WEIGHT_TYPES];

/* The sign bits of 8 weights from 7: the eighth makes their number even. */
UNIT_INLINE uint32_t even_signs(uint32_t seven) {
    return seven | (uint32_t)__builtin_parity(seven) << 7;
}

/* A bit of each of 8 weights to the lowest bit of a byte each. */
UNIT_INLINE uint64_t spread_bits(uint32_t bits) {
    uint64_t x = bits;
    x = (x | x << 28) & 0x0000000f0000000f;
    x = (x | x << 14) & 0x0003000300030003;
    return (x | x << 7) & 0x0101010101010101;
}

#define EACH_OF_EIGHT(x) (0x0101010101010101u * (x))

UNIT_INLINE uint64_t load64(const uint8_t *at) {
    return load32(at) | (uint64_t)load32(at + 4) << 32;
}

UNIT_INLINE uint64_t eight_of(const uint8_t *grid, uint32_t index) {
    return load64(grid + EIGHT * index);
}

UNIT_INLINE uint64_t four_and_four(const uint8_t *grid, uint32_t first, uint32_t second) {
    return load32(grid + 4 * first) | (uint64_t)load32(grid + 4 * second) << 32;
}

/* A decoder returns the codes of weights 8 * i to 8 * i + 7 of a block, a byte each. */
typedef uint64_t decode_function(const uint8_t *block, uint32_t i);

/* Codes of IQ2's values: three magnitudes, then three negative ones. */
UNIT_INLINE uint64_t with_signs_of_three(uint64_t magnitudes, uint32_t signs) {
    return magnitudes + 3 * spread_bits(signs);
}

UNIT_INLINE uint64_t decode_iq2_xxs(const uint8_t *block, uint32_t i) {
    const uint8_t *at = block + 2 + 8 * (i / 4);
    uint32_t signs = load32(at + 4) >> 7 * (i % 4) & 127;
    return with_signs_of_three(eight_of(grids[PHX_IQ2_XXS], at[i % 4]), even_signs(signs));
}

UNIT_INLINE uint64_t decode_iq2_xs(const uint8_t *block, uint32_t i) {
    uint32_t both = load16(block + 2 + 2 * i);
    return with_signs_of_three(eight_of(grids[PHX_IQ2_XS], both & 511), even_signs(both >> 9));
}

UNIT_INLINE uint64_t decode_iq2_s(const uint8_t *block, uint32_t i) {
    uint32_t index = block[2 + i] | (block[66 + i / 4] >> 2 * (i % 4) & 3u) << 8;
    return with_signs_of_three(eight_of(grids[PHX_IQ2_S], index), block[34 + i]);
}

UNIT_INLINE uint64_t decode_iq3_xxs(const uint8_t *block, uint32_t i) {
    uint32_t signs = load32(block + 66 + 4 * (i / 4)) >> 7 * (i % 4) & 127;
    return four_and_four(grids[PHX_IQ3_XXS], block[2 + 2 * i], block[3 + 2 * i]) + 8 * spread_bits(even_signs(signs));
}

/* Codes from -15 to 15 in steps of 2: a level from 8 on, or its complement. */
UNIT_INLINE uint64_t decode_iq3_s(const uint8_t *block, uint32_t i) {
    uint32_t high = block[66 + i / 4] >> 2 * (i % 4);
    uint32_t first = block[2 + 2 * i] | (high & 1) << 8, second = block[3 + 2 * i] | (high & 2) << 7;
    uint64_t negative = 15 * spread_bits(block[74 + i]);
    return (four_and_four(grids[PHX_IQ3_S], first, second) | EACH_OF_EIGHT(8)) ^ negative;
}

/* Codes 6 to 11 of IQ2's values: -9 to 9 eighths. */
UNIT_INLINE uint64_t decode_iq1_s(const uint8_t *block, uint32_t i) {
    uint32_t high = load16(block + 34 + 2 * (i / 4));
    uint32_t index = block[2 + i] | (high >> 3 * (i % 4) & 7) << 8;
    return 2 * eight_of(grids[PHX_IQ1_S], index) + EACH_OF_EIGHT(high & 0x8000 ? 6u : 7u);
}

UNIT_INLINE uint64_t decode_iq1_m(const uint8_t *block, uint32_t i) {
    uint32_t high = block[32 + i / 2] >> 4 * (i % 2);
    return 2 * eight_of(grids[PHX_IQ1_S], block[i] | (high & 7) << 8) + EACH_OF_EIGHT(high & 8 ? 6u : 7u);
}

UNIT_INLINE uint64_t decode_nvfp4(const uint8_t *block, uint32_t i) {
    return load64(block + 4 + 8 * (i / 2)) >> 4 * (i % 2) & EACH_OF_EIGHT(15u);
}

/* Blocks of a type with a codebook. */
UNIT_INLINE void write_codebook(uint32_t n_blocks, decode_function *decode, const uint8_t *const block[ROWS],
                                vector *out) {
    for (uint32_t first = 0; first < n_blocks; first++) {
        uint32_t codes[PHX_BLOCK / 4][ROWS];
        for (uint32_t row = 0; row < ROWS; row++) {
            for (uint32_t i = 0; i < PHX_BLOCK / EIGHT; i++) {
                uint64_t eight = decode(block[row], PHX_BLOCK / EIGHT * first + i);
                codes[2 * i][row] = (uint32_t)eight;
                codes[2 * i + 1][row] = (uint32_t)(eight >> 32);
            }
        }
        for (uint32_t j = 0; j < PHX_BLOCK / 4; j++) {
            for (uint32_t i = 0; i < LANES; i++) {
                out[type_IQ2_S.vectors_per_block * first + j][i] = codes[j][i] | codes[j][LANES + i] << 4;
            }
        }
    }
}

#define CODEBOOK(name, n_blocks)                                                                                       \
    UNIT_INLINE void codes_##name(const uint8_t *const block[ROWS], const double *d, vector *out) {                    \
        (void)d;                                                                                                       \
        write_codebook(n_blocks, decode_##name, block, out);                                                           \
    }
CODEBOOK(iq2_xxs, PHX_BLOCKS_OF_SUPER)
CODEBOOK(iq2_xs, PHX_BLOCKS_OF_SUPER)
CODEBOOK(iq2_s, PHX_BLOCKS_OF_SUPER)
CODEBOOK(iq3_xxs, PHX_BLOCKS_OF_SUPER)
CODEBOOK(iq1_s, PHX_BLOCKS_OF_SUPER)
CODEBOOK(iq1_m, PHX_BLOCKS_OF_SUPER)
CODEBOOK(nvfp4, 2)

/* The scales of 16 weights each, in units of the codebook. */

UNIT_INLINE void scales_iq2_xxs(const uint8_t *block, double *d, double *m) {
    double unit = half_of(load16(block)) * 0.125;
    (void)m;
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_SUPER; i++) {
        d[i] = unit * (2 * (block[9 + 8 * (i / 2)] >> 4) + 1);
    }
}

UNIT_INLINE void scales_of_nibbles(const uint8_t *block, const uint8_t *nibbles, double *d) {
    double unit = half_of(load16(block)) * 0.125;
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_SUPER; i++) {
        d[i] = unit * (2 * (nibbles[i / 2] >> 4 * (i % 2) & 15) + 1);
    }
}

UNIT_INLINE void scales_iq2_xs(const uint8_t *block, double *d, double *m) {
    (void)m;
    scales_of_nibbles(block, block + 66, d);
}

UNIT_INLINE void scales_iq2_s(const uint8_t *block, double *d, double *m) {
    (void)m;
    scales_of_nibbles(block, block + 74, d);
}

UNIT_INLINE void scales_iq3_xxs(const uint8_t *block, double *d, double *m) {
    double unit = half_of(load16(block)) * 0.5;
    (void)m;
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_SUPER; i++) {
        d[i] = unit * (2 * (block[69 + 4 * (i / 2)] >> 4) + 1);
    }
}

UNIT_INLINE void scales_iq1_s(const uint8_t *block, double *d, double *m) {
    double unit = half_of(load16(block)) * (1.0 / 32);
    (void)m;
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_SUPER; i++) {
        d[i] = unit * (2 * (block[35 + 2 * (i / 2)] >> 4 & 7) + 1);
    }
}

/* The factor lies in the upper nibbles of four numbers of 16 bits, whose other bits are four small scales each. */
UNIT_INLINE void scales_iq1_m(const uint8_t *block, double *d, double *m) {
    uint64_t four = load64(block + 48);
    double unit = half_of((uint16_t)((four >> 12 & 0xf) | (four >> 24 & 0xf0) | (four >> 36 & 0xf00) |
                                     (four >> 48 & 0xf000))) *
                  (1.0 / 32);
    (void)m;
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_SUPER; i++) {
        d[i] = unit * (double)(2 * (four >> (16 * (i / 4) + 3 * (i % 4)) & 7) + 1);
    }
}

/* Unsigned floats of 4 bits of exponent and 3 of mantissa; half of it, since the table is doubled. */
UNIT_INLINE void scales_nvfp4(const uint8_t *block, double *d, double *m) {
    (void)m;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t exponent = block[i] >> 3 & 15, mantissa = block[i] & 7;
        uint32_t number = exponent ? (8 + mantissa) << (exponent - 1) : mantissa;
        d[i] = block[i] == 0x7f ? 0.0 : number * 0x1p-10;
    }
}

/* Blocks of Q3_K and Q4_K made of others: their codes and small scales. d16 and dm come from scales functions. */

#define Q3_K_BYTES 110
#define Q4_K_BYTES 144

/* The small scale is -32, which a block of Q3_K stores as zero bits. A power of two loses no bit of d16. */
UNIT_INLINE void scales_ternary(const uint8_t *at, double *d, double *m) {
    (void)m;
    d[0] = half_of(load16(at)) * (-1.0 / 32);
}

UNIT_INLINE void scales_tq1_0(const uint8_t *block, double *d, double *m) {
    scales_ternary(block + 52, d, m);
}

UNIT_INLINE void scales_tq2_0(const uint8_t *block, double *d, double *m) {
    scales_ternary(block + 64, d, m);
}

/* Which of four pairs of bits are not 0, in bits 0 to 3. */
UNIT_INLINE uint8_t pairs_not_0(uint8_t pairs) {
    uint32_t bits = (pairs | pairs >> 1) & 0x55u;
    bits = (bits | bits >> 1) & 0x33;
    return (uint8_t)((bits | bits >> 2) & 0x0f);
}

/* Weights -1, 0 and 1 (of TQ2_0 also 2), which `pairs` holds as 0 to 3, as codes 3 to 6. */
UNIT_INLINE void write_ternary(const uint8_t *pairs, uint8_t *made) {
    memset(made + 96, 0, Q3_K_BYTES - 96);
    for (uint32_t i = 0; i < 32; i++) {
        made[i] = (uint8_t)(pairs_not_0(pairs[i]) | pairs_not_0(pairs[32 + i]) << 4);
    }
    for (uint32_t i = 0; i < 64; i++) {
        made[32 + i] = (uint8_t)((~pairs[i] & 0x55) | ((pairs[i] ^ ~(pairs[i] << 1)) & 0xaa));
    }
}

UNIT_INLINE void codes_tq2_0(const uint8_t *const block[ROWS], const double *d, vector *out) {
    uint8_t made[ROWS][Q3_K_BYTES];
    const uint8_t *blocks[ROWS];
    for (uint32_t row = 0; row < ROWS; row++) {
        write_ternary(block[row], made[row]);
        blocks[row] = made[row];
    }
    codes_q3_k(blocks, d, out);
}

/* Digit number n of five in base 3, of a fraction of 8 bits. */
UNIT_INLINE uint32_t ternary_digit(uint8_t fraction, uint32_t n) {
    static const uint8_t powers[] = {1, 3, 9, 27, 81};
    return (uint8_t)(fraction * powers[n]) * 3u >> 8;
}

/* The digits of a block, as TQ2_0 stores them. */
UNIT_INLINE void pairs_of_digits(const uint8_t *block, uint8_t *pairs) {
    uint8_t codes[PHX_SUPER_BLOCK];
    for (uint32_t n = 0; n < 5; n++) {
        for (uint32_t i = 0; i < 32; i++) {
            codes[32 * n + i] = (uint8_t)ternary_digit(block[i], n);
        }
        for (uint32_t i = 0; i < 16; i++) {
            codes[160 + 16 * n + i] = (uint8_t)ternary_digit(block[32 + i], n);
        }
        for (uint32_t i = 0; i < 4 && n < 4; i++) {
            codes[240 + 4 * n + i] = (uint8_t)ternary_digit(block[48 + i], n);
        }
    }
    for (uint32_t i = 0; i < 64; i++) {
        const uint8_t *code = codes + 128 * (i / 32) + i % 32;
        pairs[i] = (uint8_t)(code[0] | code[32] << 2 | code[64] << 4 | code[96] << 6);
    }
}

UNIT_INLINE void codes_tq1_0(const uint8_t *const block[ROWS], const double *d, vector *out) {
    uint8_t made[ROWS][Q3_K_BYTES];
    const uint8_t *blocks[ROWS];
    for (uint32_t row = 0; row < ROWS; row++) {
        uint8_t pairs[64];
        pairs_of_digits(block[row], pairs);
        write_ternary(pairs, made[row]);
        blocks[row] = made[row];
    }
    codes_q3_k(blocks, d, out);
}

UNIT_INLINE void scales_iq3_s(const uint8_t *block, double *d, double *m) {
    d[0] = half_of(load16(block));
    m[0] = -7.5 * d[0];
}

/* A small scale of each of 8 blocks, which is the minimum, too; the upper two bits of numbers 4 to 7 lie above the lower
 * ones. */
UNIT_INLINE void write_equal_scales(const uint8_t *scales, uint8_t *made) {
    for (uint32_t i = 0; i < 4; i++) {
        made[4 + i] = made[8 + i] = (uint8_t)(scales[i] | scales[4 + i] >> 4 << 6);
        made[12 + i] = (uint8_t)((scales[4 + i] & 15) | scales[4 + i] << 4);
    }
}

UNIT_INLINE void write_codes_q4_k(decode_function *decode, const uint8_t *block, uint8_t *made) {
    for (uint32_t i = 0; i < 16; i++) { /* of 8 weights, and the 8 that are 32 further on */
        uint32_t first = i / 4 * 8 + i % 4;
        uint64_t both = decode(block, first) | decode(block, first + 4) << 4;
        memcpy(made + 16 + EIGHT * i, &both, sizeof(both));
    }
}

UNIT_INLINE void codes_iq3_s(const uint8_t *const block[ROWS], const double *d, vector *out) {
    uint8_t made[ROWS][Q4_K_BYTES];
    const uint8_t *blocks[ROWS];
    for (uint32_t row = 0; row < ROWS; row++) {
        uint8_t scales[PHX_BLOCKS_OF_SUPER];
        for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
            scales[i] = (uint8_t)(4 * (block[row][106 + i / 2] >> 4 * (i % 2) & 15) + 2);
        }
        write_equal_scales(scales, made[row]);
        write_codes_q4_k(decode_iq3_s, block[row], made[row]);
        blocks[row] = made[row];
    }
    codes_q4_k(blocks, d, out);
}

#endif
