/* SPDX-License-Identifier: MIT
 *
 * Weight tiles taken apart. A vector is 128 bytes; byte 4*i + c of it belongs to row i (or 32 + i) and to k = 4*j + c.
 */
#include "tiles.h"

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

/* 8 vectors: low nibbles row i, high nibbles row 32 + i. */
static const uint8_t *unpack_nibbles(const uint8_t *from, struct ref_block *block, int offset) {
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 4; c++) {
                block->w[4 * j + c][i] = (int16_t)((from[4 * i + c] & 15) - offset);
                block->w[4 * j + c][HALF + i] = (int16_t)((from[4 * i + c] >> 4) - offset);
            }
        }
    }
    return from;
}

static const uint8_t *unpack_q4_0(const uint8_t *from, struct ref_block *block) {
    return unpack_scales(unpack_nibbles(from, block, 8), block->scale[0]);
}

static const uint8_t *unpack_q4_k(const uint8_t *from, struct ref_block *block) {
    return unpack_scales(unpack_nibbles(from, block, 0), block->scale[0]);
}

static const uint8_t *unpack_q8_0(const uint8_t *from, struct ref_block *block) {
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

/* Low 4 bits as nibbles, then 4 vectors of the high 2 bits, each for two j. */
static const uint8_t *unpack_q6_k(const uint8_t *from, struct ref_block *block) {
    from = unpack_nibbles(from, block, 32);
    for (int v = 0; v < 4; v++, from += PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 4; c++) {
                int bits = from[4 * i + c];
                block->w[8 * v + c][i] = (int16_t)(block->w[8 * v + c][i] + ((bits & 3) << 4));
                block->w[8 * v + c][HALF + i] = (int16_t)(block->w[8 * v + c][HALF + i] + ((bits >> 2 & 3) << 4));
                block->w[8 * v + 4 + c][i] = (int16_t)(block->w[8 * v + 4 + c][i] + ((bits >> 4 & 3) << 4));
                block->w[8 * v + 4 + c][HALF + i] = (int16_t)(block->w[8 * v + 4 + c][HALF + i] + (bits >> 6 << 4));
            }
        }
    }
    return unpack_scales(unpack_scales(from, block->scale[0]), block->scale[1]);
}

static const uint8_t *unpack_float(const uint8_t *from, struct ref_block *block) {
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

const struct ref_type *ref_type_of(uint32_t dtype) {
    static const struct ref_type q4_0 = {0, 1, false, unpack_q4_0};
    static const struct ref_type q8_0 = {4, 1, false, unpack_q8_0};
    static const struct ref_type q4_k = {1, 1, true, unpack_q4_k};
    static const struct ref_type q6_k = {1, 2, false, unpack_q6_k};
    static const struct ref_type f16_f32 = {15, 1, false, unpack_float};
    switch (dtype) {
    case PHX_Q4_0:
        return &q4_0;
    case PHX_Q8_0:
        return &q8_0;
    case PHX_Q4_K:
        return &q4_k;
    case PHX_Q6_K:
        return &q6_k;
    case PHX_F16:
    case PHX_F32:
        return &f16_f32;
    default:
        return NULL;
    }
}

/* 4 vectors: rows 0..31 with blocks 0..3 and 4..7, rows 32..63 likewise. */
const uint8_t *ref_unpack_minimums(const uint8_t *from, struct ref_minimums *minimums) {
    for (int half = 0; half < 2; half++) {
        for (int block = 0; block < 8; block += 4, from += PHX_VECTOR) {
            for (int i = 0; i < HALF; i++) {
                for (int c = 0; c < 4; c++) {
                    minimums->min[half * HALF + i][block + c] = from[4 * i + c];
                }
            }
        }
    }
    return unpack_scales(from, minimums->dm);
}

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row) {
    const uint8_t *word = tile + 4 * row;
    return (struct ref_row_entry){read_i16(word), word[2] & 31, word[3] & 31};
}
