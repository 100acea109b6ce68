/* SPDX-License-Identifier: MIT
 *
 * Unpacks weight tiles block by block: docs/arithmetic.md, 4.
 */
#ifndef PHX_REF_TILES_H
#define PHX_REF_TILES_H

#include <stdbool.h>

#include "ops/matmul/kernel.h"
#include "formats/tiles.h"

/* 32 k of 64 rows, and the shared data of their super-block of 256 k. Each type fills in the fields that it has. */
struct ref_block {
    int16_t w[PHX_BLOCK][PHX_TILE_ROWS]; /* signed factors of the block sum: code - 8 and so on */
    int16_t scale[2][PHX_TILE_ROWS];     /* of 32 or 16 k */
    int16_t minimum[PHX_TILE_ROWS];      /* m16 */
    int8_t sc[2][PHX_TILE_ROWS];         /* small scales that multiply block sums: of 16 k, or the first one of 32;
                                            where scales are powers of two, how far 2^14 is shifted in the first one */
    int8_t scs[PHX_BLOCKS_OF_SUPER][PHX_TILE_ROWS]; /* small scales of four or eight blocks */

    int16_t d[PHX_TILE_ROWS];                                 /* d16: factor of sc */
    int16_t powers[PHX_TILE_ROWS];                            /* scales of four blocks */
    int16_t dm[PHX_TILE_ROWS];                                /* factor of the minimums */
    uint8_t minimums[2 * PHX_BLOCKS_OF_SUPER][PHX_TILE_ROWS]; /* of 32 or 16 k; complete after the last block */
};

/* Unpacks the block at `from`, number i (0..7) of its super-block. Returns the address of the next block. Blocks of a
 * super-block must be unpacked in order: *block carries their shared data from the first one on. */
const uint8_t *ref_unpack(uint32_t dtype, const uint8_t *from, uint32_t i, struct ref_block *block);

struct ref_row_entry {
    int32_t exponent;
    uint32_t shift_t;
    uint32_t shift_m;
};

struct ref_row_entry ref_row_entry(const uint8_t *tile, uint32_t row);

#endif
