/* SPDX-License-Identifier: MIT
 *
 * Sizes and shifts that follow from a weight type and its K: docs/arithmetic.md, 2 and 4.
 */
#ifndef PHX_TILES_H
#define PHX_TILES_H

#include "runtime/contract.h"

struct phx_weight_type {
    uint32_t k_step;            /* K is a multiple of it */
    uint32_t vectors_per_block; /* of 32 k, scales included */
    uint32_t scales_per_block;
    uint32_t vectors_per_super; /* of 256 k: what its blocks share; 0 for types without */
    uint32_t spare_bits;        /* of PA, which DS leaves to the sum of the groups */
};

#define PHX_N_WEIGHT_TYPES (PHX_MXFP4 + 1)

/* By dtype; k_step is 0 where there is none. */
extern const struct phx_weight_type phx_weight_types[PHX_N_WEIGHT_TYPES] __attribute__((visibility("hidden")));

/* NULL for a dtype that is no weight type. */
static inline const struct phx_weight_type *phx_weight_type(uint32_t dtype) {
    return dtype < PHX_N_WEIGHT_TYPES && phx_weight_types[dtype].k_step ? &phx_weight_types[dtype] : NULL;
}

#define PHX_TABLE_BYTES (PHX_TILE_ROWS * 4) /* in front of a tile's blocks */
#define PHX_SUPER_BLOCK 256

/* ceil(log2(n)), n >= 1 */
static inline uint32_t phx_clog2(uint32_t n) {
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* All for 1 <= k <= PHX_MAX_K. */

static inline uint32_t phx_n_blocks(uint32_t k) {
    return (k + PHX_BLOCK - 1) / PHX_BLOCK;
}

static inline uint32_t phx_tile_bytes(const struct phx_weight_type *type, uint32_t k) {
    return PHX_TABLE_BYTES + PHX_VECTOR * (phx_n_blocks(k) * type->vectors_per_block +
                                           k / PHX_SUPER_BLOCK * type->vectors_per_super);
}

/* Of 8 blocks in a row. */
static inline uint32_t phx_super_bytes(const struct phx_weight_type *type) {
    return PHX_VECTOR * (PHX_SUPER_BLOCK / PHX_BLOCK * type->vectors_per_block + type->vectors_per_super);
}

static inline uint32_t phx_ds(const struct phx_weight_type *type, uint32_t k) {
    uint32_t needed = phx_clog2((phx_n_blocks(k) * type->scales_per_block + 3) / 4);
    return needed > type->spare_bits ? needed - type->spare_bits : 0;
}

static inline uint32_t phx_dm(const struct phx_weight_type *type, uint32_t k) {
    return type->vectors_per_super ? phx_clog2(k / PHX_SUPER_BLOCK) : 0;
}

/* Of a matrix of n rows. */
static inline uint32_t phx_n_tiles(uint32_t n) {
    return n / PHX_TILE_ROWS + (n % PHX_TILE_ROWS != 0);
}

#endif
