/* SPDX-License-Identifier: MIT
 *
 * Weight tiles taken apart. A vector is 128 bytes; byte 4*i + c of it belongs to row i (or 32 + i) and to k = 4*j + c.
 * The parts that types are made of come first, each returning where the next one starts; then the types.
 */
#include "tiles.h"

#include "fixed.h"

#define HALF (PHX_TILE_ROWS / 2)

static int16_t read_i16(const uint8_t *from) {
    return (int16_t)(from[0] | from[1] << 8);
}

/* Number 2*i is row i's, 2*i + 1 row 32 + i's. */
static const uint8_t *unpack_scales(const uint8_t *from, int16_t scale[PHX_TILE_ROWS]) {
    for (int i = 0; i < HALF; i++) {
        scale[i] = read_i16(from + 4 * i);
        scale[HALF + i] = read_i16(from + 4 * i + 2);
    }
    return from + PHX_VECTOR;
}

/* 8 vectors: low nibbles row i, high nibbles row 32 + i, each to be looked up. */
static const uint8_t *unpack_looked_up(const uint8_t *from, struct ref_block *block, const int8_t values[16]) {
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 4; c++) {
                block->w[4 * j + c][i] = values[from[4 * i + c] & 15];
                block->w[4 * j + c][HALF + i] = values[from[4 * i + c] >> 4];
            }
        }
    }
    return from;
}

static const uint8_t *unpack_nibbles(const uint8_t *from, struct ref_block *block, int offset) {
    int8_t values[16];
    for (int code = 0; code < 16; code++) {
        values[code] = (int8_t)(code - offset);
    }
    return unpack_looked_up(from, block, values);
}

/* 4 vectors of 2 bits, each for two j. */
static const uint8_t *unpack_bit_pairs(const uint8_t *from, struct ref_block *block) {
    for (int v = 0; v < 4; v++, from += PHX_VECTOR) {
        for (int part = 0; part < 4; part++) { /* bits 0-1: row i, j = 2*v; 2-3: row 32 + i; 4-7: j = 2*v + 1 */
            for (int i = 0; i < HALF; i++) {
                for (int c = 0; c < 4; c++) {
                    block->w[8 * v + 4 * (part >> 1) + c][HALF * (part & 1) + i] = from[4 * i + c] >> 2 * part & 3;
                }
            }
        }
    }
    return from;
}

/* Codes of 5 or 6 bits in 10 or 12 vectors: of row 32 + i the high bits beside row i's code, the low ones at the end. */
static const uint8_t *unpack_wide(const uint8_t *from, struct ref_block *block, int bits, int offset) {
    const uint8_t *rest = from + 8 * PHX_VECTOR;
    int rest_bits = 2 * bits - 8, in_byte = 8 / rest_bits;
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += PHX_VECTOR) {
        for (int at = 0; at < PHX_VECTOR; at++) {
            int low = rest[j / in_byte * PHX_VECTOR + at] >> rest_bits * (j % in_byte) & ((1 << rest_bits) - 1);
            int16_t *w = &block->w[4 * j + at % 4][at / 4];
            w[0] = (int16_t)((from[at] & ((1 << bits) - 1)) - offset);
            w[HALF] = (int16_t)((from[at] >> bits << rest_bits) + low - offset);
        }
    }
    return rest + rest_bits * PHX_VECTOR;
}

/* Codes of 3 bits, 3 vectors for four j; the fourth one's lie on top of the others. */
static const uint8_t *unpack_threes(const uint8_t *from, struct ref_block *block, int offset) {
    for (int j = 0; j < PHX_BLOCK / 4; j += 4, from += 3 * PHX_VECTOR) {
        for (int at = 0; at < PHX_VECTOR; at++) {
            int16_t *w = &block->w[4 * j + at % 4][at / 4];
            for (int v = 0; v < 3; v++) {
                w[4 * v * PHX_TILE_ROWS] = (int16_t)((from[v * PHX_VECTOR + at] & 7) - offset);
                w[4 * v * PHX_TILE_ROWS + HALF] = (int16_t)((from[v * PHX_VECTOR + at] >> 3 & 7) - offset);
            }
            int top = from[2 * PHX_VECTOR + at] >> 6;
            w[12 * PHX_TILE_ROWS] = (int16_t)((from[at] >> 6 | (top & 1) << 2) - offset);
            w[12 * PHX_TILE_ROWS + HALF] = (int16_t)((from[PHX_VECTOR + at] >> 6 | (top & 2) << 1) - offset);
        }
    }
    return from;
}

/* 4 vectors: rows 0..31 with blocks 0..3 and 4..7, rows 32..63 likewise; then dm. */
static const uint8_t *unpack_minimums(const uint8_t *from, struct ref_block *block) {
    for (int half = 0; half < 2; half++) {
        for (int first = 0; first < REF_SUPER_BLOCK; first += 4, from += PHX_VECTOR) {
            for (int i = 0; i < HALF; i++) {
                for (int c = 0; c < 4; c++) {
                    block->minimums[first + c][half * HALF + i] = from[4 * i + c];
                }
            }
        }
    }
    return unpack_scales(from, block->dm);
}

static const uint8_t *unpack_float(const uint8_t *from, uint32_t i_block, struct ref_block *block) {
    (void)i_block;
    for (int j = 0; j < PHX_BLOCK / 2; j++, from += 2 * PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 2; c++) {
                block->w[2 * j + c][i] = read_i16(from + 4 * i + 2 * c);
                block->w[2 * j + c][HALF + i] = read_i16(from + PHX_VECTOR + 4 * i + 2 * c);
            }
        }
    }
    return unpack_scales(from, block->scale[0]);
}

static const uint8_t *unpack_q4_0(const uint8_t *from, uint32_t i, struct ref_block *block) {
    (void)i;
    return unpack_scales(unpack_nibbles(from, block, 8), block->scale[0]);
}

static const uint8_t *unpack_q4_1(const uint8_t *from, uint32_t i, struct ref_block *block) {
    return unpack_scales(unpack_q4_0(from, i, block), block->minimum);
}

static const uint8_t *unpack_q5_0(const uint8_t *from, uint32_t i, struct ref_block *block) {
    (void)i;
    return unpack_scales(unpack_wide(from, block, 5, 16), block->scale[0]);
}

static const uint8_t *unpack_q5_1(const uint8_t *from, uint32_t i, struct ref_block *block) {
    return unpack_scales(unpack_q5_0(from, i, block), block->minimum);
}

static const uint8_t *unpack_q8_0(const uint8_t *from, uint32_t i_block, struct ref_block *block) {
    (void)i_block;
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += 2 * PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 4; c++) {
                block->w[4 * j + c][i] = (int16_t)(from[4 * i + c] - 128);
                block->w[4 * j + c][HALF + i] = (int16_t)(from[PHX_VECTOR + 4 * i + c] - 128);
            }
        }
    }
    return unpack_scales(from, block->scale[0]);
}

/* The byte of row 32*h + i and of one half of the block: 4*i + 2*h + half. */
static int small_scale(const uint8_t *from, int r, int half) {
    return from[4 * (r % HALF) + 2 * (r / HALF) + half];
}

static const uint8_t *unpack_q2_k(const uint8_t *from, uint32_t i, struct ref_block *block) {
    if (i == 0) {
        from = unpack_scales(unpack_scales(from, block->d), block->dm);
    }
    from = unpack_bit_pairs(from, block);
    for (int half = 0; half < 2; half++) {
        for (int r = 0; r < PHX_TILE_ROWS; r++) {
            int byte = small_scale(from, r, half);
            block->scale[half][r] = (int16_t)mpyr(block->d[r], (byte & 15) * 2048);
            block->minimums[2 * i + (uint32_t)half][r] = (uint8_t)(byte >> 4);
        }
    }
    return from + PHX_VECTOR;
}

static const uint8_t *unpack_q3_k(const uint8_t *from, uint32_t i, struct ref_block *block) {
    if (i == 0) {
        from = unpack_scales(from, block->d);
    }
    from = unpack_threes(from, block, 4);
    for (int half = 0; half < 2; half++) {
        for (int r = 0; r < PHX_TILE_ROWS; r++) {
            int sc = ((small_scale(from, r, half) & 63) ^ 32) - 32; /* 6 bits, signed */
            block->scale[half][r] = (int16_t)mpyr(block->d[r], sc * 1024);
        }
    }
    return from + PHX_VECTOR;
}

static const uint8_t *unpack_q4_k(const uint8_t *from, uint32_t i, struct ref_block *block) {
    from = unpack_scales(unpack_nibbles(from, block, 0), block->scale[0]);
    return i + 1 == REF_SUPER_BLOCK ? unpack_minimums(from, block) : from;
}

static const uint8_t *unpack_q5_k(const uint8_t *from, uint32_t i, struct ref_block *block) {
    from = unpack_scales(unpack_wide(from, block, 5, 0), block->scale[0]);
    return i + 1 == REF_SUPER_BLOCK ? unpack_minimums(from, block) : from;
}

static const uint8_t *unpack_q6_k(const uint8_t *from, uint32_t i, struct ref_block *block) {
    (void)i;
    from = unpack_wide(from, block, 6, 32);
    return unpack_scales(unpack_scales(from, block->scale[0]), block->scale[1]);
}

static const uint8_t *unpack_iq4(const uint8_t *from, uint32_t i, struct ref_block *block) {
    static const int8_t values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    (void)i;
    return unpack_scales(unpack_looked_up(from, block, values), block->scale[0]);
}

static const uint8_t *unpack_mxfp4(const uint8_t *from, uint32_t i, struct ref_block *block) {
    static const int8_t values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    (void)i;
    return unpack_scales(unpack_looked_up(from, block, values), block->scale[0]);
}

const struct ref_type *ref_type_of(uint32_t dtype) {
    static const struct ref_type types[] = {
        [PHX_F32] = {15, 1, false, true, REF_NO_MINIMUMS, 0, unpack_float},
        [PHX_F16] = {15, 1, false, true, REF_NO_MINIMUMS, 0, unpack_float},
        [PHX_BF16] = {15, 1, false, true, REF_NO_MINIMUMS, 0, unpack_float},
        [PHX_Q4_0] = {0, 1, false, false, REF_NO_MINIMUMS, 0, unpack_q4_0},
        [PHX_Q4_1] = {0, 1, false, false, REF_BLOCK_MINIMUMS, 0, unpack_q4_1},
        [PHX_Q5_0] = {1, 1, false, false, REF_NO_MINIMUMS, 0, unpack_q5_0},
        [PHX_Q5_1] = {1, 1, true, false, REF_BLOCK_MINIMUMS, 0, unpack_q5_1},
        [PHX_Q8_0] = {4, 1, false, false, REF_NO_MINIMUMS, 0, unpack_q8_0},
        [PHX_Q2_K] = {0, 2, false, false, REF_SUPER_MINIMUMS, 7, unpack_q2_k},
        [PHX_Q3_K] = {0, 2, false, false, REF_NO_MINIMUMS, 0, unpack_q3_k},
        [PHX_Q4_K] = {1, 1, true, false, REF_SUPER_MINIMUMS, 9, unpack_q4_k},
        [PHX_Q5_K] = {2, 1, true, false, REF_SUPER_MINIMUMS, 9, unpack_q5_k},
        [PHX_Q6_K] = {1, 2, false, false, REF_NO_MINIMUMS, 0, unpack_q6_k},
        [PHX_IQ4_NL] = {4, 1, false, false, REF_NO_MINIMUMS, 0, unpack_iq4},
        [PHX_IQ4_XS] = {4, 1, false, false, REF_NO_MINIMUMS, 0, unpack_iq4},
        [PHX_MXFP4] = {1, 1, true, false, REF_NO_MINIMUMS, 0, unpack_mxfp4},
    };
    return dtype < sizeof(types) / sizeof(types[0]) && types[dtype].unpack ? &types[dtype] : NULL;
}

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row) {
    const uint8_t *word = tile + 4 * row;
    return (struct ref_row_entry){read_i16(word), word[2] & 31, word[3] & 31};
}
