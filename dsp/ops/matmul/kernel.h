/* SPDX-License-Identifier: MIT
 *
 * The interface between a product (product.h) and the matmul kernels of dsp/ref, dsp/hvx and dsp/cpu.
 *
 * A product runs chunk by chunk of activation rows, in two phases with a barrier between them:
 *     1. quantize: each thread converts some parts of rows of x to the kernel's form, in the shared `rows` area;
 *     2. multiply: each thread multiplies a contiguous range of tiles with all rows of the chunk or, with several
 *        weight matrices, a range of each matrix's tiles with that matrix's rows.
 * The bits of a result do not depend on how rows, tiles and chunks are partitioned (docs/arithmetic.md).
 *
 * The checker has checked every pointer. Tile bytes and activations are arbitrary: whatever their values, a kernel
 * neither faults nor reaches outside its areas. A kernel runs on the caller's stack, which may have 16 KiB in all: keep
 * frames below 2 KiB, and use `work` beyond that.
 */
#ifndef PHX_MATMUL_KERNEL_H
#define PHX_MATMUL_KERNEL_H

#include <stdbool.h>

#include "runtime/contract.h"

#define PHX_TILES_AT_ONCE_SHIFT 2
#define PHX_TILES_AT_ONCE (1 << PHX_TILES_AT_ONCE_SHIFT)

/* dst[m][n] = sum over k of w[n][k] * x[m][k]: all that is the same in every chunk. */
struct phx_matmul {
    uint32_t dtype;       /* of the weights */
    uint16_t form;        /* of the quantized rows, as the kernel numbers them */
    uint8_t has_dcfetch;  /* multiply() may prefetch the rows of a GEMM into L1 */
    uint8_t reads_groups; /* multiply() may read tiles up to a multiple of PHX_BLOCKS_OF_GROUP blocks */
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

/* Row r of the quantized activations lies at x + x_offsets[r], both aligned to PHX_VECTOR; its results go to
 * dst + dst_offsets[r] and are floats, aligned to 4 bytes, not more. */
struct phx_rows {
    uint32_t n; /* at least 1 */
    const uint8_t *x;
    const uint32_t *x_offsets;
    uint8_t *dst;
    const uint32_t *dst_offsets;

    /* The first block of a tile's sums: 0, or a multiple of 8 if another thread has the blocks before it. */
    uint32_t first_block;
    /* NULL: multiply() converts the sums to floats. Else it leaves them here as partial sums, and finish() adds up the
     * partial sums of all threads, from here on. */
    void *sums;
} __attribute__((aligned(8)));

/* Tiles first..last-1, cut along K across threads, whose partial sums one thread adds up. multiply() has made the
 * partial sums of the tiles from `start` on. */
struct phx_ending {
    uint32_t start, first, last;
    uint32_t n_sums;
    uint32_t sums[PHX_MAX_THREADS]; /* offset of each thread's partial sums from phx_rows.sums, in bytes */
    uint32_t factor;                /* of the product */
};

/* Blocks of a part of a row, the unit of quantizing; the last part of a row may be short. */
#define PHX_PART_BLOCKS 32

static inline uint32_t phx_row_parts(const struct phx_matmul *mm) {
    return (mm->n_blocks + PHX_PART_BLOCKS - 1) / PHX_PART_BLOCKS;
}

struct phx_matmul_kernel {
    uint32_t kernels; /* enum phx_kernels: for the record */
    uint32_t form;    /* weight types with the same number take the same quantized rows */
    bool takes_cut_tiles;
    uint8_t rows_apart; /* up to so many rows multiply() uses GEMV: row after row, several tiles at once; at least 1 */

    /* Bytes of private working memory of multiply() in each thread, and besides for each row of a call. */
    uint32_t work_bytes;
    uint32_t work_row_bytes;
    uint32_t sums_bytes; /* of phx_rows.sums, without work_row_bytes for each row */

    uint32_t part_bytes; /* of a quantized row, besides its first vector; a multiple of PHX_VECTOR */

    /* Quantizes parts first..last-1, at least one, of the row at x (aligned to 4 bytes, not more). Other threads write
     * the other parts at the same time; each thread finds the row's exponent by itself. */
    void (*quantise)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);

    /* The same in two steps: look() returns the largest exponent of the thread's parts, and quantise_seen() takes the
     * largest exponent of the row, which the threads have exchanged. Both NULL: not supported. */
    int32_t (*look)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
    void (*quantise_seen)(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row,
                          int32_t exponent);

    /* Multiplies tiles first..last-1 by all rows. Writes columns 64*first.. of each result, never past n. A call has at
     * most PHX_TILES_AT_ONCE cut tiles, or one with more than rows_apart rows: their sums stay in `work` from the call
     * with their first blocks to the call with their last ones, in order. */
    void (*multiply)(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                     void *work);

    /* Adds up the partial sums of tiles that are cut along K across threads, and stores the results. Row tables lie
     * where `tiles` says. NULL: not supported. */
    void (*finish)(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                   void *work);
};

/* Bytes of a quantized row: below 2^31 for any k. */
static inline uint32_t phx_row_bytes(const struct phx_matmul_kernel *kernel, const struct phx_matmul *mm) {
    return PHX_VECTOR + phx_row_parts(mm) * kernel->part_bytes;
}

/* The kernel for a weight dtype that passed the checker; ref has one for each. Both areas are aligned to PHX_VECTOR. */
const struct phx_matmul_kernel *phx_matmul_ref(uint32_t dtype);

/* As above, or NULL where there is no HVX kernel. Only in builds that compile dsp/hvx (PHX_HVX). */
const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype);

#endif
