/* SPDX-License-Identifier: MIT
 *
 * Weight tiles taken apart, block by block: docs/arithmetic.md, 4.
 */
#ifndef PHX_REF_TILES_H
#define PHX_REF_TILES_H

#include <stdbool.h>

#include "../runtime/kernels.h"

#define REF_ROW_TABLE_BYTES 256 /* in front of a tile's blocks */

/* 32 k of 64 rows: the signed factors of the block sum (code - 8 and so on), and each row's scales, for 32 or 16 k. */
struct ref_block {
    int16_t w[PHX_BLOCK][PHX_TILE_ROWS];
    int16_t scale[2][PHX_TILE_ROWS];
};

/* The minimums of a super-block of 256 k, and their scales. */
struct ref_minimums {
    uint8_t min[PHX_TILE_ROWS][8];
    int16_t dm[PHX_TILE_ROWS];
};

struct ref_row_entry {
    int32_t exponent;
    uint32_t shift_t;
    uint32_t shift_m;
};

struct ref_type {
    uint32_t ps;                 /* docs/arithmetic.md, 2 */
    uint32_t scales_per_block;   /* 1, or 2 for scales of 16 k */
    bool has_minimums;           /* ref_unpack_minimums() after every 8 blocks */
    const uint8_t *(*unpack)(const uint8_t *from, struct ref_block *block); /* returns where the next one starts */
};

/* NULL for an unknown dtype. */
const struct ref_type *ref_type_of(uint32_t dtype);

const uint8_t *ref_unpack_minimums(const uint8_t *from, struct ref_minimums *minimums);

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row);

#endif
