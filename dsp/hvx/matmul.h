/* SPDX-License-Identifier: MIT
 *
 * The frame of the matmul kernels: docs/arithmetic.md, 2. The file of a weight type includes hvx.h and activations.h,
 * defines
 *     TYPE_SCALES    scale blocks in 32 k: 1 or 2
 *     TYPE_VECTORS   vectors of a tile for 32 k, scales included
 *     TYPE_Q_WORDS   words of activations in 32 k: 8 of int8, 16 of int16
 *     TYPE_MINIMUMS  whether minimums follow every 8 blocks
 *     TYPE_SUM_TILES, TYPE_SUM_ROWS  the type's assembly loops, or NULL
 *     block_sums()   see below
 * and includes this. It gets multiply_tiles(), the multiply() of struct phx_matmul_kernel.
 *
 * The frame multiplies n_tiles x n_rows at a time, one of the two being 1: several tiles share an activation row's
 * scalars (matrix times vector), or several rows share a tile's unpacked weights (matrix times matrix). Both are
 * constants after inlining, and every array below is a set of registers. There are 32: four results' PA and T take 16,
 * their block sums 8, which leaves 8 for weights on their way. Five results would spill.
 *
 * A scale vector's lane 2*i is row i and 2*i + 1 is row 32 + i. A product of two vectors of int16 is a pair with the even
 * lanes in lo: so lo sums rows 0..31 and hi rows 32..63, in order.
 */
#include "groups.h"
#include "result.h"

#define MAX_RESULTS 4   /* results of 64 rows at a time */
#define SUPER_BLOCK 8   /* blocks that share a set of minimums */
#define TABLE_VECTORS 2 /* of the row table, in front of a tile's blocks */
#define MINIMUM_VECTORS 5
#define HVX_WORK_BYTES (MAX_RESULTS * 2 * HVX_BYTES)

/* What one call of block_sums() finds: P16 of each scale block and result, and each tile's scales. */
struct block_sums {
    HVX_Vector vp_i16[TYPE_SCALES][MAX_RESULTS];
    HVX_Vector vscale_i16[TYPE_SCALES][MAX_RESULTS];
};

struct operands {
    const HVX_Vector *w[MAX_RESULTS];            /* the next vector of each tile */
    const int32_t *q[MAX_RESULTS];               /* the next block of each row */
    const struct hvx_block *blocks[MAX_RESULTS]; /* likewise */
};

/* Block sums of the next block, by the type. Moves w past it. */
HVX_INLINE void block_sums(struct operands *operands, int n_tiles, int n_rows, struct block_sums *sums);

/* TM += (B16 * dm) >> DM of super-block number i of the row's batch. */
HVX_INLINE HVX_VectorPair add_minimums(HVX_VectorPair wtm, const HVX_Vector *w, const struct hvx_minimums *minimums,
                                       uint32_t i, int32_t dm) {
    HVX_Vector vb_i32[2];
    HVX_UNROLL
    for (int half = 0; half < 2; half++) {
        HVX_Vector vhigh = Q6_Vw_vrmpy_VubRb(w[2 * half], minimums->high[2 * i]);
        HVX_Vector vlow = Q6_Vuw_vrmpy_VubRub(w[2 * half], minimums->low[2 * i]);
        vhigh = Q6_Vw_vrmpyacc_VwVubRb(vhigh, w[2 * half + 1], minimums->high[2 * i + 1]);
        vlow = Q6_Vuw_vrmpyacc_VuwVubRub(vlow, w[2 * half + 1], minimums->low[2 * i + 1]);
        vb_i32[half] = Q6_Vw_vaslacc_VwVwR(vlow, vhigh, 8);
    }
    HVX_Vector vb_i16 = Q6_Vh_vasr_VwVwR_rnd_sat(vb_i32[1], vb_i32[0], 9);
    HVX_VectorPair wproduct = Q6_Ww_vmpy_VhVh(vb_i16, w[4]);
    return Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wtm), Q6_V_hi_W(wproduct), dm),
                            Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wtm), Q6_V_lo_W(wproduct), dm));
}

/* TM of a tile and a row; w: the tile's blocks. */
static __attribute__((noinline, unused)) HVX_VectorPair sum_minimums(const struct phx_matmul *mm, const HVX_Vector *w,
                                                                     const struct hvx_row *row) {
    const struct hvx_minimums *minimums = hvx_row_minimums(mm, row);
    HVX_VectorPair wtm = hvx_w_zero();
    w += SUPER_BLOCK * TYPE_VECTORS;
    for (uint32_t i = 0; i < mm->n_blocks / SUPER_BLOCK; i++) {
        wtm = add_minimums(wtm, w, &minimums[i / (HVX_BATCH / SUPER_BLOCK)], i % (HVX_BATCH / SUPER_BLOCK),
                           (int32_t)mm->dm);
        w += SUPER_BLOCK * TYPE_VECTORS + MINIMUM_VECTORS;
    }
    return wtm;
}

/* T' of n_tiles x n_rows results, rows 0..31 and 32..63 of each, to sums. */
HVX_INLINE void sum_results(const struct phx_matmul *mm, const uint8_t *tile, int n_tiles, const uint8_t *rows,
                            int n_rows, hvx_sum_groups *sum_groups, HVX_Vector *sums) {
    struct operands operands;
    HVX_VectorPair wt[MAX_RESULTS];
    size_t row_bytes = hvx_row_bytes(mm);
    int n_results = n_tiles * n_rows;
    uint32_t n_groups = mm->n_blocks * TYPE_SCALES / 4;
    uint32_t n_done = sum_groups && n_groups >= HVX_MIN_GROUPS ? n_groups * 4 / TYPE_SCALES : 0;
    if (n_done > 0) {
        struct hvx_groups groups = {.n_groups = n_groups, .ds = mm->ds, .t = sums};
        HVX_UNROLL
        for (int i = 0; i < n_tiles; i++) {
            groups.w[i] = (const HVX_Vector *)(tile + i * mm->tile_bytes) + TABLE_VECTORS;
        }
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            const struct hvx_row *row = (const struct hvx_row *)(rows + i * row_bytes);
            groups.q[i] = hvx_row_q(mm, row);
            groups.blocks[i] = hvx_row_blocks(row);
        }
        sum_groups(&groups);
        if (n_done == mm->n_blocks && !TYPE_MINIMUMS) {
            return;
        }
    }
    HVX_UNROLL
    for (int i = 0; i < n_tiles; i++) {
        operands.w[i] = (const HVX_Vector *)(tile + i * mm->tile_bytes) + TABLE_VECTORS + n_done * TYPE_VECTORS;
    }
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        const struct hvx_row *row = (const struct hvx_row *)(rows + i * row_bytes);
        operands.q[i] = hvx_row_q(mm, row) + n_done * TYPE_Q_WORDS;
        operands.blocks[i] = hvx_row_blocks(row) + n_done * TYPE_SCALES;
    }
    HVX_UNROLL
    for (int i = 0; i < n_results; i++) {
        wt[i] = n_done > 0 ? Q6_W_vcombine_VV(sums[2 * i + 1], sums[2 * i]) : hvx_w_zero();
    }

    for (uint32_t block = n_done; block < mm->n_blocks;) {
        HVX_VectorPair wpa[MAX_RESULTS];
        HVX_UNROLL
        for (int i = 0; i < n_results; i++) {
            wpa[i] = hvx_w_zero();
        }
        uint32_t n_left = mm->n_blocks - block;
        uint32_t n_in_group = n_left < 4 / TYPE_SCALES ? n_left : 4 / TYPE_SCALES;
        for (uint32_t j = 0; j < n_in_group; j++) {
            struct block_sums found;
            block_sums(&operands, n_tiles, n_rows, &found);
            HVX_UNROLL
            for (int i = 0; i < n_results; i++) {
                int row = n_rows == 1 ? 0 : i;
                HVX_UNROLL
                for (int part = 0; part < TYPE_SCALES; part++) {
                    HVX_Vector ve = hvx_mpyr_scalar_i16(found.vscale_i16[part][n_tiles == 1 ? 0 : i],
                                                        operands.blocks[row][part].da);
                    wpa[i] = Q6_Ww_vmpyacc_WwVhVh(wpa[i], found.vp_i16[part][i], ve);
                }
            }
            HVX_UNROLL
            for (int row = 0; row < n_rows; row++) {
                operands.q[row] += TYPE_Q_WORDS;
                operands.blocks[row] += TYPE_SCALES;
            }
        }
        block += n_in_group;
        HVX_UNROLL
        for (int i = 0; i < n_results; i++) {
            wt[i] = Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wt[i]), Q6_V_hi_W(wpa[i]), (int32_t)mm->ds),
                                     Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wt[i]), Q6_V_lo_W(wpa[i]), (int32_t)mm->ds));
        }
        if (TYPE_MINIMUMS && block % SUPER_BLOCK == 0) {
            HVX_UNROLL
            for (int i = 0; i < n_tiles; i++) {
                operands.w[i] += MINIMUM_VECTORS;
            }
        }
    }

    HVX_UNROLL
    for (int i = 0; i < n_results; i++) {
        HVX_Vector vlow = Q6_V_lo_W(wt[i]), vhigh = Q6_V_hi_W(wt[i]);
        if (TYPE_MINIMUMS) {
            const HVX_Vector *table = (const HVX_Vector *)(tile + (n_tiles == 1 ? 0 : i) * mm->tile_bytes);
            HVX_VectorPair wtm = sum_minimums(mm, table + TABLE_VECTORS,
                                              (const struct hvx_row *)(rows + (n_rows == 1 ? 0 : i) * row_bytes));
            vlow = hvx_apply_shifts_i32(vlow, Q6_V_lo_W(wtm), table[0]);
            vhigh = hvx_apply_shifts_i32(vhigh, Q6_V_hi_W(wtm), table[1]);
        }
        sums[2 * i] = vlow;
        sums[2 * i + 1] = vhigh;
    }
}

/* Not inlined: one copy of each, so that the compiler allocates registers for one loop at a time. */
static __attribute__((noinline)) void sum_4_tiles(const struct phx_matmul *mm, const uint8_t *tile,
                                                  const uint8_t *rows, HVX_Vector *sums) {
    sum_results(mm, tile, 4, rows, 1, TYPE_SUM_TILES, sums);
}

static __attribute__((noinline)) void sum_1(const struct phx_matmul *mm, const uint8_t *tile, const uint8_t *rows,
                                            HVX_Vector *sums) {
    sum_results(mm, tile, 1, rows, 1, NULL, sums);
}

static __attribute__((noinline)) void sum_2_rows(const struct phx_matmul *mm, const uint8_t *tile,
                                                 const uint8_t *rows, HVX_Vector *sums) {
    sum_results(mm, tile, 1, rows, 2, NULL, sums);
}

static __attribute__((noinline)) void sum_4_rows(const struct phx_matmul *mm, const uint8_t *tile,
                                                 const uint8_t *rows, HVX_Vector *sums) {
    sum_results(mm, tile, 1, rows, 4, TYPE_SUM_ROWS, sums);
}

static void multiply_tiles(const struct phx_matmul *mm, const void *rows, uint32_t n_rows, uint32_t first,
                           uint32_t last, struct phx_rows_out dst, void *work) {
    size_t row_bytes = hvx_row_bytes(mm);
    struct hvx_results results = {.of_tiles = n_rows == 1, .row_bytes = row_bytes, .sums = work};
    for (uint32_t tile = first; tile < last; tile += results.of_tiles ? results.n_results : 1) {
        const uint8_t *weights = mm->tiles + (size_t)tile * mm->tile_bytes;
        for (uint32_t m = 0; m < n_rows; m += results.of_tiles ? 1 : results.n_results) {
            const uint8_t *row = (const uint8_t *)rows + m * row_bytes;
            uint32_t n_left = results.of_tiles ? last - tile : n_rows - m;
            results.n_results = n_left >= 4 ? 4 : results.of_tiles || n_left == 1 ? 1 : 2;
            if (results.n_results == 1) {
                sum_1(mm, weights, row, work);
            } else if (results.of_tiles) {
                sum_4_tiles(mm, weights, row, work);
            } else if (results.n_results == 4) {
                sum_4_rows(mm, weights, row, work);
            } else {
                sum_2_rows(mm, weights, row, work);
            }
            results.first_tile = tile;
            results.rows = (const struct hvx_row *)row;
            results.dst = (struct phx_rows_out){dst.data + m * dst.stride, dst.stride};
            hvx_store_results(mm, &results);
        }
    }
}
