/* SPDX-License-Identifier: MIT
 *
 * Unpacks weight tiles. A vector is 128 bytes; byte 4*i + c of it belongs to row i (or 32 + i) and to k = 4*j + c. The
 * functions for parts of a block come first, each of which returns the address of the next part; then the function for
 * a block of any type. Parts shared by several types exist once in the skel, since a reference need not be fast.
 */
#include "tiles.h"

#include "fixed.h"
#include "runtime/libc.h"

#define HALF (PHX_TILE_ROWS / 2)

static int16_t read_i16(const uint8_t *from) {
    return (int16_t)(from[0] | from[1] << 8);
}

/* Number 2*i is row i's, 2*i + 1 row 32 + i's. */
static __attribute__((noinline)) const uint8_t *unpack_scales(const uint8_t *from, int16_t scale[PHX_TILE_ROWS]) {
    for (int i = 0; i < HALF; i++) {
        scale[i] = read_i16(from + 4 * i);
        scale[HALF + i] = read_i16(from + 4 * i + 2);
    }
    return from + PHX_VECTOR;
}

/* Unpacks the scale of block i of four: 2^14 shifted right by its nibble; a nibble of 15 gives 0. */
static void unpack_powers(struct ref_block *block, uint32_t i) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        block->sc[0][r] = (int8_t)(block->powers[r] >> 4 * i & 15);
        block->scale[0][r] = (int16_t)(1 << 14 >> block->sc[0][r]);
    }
}

/* Unpacks 8 vectors through a lookup table: low nibbles of row i, high nibbles of row 32 + i. */
static __attribute__((noinline)) const uint8_t *unpack_looked_up(const uint8_t *from, struct ref_block *block,
                                                                 const int8_t values[16]) {
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

static const uint8_t *unpack_nibbles(const uint8_t *from, struct ref_block *block, int centre) {
    int8_t values[16];
    for (int code = 0; code < 16; code++) {
        values[code] = (int8_t)(code - centre);
    }
    return unpack_looked_up(from, block, values);
}

static const uint8_t *unpack_iq4(const uint8_t *from, struct ref_block *block, int centre) {
    static const int8_t values[16] = {PHX_IQ4_VALUES};
    (void)centre;
    return unpack_looked_up(from, block, values);
}

static const uint8_t *unpack_mxfp4(const uint8_t *from, struct ref_block *block, int centre) {
    static const int8_t values[16] = {PHX_MXFP4_VALUES};
    (void)centre;
    return unpack_looked_up(from, block, values);
}

static const uint8_t *unpack_iq3(const uint8_t *from, struct ref_block *block, int centre) {
    static const int8_t values[16] = {PHX_IQ3_VALUES};
    (void)centre;
    return unpack_looked_up(from, block, values);
}

static const uint8_t *unpack_iq2(const uint8_t *from, struct ref_block *block, int centre) {
    static const int8_t values[16] = {PHX_IQ2_VALUES};
    (void)centre;
    return unpack_looked_up(from, block, values);
}

/* Unpacks 4 vectors of 2-bit codes, two j per vector. */
static const uint8_t *unpack_bit_pairs(const uint8_t *from, struct ref_block *block, int centre) {
    for (int v = 0; v < 4; v++, from += PHX_VECTOR) {
        for (int part = 0; part < 4; part++) { /* bits 0-1: row i, j = 2*v; 2-3: row 32 + i; 4-7: j = 2*v + 1 */
            for (int i = 0; i < HALF; i++) {
                for (int c = 0; c < 4; c++) {
                    int code = from[4 * i + c] >> 2 * part & 3;
                    block->w[8 * v + 4 * (part >> 1) + c][HALF * (part & 1) + i] = (int16_t)(code - centre);
                }
            }
        }
    }
    return from;
}

/* Unpacks 5- or 6-bit codes in 10 or 12 vectors: the high bits of row 32 + i share a byte with row i's code, the low
 * ones are at the end. */
static __attribute__((noinline)) const uint8_t *unpack_wide(const uint8_t *from, struct ref_block *block, int bits,
                                                            int centre) {
    const uint8_t *rest = from + 8 * PHX_VECTOR;
    int rest_bits = 2 * bits - 8, in_byte = 8 / rest_bits;
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += PHX_VECTOR) {
        for (int at = 0; at < PHX_VECTOR; at++) {
            int low = rest[j / in_byte * PHX_VECTOR + at] >> rest_bits * (j % in_byte) & ((1 << rest_bits) - 1);
            int16_t *w = &block->w[4 * j + at % 4][at / 4];
            w[0] = (int16_t)((from[at] & ((1 << bits) - 1)) - centre);
            w[HALF] = (int16_t)((from[at] >> bits << rest_bits) + low - centre);
        }
    }
    return rest + rest_bits * PHX_VECTOR;
}

static const uint8_t *unpack_fives(const uint8_t *from, struct ref_block *block, int centre) {
    return unpack_wide(from, block, 5, centre);
}

static const uint8_t *unpack_sixes(const uint8_t *from, struct ref_block *block, int centre) {
    return unpack_wide(from, block, 6, centre);
}

/* Unpacks 3-bit codes, 3 vectors for four j; the fourth j's codes are in the top bits of the others. */
static const uint8_t *unpack_threes(const uint8_t *from, struct ref_block *block, int centre) {
    for (int j = 0; j < PHX_BLOCK / 4; j += 4, from += 3 * PHX_VECTOR) {
        for (int at = 0; at < PHX_VECTOR; at++) {
            int16_t *w = &block->w[4 * j + at % 4][at / 4];
            for (int v = 0; v < 3; v++) {
                w[4 * v * PHX_TILE_ROWS] = (int16_t)((from[v * PHX_VECTOR + at] & 7) - centre);
                w[4 * v * PHX_TILE_ROWS + HALF] = (int16_t)((from[v * PHX_VECTOR + at] >> 3 & 7) - centre);
            }
            int top = from[2 * PHX_VECTOR + at] >> 6;
            w[12 * PHX_TILE_ROWS] = (int16_t)((from[at] >> 6 | (top & 1) << 2) - centre);
            w[12 * PHX_TILE_ROWS + HALF] = (int16_t)((from[PHX_VECTOR + at] >> 6 | (top & 2) << 1) - centre);
        }
    }
    return from;
}

/* Unpacks 16 vectors: for each j rows 0..31, then rows 32..63. */
static const uint8_t *unpack_bytes(const uint8_t *from, struct ref_block *block, int centre) {
    for (int j = 0; j < PHX_BLOCK / 4; j++, from += 2 * PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 4; c++) {
                block->w[4 * j + c][i] = (int16_t)(from[4 * i + c] - centre);
                block->w[4 * j + c][HALF + i] = (int16_t)(from[PHX_VECTOR + 4 * i + c] - centre);
            }
        }
    }
    return from;
}

/* Unpacks 32 vectors of int16 in the same order, two k per vector. */
static const uint8_t *unpack_floats(const uint8_t *from, struct ref_block *block, int centre) {
    (void)centre;
    for (int j = 0; j < PHX_BLOCK / 2; j++, from += 2 * PHX_VECTOR) {
        for (int i = 0; i < HALF; i++) {
            for (int c = 0; c < 2; c++) {
                block->w[2 * j + c][i] = read_i16(from + 4 * i + 2 * c);
                block->w[2 * j + c][HALF + i] = read_i16(from + PHX_VECTOR + 4 * i + 2 * c);
            }
        }
    }
    return from;
}

/* Reads a number that is spread over two vectors and two more. */
static int16_t read_spread(const uint8_t *from, const uint8_t *more) {
    return phx_spread_number(read_i16(from), read_i16(from + PHX_VECTOR), read_i16(more), read_i16(more + PHX_VECTOR));
}

/* Unpacks d16 from two vectors and two more; their lower six bits hold the scales of two blocks each. */
static __attribute__((noinline)) void unpack_d(const uint8_t *from, const uint8_t *more, int16_t d[PHX_TILE_ROWS]) {
    for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
        uint32_t number = 4 * (r % HALF) + 2 * (r / HALF);
        d[r] = read_spread(from + number, more + number);
    }
}

/* Unpacks, for the 8 blocks of a type with PHX_MINIMUMS_IN_SUMS, the parts that occupy four vectors each: minimums
 * behind the blocks, and scales of two blocks per vector. The upper two bits of their bytes hold the super-block
 * factors. */
static void unpack_spread(const struct phx_weight_type *type, const uint8_t *from, struct ref_block *block) {
    const uint8_t *minimums = from + (phx_super_vectors(type) - 4) * PHX_VECTOR;
    uint32_t group = (type->group_vectors + PHX_BLOCKS_OF_GROUP * type->vectors_per_block) * PHX_VECTOR;
    unpack_d(from, from + group, block->d);
    for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
        uint32_t half = r / HALF, at = 4 * (r % HALF), number = at + 2 * half;
        block->dm[r] = read_spread(minimums + number, minimums + 2 * PHX_VECTOR + number);
        for (uint32_t i = 0; i < PHX_BLOCKS_OF_SUPER; i++) {
            block->minimums[i][r] = minimums[(2 * half + i / 4) * PHX_VECTOR + at + i % 4] & 63;
        }
    }
}

/* Returns a scale from a signed 6-bit small scale. */
static int16_t of_six_bits(int16_t d, int byte) {
    return (int16_t)mpyr(d, (((byte & 63) ^ 32) - 32) * 1024);
}

/* Unpacks the small scales of four blocks. */
static __attribute__((noinline)) const uint8_t *unpack_six_bits(const uint8_t *from, int8_t scs[][PHX_TILE_ROWS]) {
    for (uint32_t i = 0; i < PHX_BLOCKS_OF_GROUP; i++) {
        for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
            scs[i][r] = from[i / 2 * PHX_VECTOR + 4 * (r % HALF) + 2 * (r / HALF) + i % 2] & 63;
        }
    }
    return from + 2 * PHX_VECTOR;
}

/* Unpacks a vector with the small scales of block i of its super-block: byte 4*i + 2*h + half belongs to row 32*h +
 * i. */
static const uint8_t *unpack_small_scales(const struct phx_weight_type *type, const uint8_t *from, uint32_t i,
                                          struct ref_block *block) {
    for (uint32_t half = 0; half < 2; half++) {
        for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
            int byte = from[4 * (r % HALF) + 2 * (r / HALF) + half];
            if (type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) { /* 4 bits each */
                block->scale[half][r] = (int16_t)mpyr(block->d[r], (byte & 15) * 2048);
                block->minimums[2 * i + half][r] = (uint8_t)(byte >> 4);
            } else {
                block->sc[half][r] = (int8_t)byte;
                block->scale[half][r] = (int16_t)mpyr(block->d[r], (int8_t)byte * 256);
            }
        }
    }
    return from + PHX_VECTOR;
}

/* Unpacks the scales of block i of its super-block, which are stored before or behind it. */
static void unpack_threes_scales(const struct phx_weight_type *type, const uint8_t *from, uint32_t i,
                                 struct ref_block *block) {
    const uint8_t *three = from + phx_scales_of_threes(type, i) * PHX_VECTOR;
    for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
        uint32_t at = 4 * (r % HALF) + 2 * (r / HALF), v[3];
        for (uint32_t j = 0; j < 3; j++) {
            v[j] = (uint16_t)read_i16(three + j * PHX_VECTOR + at);
        }
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t sc = phx_scale_of_three(v[0], v[1], v[2], i % PHX_BLOCKS_OF_GROUP * 2 + half);
            block->scale[half][r] = of_six_bits(block->d[r], (int)sc);
        }
    }
}

/* Unpacks the scales before a super-block. */
static const uint8_t *unpack_leading_scales(const uint8_t *from, struct ref_block *block) {
    const uint8_t *more = from + 2 * PHX_VECTOR;
    unpack_d(from, more, block->d);
    unpack_six_bits(from, block->scs);
    return unpack_six_bits(more, block->scs + PHX_BLOCKS_OF_GROUP);
}

typedef const uint8_t *unpack_codes(const uint8_t *from, struct ref_block *block, int centre);

static unpack_codes *const codes_of[PHX_N_WEIGHT_TYPES] = {
    [PHX_F32] = unpack_floats,     [PHX_F16] = unpack_floats,  [PHX_BF16] = unpack_floats,  [PHX_Q4_0] = unpack_nibbles,
    [PHX_Q4_1] = unpack_nibbles,   [PHX_Q5_0] = unpack_fives,  [PHX_Q5_1] = unpack_fives,   [PHX_Q8_0] = unpack_bytes,
    [PHX_Q2_K] = unpack_bit_pairs, [PHX_Q3_K] = unpack_threes, [PHX_Q4_K] = unpack_nibbles, [PHX_Q5_K] = unpack_fives,
    [PHX_Q6_K] = unpack_sixes,     [PHX_IQ4_NL] = unpack_iq4,  [PHX_IQ4_XS] = unpack_iq4,   [PHX_MXFP4] = unpack_mxfp4,
    [PHX_IQ3_XXS] = unpack_iq3,    [PHX_IQ2_S] = unpack_iq2,   [PHX_NVFP4] = unpack_mxfp4,
};

const uint8_t *ref_unpack(uint32_t dtype, const uint8_t *from, uint32_t i, struct ref_block *block) {
    const struct phx_weight_type *type = &phx_weight_types[dtype];
    if (phx_leads_with_scales(type)) {
        from = i == 0 ? unpack_leading_scales(from, block) : from;
        for (uint32_t r = 0; r < PHX_TILE_ROWS; r++) {
            block->scale[0][r] = of_six_bits(block->d[r], block->scs[i][r]);
        }
        return codes_of[dtype](from, block, type->centre);
    }
    if (i == 0 && type->lead_vectors > 0) {
        from = unpack_scales(from, block->d);
        from = type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS ? unpack_scales(from, block->dm) : from;
    }
    if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
        if (i == 0) {
            unpack_spread(type, from, block);
        }
        from = i % PHX_BLOCKS_OF_GROUP == 0 ? unpack_six_bits(from, block->scs) : from;
        memcpy(block->sc[0], block->scs[i % PHX_BLOCKS_OF_GROUP], sizeof(block->sc[0]));
        from = codes_of[dtype](from, block, type->centre);
        return i + 1 == PHX_BLOCKS_OF_SUPER ? from + type->trail_vectors * PHX_VECTOR : from;
    }
    if (phx_has_threes(type)) {
        unpack_threes_scales(type, from, i, block);
        from = codes_of[dtype](from, block, type->centre);
        return i % PHX_BLOCKS_OF_GROUP == 1 ? from + type->group_vectors * PHX_VECTOR : from;
    }
    if (i % PHX_BLOCKS_OF_GROUP == 0 && type->group_vectors > 0) {
        from = unpack_scales(from, block->powers);
    }
    from = codes_of[dtype](from, block, type->centre);
    if (type->lead_vectors > 0) {
        return unpack_small_scales(type, from, i, block);
    }
    if (type->group_vectors > 0) {
        unpack_powers(block, i % PHX_BLOCKS_OF_GROUP);
        return from;
    }
    for (uint32_t part = 0; part < type->scales_per_block; part++) {
        from = unpack_scales(from, block->scale[part]);
    }
    if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
        from = unpack_scales(from, block->minimum);
    }
    return from;
}

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row) {
    const uint8_t *word = tile + 4 * row;
    return (struct ref_row_entry){read_i16(word), word[2] & 31, word[3] & 31};
}
