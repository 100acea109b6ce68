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

/* A tile's vectors from a block on. */
HVX_INLINE const HVX_Vector *tile_vectors(const struct phx_matmul *mm, uint32_t tile, uint32_t block) {
    return (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes) + TABLE_VECTORS + block * TYPE_VECTORS +
           block / SUPER_BLOCK * TYPE_TRAIL;
}

/* Adds T of blocks first.. of those that are there to the sums of n_rows results (1 or 2) from `result` on. */
HVX_INLINE void sum_blocks(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                           const struct hvx_results *results, uint32_t result, int n_rows, uint32_t first) {
    struct operands operands;
    HVX_VectorPair wt[MAX_ROWS_IN_C];
    uint32_t tile = results->first_tile + (results->of_tiles ? result : 0);
    HVX_Vector *sums = results->sums + 2 * result;
    operands.w = tile_vectors(mm, tile, first);
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        const uint8_t *row = hvx_result_row(results, results->of_tiles ? 0 : result + (uint32_t)i);
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
                                                   const struct hvx_results *results, uint32_t result,
                                                   uint32_t first) {
    sum_blocks(mm, layout, results, result, 1, first);
}

static __attribute__((noinline)) void sum_blocks_2(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                                                   const struct hvx_results *results, uint32_t first) {
    sum_blocks(mm, layout, results, 0, 2, first);
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
    const uint8_t *w = (const uint8_t *)tile_vectors(mm, results->first_tile, first_block);
    const uint8_t *row = hvx_result_row(results, 0);
    struct hvx_groups groups = {.n_groups = n_groups, .ds = mm->ds, .t = results->sums};
    HVX_UNROLL
    for (uint32_t i = 0; i < MAX_RESULTS; i++) {
        if (!of_tiles) {
            row = hvx_result_row(results, i < last ? i : last);
        }
        groups.w[i] = (const HVX_Vector *)w;
        groups.q[i] = hvx_row_q(layout, row) + first_block * TYPE_Q_WORDS;
        groups.blocks[i] = hvx_row_blocks(layout, row) + first_block * TYPE_SCALES;
        w += of_tiles && (i < 2 || i < last) ? mm->tile_bytes : 0;
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
    bool in_pair = !of_tiles && results->n_results == 2;
    for (uint32_t i = 0; n_done < last_block && i < results->n_results; i++) {
        if (!in_pair) {
            sum_blocks_1(mm, layout, results, i, n_done);
        } else if (i == 0) {
            sum_blocks_2(mm, layout, results, n_done);
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

static void multiply_tiles(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                           void *work) {
    struct hvx_row_layout layout = hvx_layout(mm, TYPE_FORM);
    struct hvx_results results = {.of_tiles = rows->n == 1, .rows = *rows, .sums = work};
    uint32_t n_rows = rows->n;
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
            results.rows.x_offsets = rows->x_offsets + m;
            results.rows.dst_offsets = rows->dst_offsets + m;
            results.sums = (HVX_Vector *)work + 2 * m;
            multiply_results(mm, &layout, &results, false, tm + 2 * m);
        }
    }
}
