/* SPDX-License-Identifier: MIT
 *
 * What a row of tiles is made of: docs/math.md, 9.
 */
#ifndef PHX_REF_GET_ROWS_H
#define PHX_REF_GET_ROWS_H

#include "ops/op.h"

#define REF_GET_ROWS_WORK 8192 /* bytes for each thread, where the rows lie in tiles */

/* A row of a tile, and what its numbers share: element k is
 *     (code * s + m16 * 2^block_minimum_shift << up >> shift) - (minimum * dm << up >> minimum_shift)
 * times 2^(U - 127), U = unit >> 23. */
struct ref_tile_row {
    const uint8_t *tile;
    uint32_t row; /* of the tile */
    bool is_nan;
    uint32_t up, shift, minimum_shift, block_minimum_shift;
    int32_t unit;
};

struct ref_tile_row ref_tile_row(uint32_t dtype, uint32_t k, const uint8_t *tiles, uint32_t row);

/* The row of src[0] for a row of dst: false if its number is none. */
struct ref_source_row {
    const uint8_t *data; /* PHX_LAYOUT_ROWS; or the tiles of its matrix */
    uint32_t row;
};

bool ref_find_source(const struct phx_call *call, struct phx_at at, struct ref_source_row *source);

#endif
