/* SPDX-License-Identifier: MIT
 *
 * The frame of the matmul kernels whose codes must be unpacked: docs/arithmetic.md, 2. Matrix times matrix unpacks up
 * to CHUNK blocks of a tile once, into bytes in working memory, and multiplies those with many activation rows by
 * one of the assembly loops for bytes (groups.h), four rows at a time. Matrix times vector has a loop for each type that
 * unpacks as it goes, for four tiles; groups of blocks that are too few for it are expanded.
 *
 * The file of a weight type includes hvx.h and activations.h, defines
 *     TYPE_FORM        what the activations look like
 *     TYPE_VECTORS     vectors of a tile for 32 k
 *     TYPE_LEAD        vectors in front of a super-block's blocks
 *     TYPE_TRAIL       vectors after them
 *     TYPE_SCALES      scale blocks in 32 k: 1 or 2
 *     TYPE_MINIMUMS    whether super-blocks have minimums
 *     TYPE_EXPANDED    vectors of an expanded block: 17 or 18
 *     TYPE_SUM_TILES, TYPE_SUM_ROWS  the assembly loops: the first for tiles, or NULL, the second for expanded blocks
 *     TYPE_TABLE       what a loop for tiles looks codes up in, or NULL
 *     expand_block(), clear_block()   see below, and super_block_minimums() of minimums.h
 * and includes this. It gets multiply_tiles(), the multiply() of struct phx_matmul_kernel.
 *
 * Loops take whole groups and at least HVX_MIN_GROUPS: a chunk is filled up with blocks whose scales are zero. What
 * activations they meet does not matter, but these must be readable: a chunk begins where a batch does.
 */
#include "groups.h"
#include "result.h"

#define SUPER_BLOCK 8
#define TABLE_VECTORS 2
#define MAX_RESULTS 4
#define CHUNK 64 /* blocks; a multiple of HVX_BATCH */
#define SPARE_RESULTS 8

struct expanded {
    HVX_Vector blocks[CHUNK * TYPE_EXPANDED];
    HVX_Vector t[]; /* of each result, then TM; there is room for SPARE_RESULTS more than rows */
};

#define EXPANDED_WORK_ROW_BYTES (2 * HVX_BYTES * (1 + TYPE_MINIMUMS))
#define EXPANDED_WORK_BYTES (sizeof(struct expanded) + SPARE_RESULTS * EXPANDED_WORK_ROW_BYTES)

/* The block at w as bytes and scales; lead: what is in front of its super-block. */
HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to);

/* An expanded block that adds nothing; its bytes need not be written. */
HVX_INLINE void clear_block(HVX_Vector *restrict to);

#if TYPE_MINIMUMS
#include "minimums.h"
#endif

static const HVX_Vector *tile_vectors(const struct phx_matmul *mm, uint32_t tile) {
    return (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes) + TABLE_VECTORS;
}

/* Blocks first..last-1 of a tile into a chunk that begins at block base; returns the chunk's groups. */
static __attribute__((noinline)) uint32_t expand(const HVX_Vector *w, uint32_t base, uint32_t first, uint32_t last,
                                                 HVX_Vector *restrict to) {
    uint32_t n_blocks = (last - base + 3) / 4 * 4;
    n_blocks = n_blocks < HVX_MIN_GROUPS * 4 / TYPE_SCALES ? HVX_MIN_GROUPS * 4 / TYPE_SCALES : n_blocks;
    for (uint32_t i = base; i < base + n_blocks; i++, to += TYPE_EXPANDED) {
        if (i < first || i >= last) {
            clear_block(to);
            continue;
        }
        const HVX_Vector *lead = w + i / SUPER_BLOCK * (SUPER_BLOCK * TYPE_VECTORS + TYPE_LEAD + TYPE_TRAIL);
        expand_block(lead + TYPE_LEAD + i % SUPER_BLOCK * TYPE_VECTORS, lead, to);
    }
    return n_blocks * TYPE_SCALES / 4;
}

/* Adds T of an expanded chunk to the t of n_rows rows, and something to that of up to three more. */
static void sum_rows(const struct phx_matmul *mm, const struct hvx_row_layout *layout, const struct phx_rows *rows,
                     uint32_t base, uint32_t n_groups, const HVX_Vector *blocks, HVX_Vector *t) {
    struct hvx_groups groups = {.w = {blocks}, .n_groups = n_groups, .ds = mm->ds};
    for (uint32_t m = 0; m < rows->n; m += MAX_RESULTS) {
        groups.t = t + 2 * m;
        uint32_t last = rows->n - m < MAX_RESULTS ? rows->n - m - 1 : MAX_RESULTS - 1;
        HVX_UNROLL
        for (uint32_t i = 0; i < MAX_RESULTS; i++) {
            const uint8_t *row = rows->x + rows->x_offsets[m + (i < last ? i : last)];
            groups.q[i] = hvx_row_q(layout, row) + base * 8;
            groups.blocks[i] = hvx_row_blocks(layout, row) + base * TYPE_SCALES;
        }
        TYPE_SUM_ROWS(&groups);
    }
}

/* Adds T of blocks first.. of one tile to the t of n_rows rows, and something to that of up to three more. */
static void sum_expanded(const struct phx_matmul *mm, const struct hvx_row_layout *layout, uint32_t tile,
                         const struct phx_rows *rows, uint32_t first, struct expanded *work, HVX_Vector *t) {
    for (uint32_t base = first - first % HVX_BATCH; base < mm->last_block; base += CHUNK) {
        uint32_t last = mm->last_block - base < CHUNK ? mm->last_block : base + CHUNK;
        uint32_t n_groups = expand(tile_vectors(mm, tile), base, first, last, work->blocks);
        sum_rows(mm, layout, rows, base, n_groups, work->blocks, t);
    }
}

/* Adds T of whole groups of up to four tiles and one row, by assembly; returns the first block that is not done. */
static uint32_t sum_tiles(const struct phx_matmul *mm, const struct hvx_row_layout *layout, const uint8_t *row,
                          uint32_t first_tile, uint32_t n_tiles, HVX_Vector *t) {
    hvx_sum_groups *loop = TYPE_SUM_TILES;
    uint32_t n_groups = (mm->last_block - mm->first_block) * TYPE_SCALES / 4;
    if (!loop || n_groups < HVX_MIN_GROUPS) {
        return mm->first_block;
    }
    if (n_groups * 4 / TYPE_SCALES < mm->last_block - mm->first_block && n_groups > 2 * HVX_MIN_GROUPS) {
        n_groups -= HVX_MIN_GROUPS - 1; /* the rest needs the loop once more, which wants that many groups */
    }
    uint32_t vectors_before =
        mm->first_block * TYPE_VECTORS + mm->first_block / SUPER_BLOCK * (TYPE_LEAD + TYPE_TRAIL) + TYPE_LEAD;
    struct hvx_groups groups = {.n_groups = n_groups, .ds = mm->ds, .t = t, .table = TYPE_TABLE};
    HVX_UNROLL
    for (uint32_t i = 0; i < MAX_RESULTS; i++) {
        groups.w[i] = tile_vectors(mm, first_tile + (i < n_tiles ? i : n_tiles - 1)) + vectors_before;
        groups.q[i] = hvx_row_q(layout, row) + mm->first_block * 8;
        groups.blocks[i] = hvx_row_blocks(layout, row) + mm->first_block * TYPE_SCALES;
    }
    loop(&groups);
    return mm->first_block + n_groups * 4 / TYPE_SCALES;
}

#if TYPE_LEAD + TYPE_TRAIL == 0
#define LEAST_BLOCKS (HVX_MIN_GROUPS * 4 / TYPE_SCALES)

/* Blocks base..base + LEAST_BLOCKS - 1 of a tile for its loop. Those outside first..last - 1 add nothing: their scales,
 * and minimums if any, are zero, and the last two vectors of a block hold them. */
static void copy_blocks(const HVX_Vector *w, uint32_t base, uint32_t first, uint32_t last, HVX_Vector *restrict to) {
    for (uint32_t block = base; block < base + LEAST_BLOCKS; block++, to += TYPE_VECTORS) {
        if (block < first || block >= last) {
            to[TYPE_VECTORS - 2] = to[TYPE_VECTORS - 1] = Q6_V_vzero();
            continue;
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < TYPE_VECTORS; i++) {
            to[i] = w[block * TYPE_VECTORS + i];
        }
    }
}

/* Adds T of blocks first.. to the t of up to four tiles and one row. They are too few for the loop, or no whole groups: it
 * gets copies, filled up. As many blocks of the row are readable, because its last batch is padded. */
static __attribute__((noinline)) void sum_tails(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                                                const uint8_t *row, uint32_t first_tile, uint32_t n_tiles,
                                                uint32_t first, struct expanded *work) {
    _Static_assert(MAX_RESULTS * LEAST_BLOCKS * TYPE_VECTORS <= CHUNK * TYPE_EXPANDED, "room for the copies");
    uint32_t last_base = phx_row_parts(mm) * HVX_BATCH - LEAST_BLOCKS;
    uint32_t base = first < last_base ? first : last_base;
    hvx_sum_groups *loop = TYPE_SUM_TILES;
    struct hvx_groups groups = {.n_groups = HVX_MIN_GROUPS, .ds = mm->ds, .t = work->t, .table = TYPE_TABLE};
    for (uint32_t i = 0; i < MAX_RESULTS; i++) {
        HVX_Vector *copy = work->blocks + (i < n_tiles ? i : n_tiles - 1) * LEAST_BLOCKS * TYPE_VECTORS;
        if (i < n_tiles) {
            copy_blocks(tile_vectors(mm, first_tile + i), base, first, mm->last_block, copy);
        }
        groups.w[i] = copy;
        groups.q[i] = hvx_row_q(layout, row) + base * 8;
        groups.blocks[i] = hvx_row_blocks(layout, row) + base * TYPE_SCALES;
    }
    loop(&groups);
}
#endif

static void clear(HVX_Vector *v, uint32_t n_vectors) {
    for (uint32_t i = 0; i < n_vectors; i++) {
        v[i] = Q6_V_vzero();
    }
}

/* What follows T: the minimums of the blocks that are there, and with the last blocks the floats. */
static void finish(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                   const struct hvx_results *results, HVX_Vector *tm) {
#if TYPE_MINIMUMS
    subtract_minimums(mm, layout, results, tm);
#else
    (void)layout;
    (void)tm;
#endif
    if (mm->last_block == mm->n_blocks) {
        hvx_store_results(mm, results);
    }
}

static void multiply_vector(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                            const struct phx_rows *rows, uint32_t first, uint32_t last, struct expanded *work) {
    HVX_Vector *spare = work->t + 2 * MAX_RESULTS;
    struct hvx_results results = {.of_tiles = true, .rows = *rows, .sums = work->t};
    const uint8_t *row = hvx_result_row(&results, 0);
    for (uint32_t tile = first; tile < last; tile += results.n_results) {
        results.n_results = last - tile < MAX_RESULTS ? last - tile : MAX_RESULTS;
        results.first_tile = tile;
        if (mm->first_block == 0) {
            clear(work->t, 2 * results.n_results);
        }
        uint32_t n_done = sum_tiles(mm, layout, row, tile, results.n_results, work->t);
#if TYPE_LEAD + TYPE_TRAIL == 0
        if (TYPE_SUM_TILES && n_done < mm->last_block) {
            sum_tails(mm, layout, row, tile, results.n_results, n_done, work);
            n_done = mm->last_block;
        }
#endif
        for (uint32_t i = 0; i < results.n_results && n_done < mm->last_block; i++) {
            HVX_Vector *t = work->t + 2 * i;
            spare[0] = t[0]; /* the loop for rows would write past t */
            spare[1] = t[1];
            sum_expanded(mm, layout, tile + i, rows, n_done, work, spare);
            t[0] = spare[0];
            t[1] = spare[1];
        }
        finish(mm, layout, &results, work->t + 2 * (1 + SPARE_RESULTS));
    }
}

static void multiply_rows(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                          const struct phx_rows *rows, uint32_t tile, struct expanded *work) {
    struct hvx_results results = {.n_results = rows->n, .first_tile = tile, .rows = *rows, .sums = work->t};
    if (mm->first_block == 0) {
        clear(work->t, 2 * rows->n);
    }
    sum_expanded(mm, layout, tile, rows, mm->first_block, work, work->t);
    finish(mm, layout, &results, work->t + 2 * (rows->n + SPARE_RESULTS));
}

static void multiply_tiles(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                           void *work) {
    struct hvx_row_layout layout = hvx_layout(mm, TYPE_FORM);
    if (rows->n == 1) {
        multiply_vector(mm, &layout, rows, first, last, work);
        return;
    }
    for (uint32_t tile = first; tile < last; tile++) {
        multiply_rows(mm, &layout, rows, tile, work);
    }
}
