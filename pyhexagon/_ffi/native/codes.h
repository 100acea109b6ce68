/* SPDX-License-Identifier: MIT
 *
 * The codes of GGUF's blocks as vectors in which rows i and 32 + i share a byte. The parts that types are made of come
 * first; the table in docs/arithmetic.md, section 4, says how they lie.
 */
#ifndef PHX_NATIVE_CODES_H
#define PHX_NATIVE_CODES_H

#include "units.h"

#define EACH_BYTE(x) (0x01010101u * (x))
#define LOW EACH_BYTE(0x0f)
#define PAIRS EACH_BYTE(3)

/* Words whose low and high nibbles belong to two vectors. */
UNIT_INLINE void write_nibbles(const words *both, uint32_t count, vector *low, vector *high) {
    for (uint32_t j = 0; j < count; j++) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t top = both[j][i], bottom = both[j][LANES + i];
            low[j][i] = (top & LOW) | (bottom & LOW) << 4;
            high[j][i] = (top >> 4 & LOW) | (bottom & ~LOW);
        }
    }
}

/* 8 words, each with 2-bit codes of 4 blocks, to 4 vectors of one of them. */
UNIT_INLINE void write_pairs(const words *four, uint32_t block, vector *out) {
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t i = 0; i < LANES; i++) {
            const words *even = &four[2 * v], *odd = even + 1;
            out[v][i] = ((*even)[i] >> 2 * block & PAIRS) | ((*even)[LANES + i] >> 2 * block & PAIRS) << 2 |
                        ((*odd)[i] >> 2 * block & PAIRS) << 4 | ((*odd)[LANES + i] >> 2 * block & PAIRS) << 6;
        }
    }
}

/* 8 words of codes of 5 or 6 bits to 10 or 12 vectors. */
UNIT_INLINE void write_wide(const words *codes, uint32_t bits, vector *out) {
    const uint32_t rest = 2 * bits - 8; /* of rows 32 and more, what does not fit beside the others */
    const uint32_t low = (1u << rest) - 1, high = (1u << bits) - 1 - low, together = 8 / rest;
    for (uint32_t j = 0; j < 8; j++) {
        for (uint32_t i = 0; i < LANES; i++) {
            out[j][i] = codes[j][i] | (codes[j][LANES + i] & EACH_BYTE(high)) << (8 - bits);
        }
    }
    for (uint32_t v = 0; v < rest; v++) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t fields = 0;
            for (uint32_t m = 0; m < together; m++) {
                fields |= (codes[v * together + m][LANES + i] & EACH_BYTE(low)) << rest * m;
            }
            out[8 + v][i] = fields;
        }
    }
}

/* 8 words of codes of 3 bits to 6 vectors. */
UNIT_INLINE void write_threes(const words *codes, vector *out) {
    for (uint32_t part = 0; part < 2; part++) {
        const words *code = &codes[4 * part];
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t last = code[3][i], other = code[3][LANES + i];
            out[3 * part][i] = code[0][i] | code[0][LANES + i] << 3 | (last & PAIRS) << 6;
            out[3 * part + 1][i] = code[1][i] | code[1][LANES + i] << 3 | (other & PAIRS) << 6;
            out[3 * part + 2][i] = code[2][i] | code[2][LANES + i] << 3 | (last & EACH_BYTE(4)) << 4 |
                                   (other & EACH_BYTE(4)) << 5;
        }
    }
}

/* Words with the small scales of 2 blocks, to the same vector of each of 8 blocks, `step` vectors apart. */
UNIT_INLINE void write_small_scales(const words *scales, uint32_t step, vector *out) {
    for (uint32_t block = 0; block < PHX_BLOCKS_OF_SUPER; block++) {
        const words *two = &scales[block / 2];
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t top = (*two)[i] >> 16 * (block % 2) & 0xffff, bottom = (*two)[LANES + i] >> 16 * (block % 2);
            out[step * block][i] = top | bottom << 16;
        }
    }
}

/* Two words with the small scales of eight scale blocks, 6 bits of each byte, to three vectors. Numbers 2 and 5 are sums
 * of what is there, so they get what is missing: number 5's low bits first, on which those of number 2 depend, on which
 * its high ones do. */
UNIT_INLINE void write_three(const words *scales, vector *out) {
    for (uint32_t i = 0; i < LANES; i++) {
        out[0][i] = out[1][i] = out[2][i] = 0;
    }
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t low = scales[0][LANES * half + i], high = scales[1][LANES * half + i];
            uint32_t v0 = (low & 63) << 10 | (low >> 8 & 63), v1 = (low >> 24 & 63) << 10 | (high & 63);
            uint32_t v2 = (high >> 16 & 63) << 10 | (high >> 24 & 63);
            v1 |= (((high >> 8) - phx_scale_of_three(v0, v1, v2, 5)) & 3) << 6;
            uint32_t missing = (low >> 16) - phx_scale_of_three(v0, v1, v2, 2);
            v0 |= (missing & 60) << 4;
            v1 |= (missing & 3) << 8;
            v2 |= (((high >> 8) - phx_scale_of_three(v0, v1, v2, 5)) & 60) << 4;
            out[0][i] |= v0 << 16 * half;
            out[1][i] |= v1 << 16 * half;
            out[2][i] |= v2 << 16 * half;
        }
    }
}

/* The minimums of Q4_K and Q5_K: 4 vectors. */
UNIT_INLINE void write_minimums(const uint8_t *const block[ROWS], vector *out) {
    words both[2];
    gather(block, 8, 2, both);
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t first = both[0][LANES * half + i], second = both[1][LANES * half + i];
            out[2 * half][i] = first & EACH_BYTE(63);
            out[2 * half + 1][i] = (second >> 4 & LOW) | (first >> 6 & PAIRS) << 4;
        }
    }
}

/* The types. */

/* A block whose first 16 codes are low nibbles from byte `first` on, and the others the high ones. */
UNIT_INLINE void nibbles_at(uint32_t first, const uint8_t *const block[ROWS], vector *out) {
    words both[4];
    gather(block, first, 4, both);
    write_nibbles(both, 4, out, out + 4);
}

UNIT_INLINE void codes_q4_0(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    nibbles_at(2, block, out);
}

UNIT_INLINE void codes_q4_1(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    nibbles_at(4, block, out);
}

UNIT_INLINE void codes_mxfp4(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    nibbles_at(1, block, out);
}

/* A block with 32 high bits at byte `first` and the rest of its codes after them, as in nibbles_at. */
UNIT_INLINE void fives_at(uint32_t first, const uint8_t *const block[ROWS], vector *out) {
    words read[5], five[8];
    gather(block, first, 5, read);
    for (uint32_t j = 0; j < 8; j++) {
        for (uint32_t row = 0; row < ROWS; row++) {
            uint32_t four = (read[0][row] >> 4 * j & 15) * 0x02040810; /* bit c to bit 8 * c + 4, among others */
            five[j][row] = (read[1 + j % 4][row] >> 4 * (j / 4) & LOW) | (four & EACH_BYTE(16));
        }
    }
    write_wide(five, 5, out);
}

UNIT_INLINE void codes_q5_0(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    fives_at(2, block, out);
}

UNIT_INLINE void codes_q5_1(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    fives_at(4, block, out);
}

UNIT_INLINE void codes_q8_0(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words codes[8];
    gather(block, 2, 8, codes);
    for (uint32_t j = 0; j < 8; j++) {
        for (uint32_t row = 0; row < ROWS; row++) {
            out[2 * j + row / LANES][row % LANES] = codes[j][row] ^ EACH_BYTE(0x80);
        }
    }
}

UNIT_INLINE void codes_q2_k(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words codes[16], scales[4];
    gather(block, 16, 16, codes);
    gather(block, 0, 4, scales);
    out += type_Q2_K.lead_vectors;
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
        write_pairs(&codes[8 * (i / 4)], i % 4, out + 5 * i);
    }
    write_small_scales(scales, 5, out + 4);
}

UNIT_INLINE void codes_q3_k(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words two[16], bit[8], codes[8], packed[3], scales[4];
    gather(block, 32, 16, two);
    gather(block, 0, 8, bit);
    gather(block, 96, 3, packed);
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
        for (uint32_t j = 0; j < 8; j++) {
            for (uint32_t row = 0; row < ROWS; row++) {
                codes[j][row] = (two[8 * (i / 4) + j][row] >> 2 * (i % 4) & PAIRS) | (bit[j][row] >> i & EACH_BYTE(1))
                                                                                         << 2;
            }
        }
        write_threes(codes, out + phx_block_of_threes(&type_Q3_K, i));
    }
    for (uint32_t quad = 0; quad < 4; quad++) { /* less 32, in 6 bits */
        for (uint32_t row = 0; row < ROWS; row++) {
            uint32_t low = packed[quad % 2][row] >> 4 * (quad / 2) & LOW, high = packed[2][row] >> 2 * quad & PAIRS;
            scales[quad][row] = (low | high << 4) ^ EACH_BYTE(0x20);
        }
    }
    for (uint32_t group = 0; group < 2; group++) {
        const uint32_t first = PHX_BLOCKS_OF_GROUP * group;
        write_three(&scales[2 * group],
                    out + phx_block_of_threes(&type_Q3_K, first) + phx_scales_of_threes(&type_Q3_K, first));
    }
}

/* Small scales of four blocks of two rows: those of two blocks to a vector. */
UNIT_INLINE void write_two_pairs(uint32_t top, uint32_t bottom, uint32_t i, vector *out) {
    out[0][i] = (top & 0xffff) | bottom << 16;
    out[1][i] = top >> 16 | (bottom & 0xffff0000);
}

/* The scales and minimums of Q4_K and Q5_K, to what lies in front of two groups of so many vectors and behind them. */
UNIT_INLINE void write_six_bits(const uint8_t *const block[ROWS], vector *out, uint32_t group) {
    words packed[3];
    gather(block, 4, 3, packed);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t top = packed[0][i] & EACH_BYTE(63), bottom = packed[0][LANES + i] & EACH_BYTE(63);
        write_two_pairs(top, bottom, i, out);
        top = (packed[2][i] & LOW) | (packed[0][i] >> 6 & PAIRS) << 4;
        bottom = (packed[2][LANES + i] & LOW) | (packed[0][LANES + i] >> 6 & PAIRS) << 4;
        write_two_pairs(top, bottom, i, out + group);
    }
    write_minimums(block, out + 2 * group);
}

UNIT_INLINE void codes_q4_k(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words both[8];
    for (uint32_t two = 0; two < 4; two++) { /* blocks; behind two vectors of scales, or four of both groups */
        vector *first = out + type_Q4_K.group_vectors * (two / 2 + 1) + 16 * two;
        gather(block, 16 + 32 * two, 8, both);
        write_nibbles(both, 8, first, first + 8);
    }
    write_six_bits(block, out, 34);
}

UNIT_INLINE void codes_q5_k(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words low[8], bit[8], codes[8];
    gather(block, 16, 8, bit);
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
        if (i % 2 == 0) {
            gather(block, 48 + 16 * i, 8, low);
        }
        for (uint32_t j = 0; j < 8; j++) {
            for (uint32_t row = 0; row < ROWS; row++) {
                codes[j][row] = (low[j][row] >> 4 * (i % 2) & LOW) | (bit[j][row] >> i & EACH_BYTE(1)) << 4;
            }
        }
        write_wide(codes, 5, out + type_Q5_K.group_vectors * (i / 4 + 1) + 10 * i);
    }
    write_six_bits(block, out, 42);
}

UNIT_INLINE void codes_q6_k(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words low[16], two[8], codes[8], scales[4];
    out += type_Q6_K.lead_vectors;
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
        if (i % 4 == 0) {
            gather(block, 16 * i, 16, low);
            gather(block, 128 + 8 * i, 8, two);
        }
        for (uint32_t j = 0; j < 8; j++) {
            for (uint32_t row = 0; row < ROWS; row++) {
                uint32_t high = two[j][row] >> 2 * (i % 4) & PAIRS;
                codes[j][row] = (low[8 * (i % 2) + j][row] >> 4 * (i % 4 / 2) & LOW) | high << 4;
            }
        }
        write_wide(codes, 6, out + 13 * i);
    }
    gather(block, 192, 4, scales);
    write_small_scales(scales, 13, out + 12);
}

/* Eight fields of a word, a byte each. */

UNIT_INLINE uint64_t spread_nibbles(uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    return (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
}

UNIT_INLINE uint64_t spread_pairs(uint64_t x) {
    x = (x | x << 24) & 0x000000ff000000ff;
    x = (x | x << 12) & 0x000f000f000f000f;
    return (x | x << 6) & 0x0303030303030303;
}

UNIT_INLINE void codes_iq4_xs(const uint8_t *const block[ROWS], const double *d, vector *out) {
    (void)d;
    words both[4], packed[2], scales[2];
    gather(block, 0, 2, packed);
    for (uint32_t row = 0; row < ROWS; row++) { /* less 32, in 6 bits */
        uint64_t low = spread_nibbles(packed[1][row]), high = spread_pairs(packed[0][row] >> 16), all = low | high << 4;
        scales[0][row] = (uint32_t)all ^ EACH_BYTE(0x20);
        scales[1][row] = (uint32_t)(all >> 32) ^ EACH_BYTE(0x20);
    }
    for (uint32_t i = 0; i < LANES; i++) {
        write_two_pairs(scales[0][i], scales[0][LANES + i], i, out);
        write_two_pairs(scales[1][i], scales[1][LANES + i], i, out + 2);
    }
    out += type_IQ4_XS.lead_vectors;
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
        gather(block, 8 + 16 * i, 4, both);
        write_nibbles(both, 4, out + 8 * i, out + 8 * i + 4);
    }
}

/* 32 floats as 16 words of a row. */
UNIT_INLINE void write_floats(const float *x, double d, uint32_t row, vector *out) {
    int16_t codes[PHX_BLOCK];
    round_floats(x, d, codes);
    for (uint32_t j = 0; j < PHX_BLOCK / 2; j++) {
        out[2 * j + row / LANES][row % LANES] = (uint16_t)codes[2 * j] | (uint32_t)(uint16_t)codes[2 * j + 1] << 16;
    }
}

UNIT_INLINE void codes_f32(const uint8_t *const block[ROWS], const double *d, vector *out) {
    for (uint32_t row = 0; row < ROWS; row++) {
        float x[PHX_BLOCK];
        memcpy(x, block[row], sizeof(x));
        write_floats(x, d[row], row, out);
    }
}

UNIT_INLINE void codes_f16(const uint8_t *const block[ROWS], const double *d, vector *out) {
    for (uint32_t row = 0; row < ROWS; row++) {
        float x[PHX_BLOCK];
        floats_of_f16(block[row], x);
        write_floats(x, d[row], row, out);
    }
}

UNIT_INLINE void codes_bf16(const uint8_t *const block[ROWS], const double *d, vector *out) {
    for (uint32_t row = 0; row < ROWS; row++) {
        float x[PHX_BLOCK];
        floats_of_bf16(block[row], x);
        write_floats(x, d[row], row, out);
    }
}

#endif
