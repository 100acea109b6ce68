/* SPDX-License-Identifier: MIT
 *
 * The seam between the executor and the kernels of dsp/ref and dsp/hvx.
 *
 * A matmul runs in two phases on the worker pool, chunk by chunk of activation rows (dsp/ops/matmul/product.h):
 *     1. quantise: each thread turns some parts of rows of x into the form the kernel likes best, in the shared `rows`
 *        area;
 *     2. multiply: each thread multiplies a contiguous range of tiles with all the rows of the chunk, or, where there
 *        are several weight matrices, a range of each one's tiles with that one's rows.
 * A barrier lies between the phases and between chunks. The bits of a result do not depend on how rows, tiles and
 * chunks were cut (docs/arithmetic.md).
 *
 * Every pointer was checked by the batch checker. Tile bytes and activations are still arbitrary: a kernel must neither
 * fault nor reach outside its areas whatever their values.
 * A kernel runs on the caller's stack, which may be 16 KiB in all: keep frames below 2 KiB, and use `work` beyond that.
 */
#ifndef PHX_MATMUL_KERNEL_H
#define PHX_MATMUL_KERNEL_H

#include <stdbool.h>

#include "runtime/contract.h"

#define PHX_TILES_AT_ONCE_SHIFT 2
#define PHX_TILES_AT_ONCE (1 << PHX_TILES_AT_ONCE_SHIFT)

/* dst[m][n] = sum over k of w[n][k] * x[m][k]; what does not change from chunk to chunk. */
struct phx_matmul {
    uint32_t dtype;       /* of the weights */
    uint32_t form;        /* of the quantised rows, as the kernel has it */
    uint32_t k;           /* elements of a weight row and of an activation row; 1..PHX_MAX_K */
    uint32_t n;           /* weight rows: floats in a row of dst; at least 1 */
    uint32_t n_blocks;    /* blocks of 32 along k, the last one perhaps short (F16, F32) */
    uint16_t ds;          /* DS of docs/arithmetic.md */
    uint16_t dm;          /* DM; 0 for types without minimums */
    uint32_t tile_bytes;  /* distance of tiles; a multiple of PHX_VECTOR */
    const uint8_t *tiles; /* ceil(n / 64) of them, aligned to PHX_VECTOR */

    /* Tiles may be cut along k: only these blocks of each are there, from a multiple of 8 on. Block 0 would lie where
     * `tiles` says, and the row table lies `table` bytes from there; it comes with the last blocks. */
    uint32_t first_block;
    uint32_t last_block;
    uint32_t table;
    uint32_t first_byte;       /* of the first block with what belongs to it, in a tile from `tiles` on */
} __attribute__((aligned(8))); /* of so few words that compilers copy it without a call */

/* Row r of the quantised activations lies at x + x_offsets[r], both aligned to PHX_VECTOR; its results go to
 * dst + dst_offsets[r] and are floats, aligned to 4 bytes, not more. */
struct phx_rows {
    uint32_t n; /* at least 1 */
    const uint8_t *x;
    const uint32_t *x_offsets;
    uint8_t *dst;
    const uint32_t *dst_offsets;

    /* Where a tile's sums begin: 0, or a multiple of 8 if another thread has the blocks before. */
    uint32_t first_block;
    void *
        sums; /* NULL: floats are made of them. Else they stay here, and finish() adds them to those of others; and finds
                 * all of them from here on */
} __attribute__((aligned(8)));

/* Tiles first..last-1 that threads have cut along k, beside others from `start` on, and whose sums one of them adds up. */
struct phx_ending {
    uint32_t start, first, last;
    uint32_t n_sums;
    uint32_t sums[PHX_MAX_THREADS]; /* bytes from phx_rows.sums to each, made by multiply() of tiles from `start` on */
    uint32_t factor;                /* of the product */
};

/* Activations are quantised in parts of so many blocks; the last part of a row may be short. */
#define PHX_PART_BLOCKS 32

static inline uint32_t phx_row_parts(const struct phx_matmul *mm) {
    return (mm->n_blocks + PHX_PART_BLOCKS - 1) / PHX_PART_BLOCKS;
}

struct phx_matmul_kernel {
    uint32_t kernels; /* enum phx_kernels: for the record */
    uint32_t form;    /* weight types with the same number here take the same quantised rows */
    bool takes_cut_tiles;
    uint8_t rows_apart; /* up to so many rows are taken one after the other, with several tiles at once; at least 1 */

    /* Bytes of private working memory that multiply() wants in each thread, and for each row of a call besides. */
    uint32_t work_bytes;
    uint32_t work_row_bytes;
    uint32_t sums_bytes; /* of phx_rows.sums, without work_row_bytes for each row */

    uint32_t part_bytes; /* of a quantised row, besides its first vector; a multiple of PHX_VECTOR */

    /* Quantises parts first..last-1, at least one, of the row at x (aligned to 4 bytes, not more). Other threads write
     * the other parts at the same time. What depends on the whole row is found from x by each of them. */
    void (*quantise)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);

    /* The same in two steps, between which threads tell each other what they have found: the first one returns the
     * largest exponent of its parts, the second one takes that of the row. NULL, both: there are no steps. */
    int32_t (*look)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
    void (*quantise_seen)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row,
                          int32_t exponent);

    /* Tiles first..last-1 times all the rows. Writes columns 64*first.. of each result, never past n. Of cut tiles
     * these are at most PHX_TILES_AT_ONCE, or 1 with more than rows_apart rows: sums stay in `work` from the call with their first
     * blocks to that with their last ones, which come in order. */
    void (*multiply)(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                     void *work);

    /* The results of tiles that threads have cut along k. Their row tables lie where `tiles` says. NULL: such cuts are not
     * made. */
    void (*finish)(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                   void *work);
};

/* Of a quantised row: below 2^31 for any k. */
static inline uint32_t phx_row_bytes(const struct phx_matmul_kernel *kernel, const struct phx_matmul *mm) {
    return PHX_VECTOR + phx_row_parts(mm) * kernel->part_bytes;
}

/* The kernel for a weight dtype that passed the checker; ref has one for each. Both areas are aligned to PHX_VECTOR. */
const struct phx_matmul_kernel *phx_matmul_ref(uint32_t dtype);

/* As above, or NULL where there is no HVX kernel. Only in builds that compile dsp/hvx (PHX_HVX). */
const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype);

#endif
