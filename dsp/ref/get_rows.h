/* SPDX-License-Identifier: MIT
 *
 * Rows of tiles and their numbers: docs/math.md, 9.
 */
#ifndef PHX_REF_GET_ROWS_H
#define PHX_REF_GET_ROWS_H

#include "ops/op.h"

#define REF_GET_ROWS_WORK 8192 /* bytes per thread, if the source has the tiles layout */

/* A row of a tile and its common parameters. Element k is
 *     (code * s + m16 * 2^block_minimum_shift << up >> shift) - (minimum * dm << up >> minimum_shift)
 * times 2^(U - 127), U = unit >> 23. */
struct ref_tile_row {
    const uint8_t *tile;
    uint32_t row; /* index in the tile */
    bool is_nan;
    uint32_t up, shift, minimum_shift, block_minimum_shift;
    int32_t unit;
};

struct ref_tile_row ref_tile_row(uint32_t dtype, uint32_t k, const uint8_t *tiles, uint32_t row);

/* The row of src[0] that a row of dst selects. Finding it fails if its id is invalid. */
struct ref_source_row {
    const uint8_t *data; /* PHX_LAYOUT_ROWS: the row; else the tiles of its matrix */
    uint32_t row;
};

bool ref_find_source(const struct phx_call *call, struct phx_at at, struct ref_source_row *source);

#endif
