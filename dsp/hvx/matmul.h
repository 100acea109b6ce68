/* SPDX-License-Identifier: MIT
 *
 * The frame of the matmul kernels: docs/arithmetic.md, 2. The file of a weight type includes hvx.h and activations.h,
 * defines
 *     TYPE_FORM      what the activations look like
 *     TYPE_SCALES    scale blocks in 32 k: 1 or 2
 *     TYPE_VECTORS   vectors of a tile for 32 k, scales included
 *     TYPE_Q_WORDS   words of activations in 32 k: 8 of int8, 16 of int16
 *     TYPE_MINIMUMS  whether minimums follow every 8 blocks, for super_block_minimums() of minimums.h
 *     TYPE_SUM_TILES, TYPE_SUM_ROWS  the type's assembly loops, or NULL
 *     block_sums()   see below
 * and includes this. It gets multiply_tiles(), the multiply() of struct phx_matmul_kernel.
 *
 * The work is done four results of 64 rows at a time: four tiles share an activation row's scalars (matrix times
 * vector), or four activation rows share a tile's unpacked weights (matrix times matrix). Both are loops of assembly
 * (groups.h), because a compiler leaves a quarter of the packets' slots empty there. The same steps in C take what is
 * left over: short or uneven k, and fewer rows or tiles.
 *
 * A scale vector's lane 2*i is row i and 2*i + 1 is row 32 + i. A product of two vectors of int16 is a pair with the
 * even lanes in lo: so lo sums rows 0..31 and hi rows 32..63, in order.
 */
#include "groups.h"
#include "result.h"

#define SUPER_BLOCK 8 /* blocks that share a set of minimums */
#define TABLE_VECTORS 2 /* of the row table, in front of a tile's blocks */
#define MAX_RESULTS 4
#define MAX_ROWS_IN_C 2
/* T of each result, and TM after all T: there is room for four results more than rows. */
#define HVX_WORK_ROW_BYTES (2 * HVX_BYTES * (1 + TYPE_MINIMUMS))
#define HVX_WORK_BYTES (MAX_RESULTS * HVX_WORK_ROW_BYTES)

/* The next block of a tile, and of one or two rows. */
struct operands {
    const HVX_Vector *w;
    const int32_t *q[MAX_ROWS_IN_C];
    const struct hvx_block *blocks[MAX_ROWS_IN_C];
    uint32_t number; /* of the block in its group of four scale blocks */
};

/* P16 of each scale block and row, lanes as in a scale vector, and the tile's scales. */
struct block_sums {
    HVX_Vector vp_i16[TYPE_SCALES][MAX_ROWS_IN_C];
    HVX_Vector vscale_i16[TYPE_SCALES];
};

/* Block sums of the block at operands, by the type. */
HVX_INLINE void block_sums(const struct operands *operands, int n_rows, struct block_sums *sums);

#if TYPE_MINIMUMS
#define TYPE_LEAD 0
#define TYPE_TRAIL 5
#include "minimums.h"
#else
#define TYPE_TRAIL 0
#endif

/* Adds T of blocks first.. of those that are there to sums; n_rows is 1 or 2. */
HVX_INLINE void sum_blocks(const struct phx_matmul *mm, const struct hvx_row_layout *layout, const HVX_Vector *w,
                           const uint8_t *rows, int n_rows, uint32_t first, HVX_Vector *sums) {
    struct operands operands;
    HVX_VectorPair wt[MAX_ROWS_IN_C];
    operands.w = w + first * TYPE_VECTORS + first / SUPER_BLOCK * TYPE_TRAIL;
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        const uint8_t *row = rows + (size_t)i * layout->row_bytes;
        operands.q[i] = hvx_row_q(layout, row) + first * TYPE_Q_WORDS;
        operands.blocks[i] = hvx_row_blocks(layout, row) + first * TYPE_SCALES;
        wt[i] = Q6_W_vcombine_VV(sums[2 * i + 1], sums[2 * i]);
    }
    for (uint32_t block = first; block < mm->last_block;) {
        HVX_VectorPair wpa[MAX_ROWS_IN_C];
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            wpa[i] = hvx_w_zero();
        }
        uint32_t n_left = mm->last_block - block;
        uint32_t n_in_group = n_left < 4 / TYPE_SCALES ? n_left : 4 / TYPE_SCALES;
        for (uint32_t j = 0; j < n_in_group; j++) {
            struct block_sums found;
            operands.number = j;
            block_sums(&operands, n_rows, &found);
            operands.w += TYPE_VECTORS;
            HVX_UNROLL
            for (int i = 0; i < n_rows; i++) {
                HVX_UNROLL
                for (int part = 0; part < TYPE_SCALES; part++) {
                    HVX_Vector ve = hvx_mpyr_scalar_i16(found.vscale_i16[part], operands.blocks[i][part].da);
                    wpa[i] = Q6_Ww_vmpyacc_WwVhVh(wpa[i], found.vp_i16[part][i], ve);
                }
                operands.q[i] += TYPE_Q_WORDS;
                operands.blocks[i] += TYPE_SCALES;
            }
        }
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            wt[i] = Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wt[i]), Q6_V_hi_W(wpa[i]), (int32_t)mm->ds),
                                     Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wt[i]), Q6_V_lo_W(wpa[i]), (int32_t)mm->ds));
        }
        block += n_in_group;
        if (block % SUPER_BLOCK == 0) {
            operands.w += TYPE_TRAIL;
        }
    }
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        sums[2 * i] = Q6_V_lo_W(wt[i]);
        sums[2 * i + 1] = Q6_V_hi_W(wt[i]);
    }
}

/* Not inlined: one copy of each, so that the compiler allocates registers for one loop at a time. */
static __attribute__((noinline)) void sum_blocks_1(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                                                   const HVX_Vector *w, const uint8_t *row, uint32_t first,
                                                   HVX_Vector *sums) {
    sum_blocks(mm, layout, w, row, 1, first, sums);
}

static __attribute__((noinline)) void sum_blocks_2(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                                                   const HVX_Vector *w, const uint8_t *rows, uint32_t first,
                                                   HVX_Vector *sums) {
    sum_blocks(mm, layout, w, rows, 2, first, sums);
}

/* Whole groups of up to four results by assembly; returns the first block that is not done. A loop that wants more
 * results than there are gets the last one again. */
HVX_INLINE uint32_t sum_groups(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                               const struct hvx_results *results, bool of_tiles) {
    hvx_sum_groups *loop = of_tiles ? TYPE_SUM_TILES : TYPE_SUM_ROWS;
    uint32_t first_block = mm->first_block, n_groups = (mm->last_block - first_block) * TYPE_SCALES / 4;
    uint32_t last = results->n_results - 1;
    if (!loop || n_groups < HVX_MIN_GROUPS || last < 2) {
        return first_block;
    }
    uint32_t vectors_before =
        TABLE_VECTORS + first_block * TYPE_VECTORS + first_block / SUPER_BLOCK * TYPE_TRAIL;
    const uint8_t *w = mm->tiles + (size_t)results->first_tile * mm->tile_bytes + vectors_before * HVX_BYTES;
    const uint8_t *row = (const uint8_t *)results->rows;
    const int32_t *q = hvx_row_q(layout, row) + first_block * TYPE_Q_WORDS;
    const struct hvx_block *blocks = hvx_row_blocks(layout, row) + first_block * TYPE_SCALES;
    struct hvx_groups groups = {.n_groups = n_groups, .ds = mm->ds, .t = results->sums};
    HVX_UNROLL
    for (uint32_t i = 0; i < MAX_RESULTS; i++) {
        size_t more = i < 2 || i < last; /* there is a next one */
        groups.w[i] = (const HVX_Vector *)w;
        groups.q[i] = q;
        groups.blocks[i] = blocks;
        if (of_tiles) {
            w += more ? mm->tile_bytes : 0;
        } else {
            q += more ? layout->row_bytes / sizeof(*q) : 0;
            blocks += more ? layout->row_bytes / sizeof(*blocks) : 0;
        }
    }
    loop(&groups);
    return first_block + n_groups * 4 / TYPE_SCALES;
}

/* Adds T of the blocks that are there to results->sums; with the last ones come the floats. tm: room for TM. */
HVX_INLINE void multiply_results(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                                 const struct hvx_results *results, bool of_tiles, HVX_Vector *tm) {
    if (mm->first_block == 0) {
        HVX_UNROLL
        for (uint32_t i = 0; i < 2 * MAX_RESULTS; i++) { /* those that are not there, too */
            results->sums[i] = Q6_V_vzero();
        }
    }
    uint32_t last_block = mm->last_block, n_done = sum_groups(mm, layout, results, of_tiles);
    bool in_pairs = !of_tiles && results->n_results == 2;
    for (uint32_t i = 0; n_done < last_block && i < results->n_results; i++) {
        uint32_t tile = results->first_tile + (of_tiles ? i : 0);
        const uint8_t *row = (const uint8_t *)results->rows + (size_t)(of_tiles ? 0 : i) * layout->row_bytes;
        const HVX_Vector *w = (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes) + TABLE_VECTORS;
        HVX_Vector *sums = results->sums + 2 * i;
        if (in_pairs && i == 0) {
            sum_blocks_2(mm, layout, w, row, n_done, sums);
        } else if (!in_pairs) {
            sum_blocks_1(mm, layout, w, row, n_done, sums);
        }
    }
#if TYPE_MINIMUMS
    subtract_minimums(mm, layout, results, tm);
#else
    (void)tm;
#endif
    if (last_block == mm->n_blocks) {
        hvx_store_results(mm, results);
    }
}

static void multiply_tiles(const struct phx_matmul *mm, const void *rows, uint32_t n_rows, uint32_t first,
                           uint32_t last, struct phx_rows_out dst, void *work) {
    struct hvx_row_layout layout = hvx_layout(mm, TYPE_FORM);
    struct hvx_results results = {
        .of_tiles = n_rows == 1, .rows = rows, .row_bytes = layout.row_bytes, .sums = work, .dst = dst};
    HVX_Vector *tm = (HVX_Vector *)work + 2 * (n_rows + MAX_RESULTS);
    if (n_rows == 1) {
        for (results.first_tile = first; results.first_tile < last; results.first_tile += results.n_results) {
            uint32_t n_left = last - results.first_tile;
            results.n_results = n_left < MAX_RESULTS ? n_left : MAX_RESULTS;
            multiply_results(mm, &layout, &results, true, tm);
        }
        return;
    }
    for (results.first_tile = first; results.first_tile < last; results.first_tile++) {
        for (uint32_t m = 0; m < n_rows; m += results.n_results) {
            results.n_results = n_rows - m < MAX_RESULTS ? n_rows - m : MAX_RESULTS;
            results.rows = (const struct hvx_row *)((const uint8_t *)rows + (size_t)m * layout.row_bytes);
            results.sums = (HVX_Vector *)work + 2 * m;
            results.dst.offsets = dst.offsets + m;
            multiply_results(mm, &layout, &results, false, tm + 2 * m);
        }
    }
}
