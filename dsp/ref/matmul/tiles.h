/* SPDX-License-Identifier: MIT
 *
 * Weight tiles taken apart, block by block: docs/arithmetic.md, 4.
 */
#ifndef PHX_REF_TILES_H
#define PHX_REF_TILES_H

#include <stdbool.h>

#include "ops/matmul/kernel.h"

#define REF_ROW_TABLE_BYTES 256 /* in front of a tile's blocks */
#define REF_SUPER_BLOCK 8       /* blocks of a super-block */

/* 32 k of 64 rows, and what their super-block of 256 k shares. Types fill in what they have. */
struct ref_block {
    int16_t w[PHX_BLOCK][PHX_TILE_ROWS]; /* the signed factors of the block sum: code - 8 and so on */
    int16_t scale[2][PHX_TILE_ROWS];     /* of 32 or 16 k */
    int16_t minimum[PHX_TILE_ROWS];      /* m16 */

    int16_t d[PHX_TILE_ROWS];                            /* d16: what sc multiplies */
    int16_t dm[PHX_TILE_ROWS];                           /* what the minimums multiply */
    uint8_t minimums[2 * REF_SUPER_BLOCK][PHX_TILE_ROWS]; /* of 32 or 16 k; complete after the last block */
};

enum ref_minimums {
    REF_NO_MINIMUMS,
    REF_BLOCK_MINIMUMS, /* m16 of each block: into PA */
    REF_SUPER_MINIMUMS  /* small ones and a dm: into TM */
};

struct ref_type {
    uint32_t ps;               /* docs/arithmetic.md, 2 */
    uint32_t scales_per_block; /* 1, or 2 for scales of 16 k */
    bool is_unbiased;          /* every 2^ps'th P16 is rounded down */
    bool is_float;             /* int16 activations */
    enum ref_minimums minimums;
    uint32_t b_shift; /* of B16, with REF_SUPER_MINIMUMS */

    /* Block number i of its super-block; returns where the next one starts. */
    const uint8_t *(*unpack)(const uint8_t *from, uint32_t i, struct ref_block *block);
};

/* NULL for an unknown dtype. */
const struct ref_type *ref_type_of(uint32_t dtype);

struct ref_row_entry {
    int32_t exponent;
    uint32_t shift_t;
    uint32_t shift_m;
};

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row);

#endif
