/* SPDX-License-Identifier: MIT
 *
 * Sizes, layouts and shifts of weight tiles, by weight type and K: docs/arithmetic.md, 2 and 4.
 */
#ifndef PHX_TILES_H
#define PHX_TILES_H

#include <stdbool.h>

#include "runtime/contract.h"

enum phx_minimums {
    PHX_NO_MINIMUMS,
    PHX_MINIMUMS_OF_BLOCKS,       /* 16 bits for each block, added to the sums of its group */
    PHX_MINIMUMS_OF_SUPER_BLOCKS, /* a few bits for each scale block and a scale for 256 k, accumulated apart */
    PHX_MINIMUMS_IN_SUMS          /* 6 bits of a byte, in a unit of the scales', added to the sums; d16 and dm have the
                                     bytes' other two bits */
};

/* The fields are defined in idl/types.h. */
struct phx_weight_type {
    uint32_t k_step;
    uint8_t scales_per_block, vectors_per_block, lead_vectors, trail_vectors, group_vectors;
    uint8_t centre, sum_shift, is_unbiased, product_shift, exponent, spare_bits;
    uint8_t minimums; /* enum phx_minimums */
    uint8_t minimum_shift, is_float;
};

#define PHX_N_WEIGHT_TYPES (PHX_NVFP4 + 1)

/* By dtype; k_step is 0 where there is none. */
extern const struct phx_weight_type phx_weight_types[PHX_N_WEIGHT_TYPES] __attribute__((visibility("hidden")));

/* NULL for a dtype that is no weight type. */
static inline const struct phx_weight_type *phx_weight_type(uint32_t dtype) {
    return dtype < PHX_N_WEIGHT_TYPES && phx_weight_types[dtype].k_step ? &phx_weight_types[dtype] : NULL;
}

/* The values of the codes of IQ4_NL and IQ4_XS, and twice the values of MXFP4's and NVFP4's codes. */
#define PHX_IQ4_VALUES -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
#define PHX_MXFP4_VALUES 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12
/* Half the values of IQ3_XXS's codes. Tiles of IQ2_S hold the values of IQ2_XXS, IQ2_XS and IQ2_S, then the values of
 * IQ1_S and IQ1_M times 32. The repacker (pyhexagon/_ffi/native/recode.h) depends on their order. */
#define PHX_IQ3_VALUES 2, 6, 10, 14, 18, 22, 26, 31, -2, -6, -10, -14, -18, -22, -26, -31
#define PHX_IQ2_VALUES 8, 25, 43, -8, -25, -43, -36, -28, -4, 4, 28, 36, 0, 0, 0, 0

#define PHX_TABLE_BYTES (PHX_TILE_ROWS * 4) /* in front of a tile's blocks */
#define PHX_SUPER_BLOCK 256                 /* k */
#define PHX_BLOCKS_OF_SUPER (PHX_SUPER_BLOCK / PHX_BLOCK)
#define PHX_BLOCKS_OF_GROUP 4 /* with group_vectors */

/* ceil(log2(n)), n >= 1 */
static inline uint32_t phx_clog2(uint32_t n) {
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* Float weights: a block's P is shifted to the right by its weights' nibble, by its activations' distance from the row's
 * exponent and by DS + PHX_WIDE_SHIFT. The activations of smaller blocks are aligned to the least exponent that keeps the
 * sum below 32. A row with an exponent below 32 counts as zero: that of PHX_TINY_EXPONENT leaves its q no bit. */
#define PHX_WIDE_SHIFT 2
#define PHX_TINY_EXPONENT 64

static inline uint32_t phx_wide_range(uint32_t ds) {
    return 14 - ds;
}

/* All for 1 <= k <= PHX_MAX_K. */

static inline uint32_t phx_n_blocks(uint32_t k) {
    return (k + PHX_BLOCK - 1) / PHX_BLOCK;
}

static inline uint32_t phx_tile_bytes(const struct phx_weight_type *type, uint32_t k) {
    uint32_t n_blocks = phx_n_blocks(k), n_groups = (n_blocks + PHX_BLOCKS_OF_GROUP - 1) / PHX_BLOCKS_OF_GROUP;
    return PHX_TABLE_BYTES + PHX_VECTOR * (n_blocks * type->vectors_per_block + n_groups * type->group_vectors +
                                           k / PHX_SUPER_BLOCK * (type->lead_vectors + type->trail_vectors));
}

/* Vectors of 8 consecutive blocks with their scales and minimums. */
static inline uint32_t phx_super_vectors(const struct phx_weight_type *type) {
    return PHX_BLOCKS_OF_SUPER * type->vectors_per_block + type->lead_vectors + type->trail_vectors +
           PHX_BLOCKS_OF_SUPER / PHX_BLOCKS_OF_GROUP * type->group_vectors;
}

static inline uint32_t phx_super_bytes(const struct phx_weight_type *type) {
    return PHX_VECTOR * phx_super_vectors(type);
}

/* Vectors with 6-bit numbers in their bytes; the upper two bits of the bytes hold bits of d16 or dm. */
#define PHX_SPREAD_VECTORS 4

/* Types whose nibbles a table turns into values, with a scale of 16 bits for each half of a block behind them. */
static inline bool phx_has_codebook(const struct phx_weight_type *type) {
    return type->scales_per_block == 2 && type->lead_vectors == 0;
}

/* Types whose signed small scales lie in front of a super-block (IQ4_XS). */
static inline bool phx_leads_with_scales(const struct phx_weight_type *type) {
    return type->lead_vectors == PHX_SPREAD_VECTORS;
}

/* d16 or dm: the sum of 16 bits of each of the four vectors, shifted. */
static inline int16_t phx_spread_number(int16_t v0, int16_t v1, int16_t v2, int16_t v3) {
    return (int16_t)(v0 + (v1 >> 2) + (v2 >> 4) + (v3 >> 6));
}

/* Types whose codes are the "threes" of docs/arithmetic.md, 4 (Q3_K). Behind the second of every four blocks they have
 * three vectors with the eight small scales of those blocks. */
static inline int phx_has_threes(const struct phx_weight_type *type) {
    return type->lead_vectors > 0 && type->group_vectors > 0;
}

/* Offset of block i of a super-block from its start, in vectors: of these types, or without group_vectors. */
static inline uint32_t phx_block_of_threes(const struct phx_weight_type *type, uint32_t i) {
    return type->lead_vectors + i * type->vectors_per_block + (i + 2) / PHX_BLOCKS_OF_GROUP * type->group_vectors;
}

/* Offset from block i to the three vectors of its four blocks, in vectors; negative for the last two blocks. */
static inline int32_t phx_scales_of_threes(const struct phx_weight_type *type, uint32_t i) {
    uint32_t in_group = i % PHX_BLOCKS_OF_GROUP;
    return (2 - (int32_t)in_group) * type->vectors_per_block - (in_group < 2 ? 0 : type->group_vectors);
}

/* Returns the 6 bits of a row's small scale i (0 to 7), without regard to their sign. v0, v1 and v2 are the row's 16 bits
 * in the three vectors: bits 10..15 hold scales 0, 3 and 6, bits 0..5 hold scales 1, 4 and 7. Scales 2 and 5 are sums, of
 * bits of v0 and v1, and of v2 and v1. The bits of other scales take part in them, too: the repacker has subtracted those
 * from bits 6..9. `number` has the scale in bits 10..15, with other bits around it. */
static inline uint32_t phx_scale_of_three(uint32_t v0, uint32_t v1, uint32_t v2, uint32_t i) {
    uint32_t v = i < 3 ? v0 : i < 5 ? v1 : v2;
    uint32_t number = i == 2 ? (v0 << 6) + (v1 << 2) : i == 5 ? (v2 << 6) + (v1 << 4) : i % 3 ? v << 10 : v;
    return number >> 10 & 63;
}

/* DS of docs/arithmetic.md, 2. */
static inline uint32_t phx_ds(const struct phx_weight_type *type, uint32_t k) {
    uint32_t needed = phx_clog2((phx_n_blocks(k) * type->scales_per_block + 3) / 4);
    return needed > type->spare_bits ? needed - type->spare_bits : 0;
}

/* DM; 0 for types without minimums of super-blocks. */
static inline uint32_t phx_dm(const struct phx_weight_type *type, uint32_t k) {
    return type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS ? phx_clog2(k / PHX_SUPER_BLOCK) : 0;
}

/* Tiles of a matrix of n rows. */
static inline uint32_t phx_n_tiles(uint32_t n) {
    return n / PHX_TILE_ROWS + (n % PHX_TILE_ROWS != 0);
}

#endif
