/* SPDX-License-Identifier: MIT
 *
 * Sizes and shifts that follow from a weight type and its K: docs/arithmetic.md, 2 and 4.
 */
#ifndef PHX_TILES_H
#define PHX_TILES_H

#include "contract.h"

struct phx_weight_type {
    uint32_t dtype;
    uint32_t k_step;            /* K is a multiple of it */
    uint32_t vectors_per_block; /* of 32 k, scales included */
    uint32_t scales_per_block;
    uint32_t vectors_per_super; /* of 256 k: what its blocks share; 0 for types without */
    uint32_t spare_bits;        /* of PA, which DS leaves to the sum of the groups */
};

/* NULL for a dtype that is no weight type. */
const struct phx_weight_type *phx_weight_type(uint32_t dtype);

#define PHX_TABLE_BYTES (PHX_TILE_ROWS * 4) /* in front of a tile's blocks */

/* All for 1 <= k <= PHX_MAX_K. */
uint32_t phx_n_blocks(uint32_t k);
uint32_t phx_tile_bytes(const struct phx_weight_type *type, uint32_t k);
uint32_t phx_super_bytes(const struct phx_weight_type *type); /* of 8 blocks in a row */
uint32_t phx_ds(const struct phx_weight_type *type, uint32_t k);
uint32_t phx_dm(const struct phx_weight_type *type, uint32_t k);

/* Of a matrix of n rows. */
uint32_t phx_n_tiles(uint32_t n);

#endif
