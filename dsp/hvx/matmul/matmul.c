/* SPDX-License-Identifier: MIT
 *
 * multiply() of every weight type: docs/arithmetic.md, 2 and 3.
 *
 * The micro-kernels of groups.h make up to four results at a time: of four tiles and one activation row (GEMV), or of
 * one tile and up to five rows (GEMM). Fewer than four tiles go through a micro-kernel of one tile. Micro-kernels take
 * whole groups of four scale blocks, so multiply() passes the blocks of a tile in pieces:
 *     in place   whole groups, where they lie in the tile; with reads_groups, the last one may reach behind it
 *     padded     the remainder, copied to working memory and padded to a group with blocks whose scales are zero
 *     expanded   with many rows, where unpacking once for all rows pays: up to HVX_CHUNK blocks, padded as well
 * Padding may meet any activations, but these must be readable: rows are padded to whole batches. Beside float weights,
 * whose sums are shifted, the q of padding are 0.
 */
#include "matmul.h"

#include "formats/tiles.h"
#include "runtime/fetch.h"

#define TABLE_VECTORS (PHX_TABLE_BYTES / HVX_BYTES)

/* Constant during a call. */
struct call {
    const struct phx_matmul *mm;
    const struct hvx_type *type;
    const struct phx_weight_type *row; /* of idl/types.h */
    uint32_t q_offset;                 /* of a quantised row's activations, from its start */

    uint32_t n_groups;  /* in place, from the first block on */
    uint32_t remainder; /* the first block behind them */

    HVX_Vector *blocks;   /* working memory for padded and for expanded blocks */
    HVX_Vector *totals;   /* of each result: weight rows 0..31, then 32..63 */
    HVX_Vector *minimums; /* the same for the minimums of super-blocks */

    uint32_t is_first; /* the accumulators begin with these blocks */
    uint32_t is_last;  /* the accumulators end with these blocks: the epilogue converts them to floats */
};

/* The operand of one micro-kernel call: n_groups of each tile from block `base` on. */
struct piece {
    const HVX_Vector *w[HVX_RESULTS];
    uint32_t base;
    uint32_t n_groups;
    bool is_expanded;
    bool is_in_place;
};

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

/* log2 of the blocks of a group: 4 blocks, or 2 if a block has two scales. */
static uint32_t group_shift(const struct phx_weight_type *row) {
    return 3u - row->scales_per_block;
}

/* log2 of the blocks of a group in place: twice as many where eight scale blocks share a vector of scales or minimums.
 */
static uint32_t in_place_shift(const struct phx_weight_type *row) {
    return group_shift(row) +
           (row->minimums == PHX_MINIMUMS_IN_SUMS || phx_has_threes(row) || phx_leads_with_scales(row));
}

/* Groups of 1 << shift blocks in place, where mm->reads_groups is `reads_groups`. */
static inline uint32_t n_in_place(const struct phx_matmul *mm, uint32_t shift, bool reads_groups) {
    return (mm->last_block - mm->first_block + (reads_groups ? (1u << shift) - 1 : 0)) >> shift;
}

static const HVX_Vector *tile_vectors(const struct phx_matmul *mm, uint32_t tile) {
    return (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes);
}

/* Vectors of a tile before `block`, the first of a group. */
static uint32_t vectors_before(const struct phx_weight_type *row, uint32_t block) {
    uint32_t in_super = block % PHX_BLOCKS_OF_SUPER;
    return TABLE_VECTORS + block / PHX_BLOCKS_OF_SUPER * phx_super_vectors(row) + row->lead_vectors +
           in_super / PHX_BLOCKS_OF_GROUP * row->group_vectors + in_super * row->vectors_per_block;
}

/* One packet per vector, as long as the compiler does not unroll the loop. */
static void copy(HVX_Vector *restrict to, const HVX_Vector *restrict from, uint32_t n_vectors) {
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n_vectors; i++) {
        to[i] = from[i];
    }
}

/* Copies the remainder of a tile, blocks remainder..last_block-1, and pads it to a group. Padding blocks get zeros only
 * for their scales, and minimums if any: these are the last vectors of a block, or nibbles of the group's first vector.
 * Types with super-blocks have no remainder: 256 k are whole groups. */
static void copy_remainder(const struct call *call, const HVX_Vector *tile, HVX_Vector *to) {
    uint32_t n_vectors = call->row->vectors_per_block, n_blocks = call->mm->last_block - call->remainder;
    copy(to, tile + vectors_before(call->row, call->remainder), call->row->group_vectors + n_blocks * n_vectors);
    if (call->row->group_vectors > 0) {
        to[0] = Q6_V_vor_VV(to[0], hvx_splat_i16((int32_t)(0xffffu << 4 * n_blocks & 0xffff)));
        return;
    }
    for (uint32_t i = n_blocks; i < 1u << group_shift(call->row); i++) {
        HVX_Vector *block = to + i * n_vectors;
        block[n_vectors - 2] = block[n_vectors - 1] = Q6_V_vzero();
    }
}

_Static_assert(HVX_BLOCKS_WORK_BYTES >= HVX_RESULTS * 4 * 33 * HVX_BYTES, "room for copies of floats");

/* The whole groups of up to four tiles, in place. */
static struct piece piece_in_place(const struct call *call, uint32_t first_tile, uint32_t n_tiles) {
    struct piece piece = {.base = call->mm->first_block, .n_groups = call->n_groups, .is_in_place = true};
    const HVX_Vector *w = (const HVX_Vector *)(call->mm->tiles + (size_t)first_tile * call->mm->tile_bytes +
                                               call->mm->first_byte) +
                          call->row->lead_vectors;
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_RESULTS; i++) {
        piece.w[i] = w;
        w += i + 1 < n_tiles ? call->mm->tile_bytes / HVX_BYTES : 0;
    }
    return piece;
}

/* The remainder of up to four tiles, padded. */
static struct piece padded_piece(const struct call *call, uint32_t first_tile, uint32_t n_tiles) {
    uint32_t copy_vectors = (call->row->vectors_per_block << group_shift(call->row)) + call->row->group_vectors;
    struct piece piece = {.base = call->remainder, .n_groups = 1};
    for (uint32_t i = 0; i < HVX_RESULTS; i++) {
        HVX_Vector *to = call->blocks + at_most(i, n_tiles - 1) * copy_vectors;
        if (i < n_tiles) {
            copy_remainder(call, tile_vectors(call->mm, first_tile + i), to);
        }
        piece.w[i] = to;
    }
    return piece;
}

/* Blocks first..last-1 of a tile, at most HVX_CHUNK from the start of a batch, expanded. */
static struct piece expanded_piece(const struct call *call, uint32_t tile, uint32_t first, uint32_t last) {
    struct piece piece = {.w = {call->blocks}, .base = first - first % HVX_BATCH, .is_expanded = true};
    uint32_t shift = group_shift(call->row);
    piece.n_groups = (last - piece.base + (1u << shift) - 1) >> shift;
    call->type->expand(tile_vectors(call->mm, tile) + TABLE_VECTORS, piece.base, first, last,
                       piece.base + (piece.n_groups << shift), call->blocks);
    return piece;
}

/* Operands of a micro-kernel for up to four tiles and one row. */
HVX_INLINE void groups_of_tiles(struct hvx_groups *groups, const struct call *call, const struct phx_rows *rows,
                                const struct piece *piece) {
    const uint8_t *row = rows->x + rows->x_offsets[0];
    groups->n_groups = piece->n_groups;
    groups->ds = call->mm->ds;
    groups->totals = call->totals;
    groups->table = call->type->table;
    groups->q[0] = (const int32_t *)(row + call->q_offset + (piece->base << call->type->q_shift));
    groups->blocks[0] = hvx_row_blocks(row) + piece->base * call->row->scales_per_block;
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_RESULTS; i++) {
        groups->w[i] = piece->w[i];
    }
}

/* Accumulates a piece of four tiles and one row. */
static void sum_four_tiles(const struct call *call, const struct phx_rows *rows, const struct piece *piece) {
    struct hvx_groups groups;
    groups_of_tiles(&groups, call, rows, piece);
    call->type->sum_tiles(&groups);
}

/* Accumulates a piece of fewer tiles, one tile after the other. */
static void sum_each_tile(const struct call *call, const struct phx_rows *rows, uint32_t n_tiles,
                          const struct piece *piece) {
    struct hvx_groups groups;
    groups_of_tiles(&groups, call, rows, piece);
    for (uint32_t i = 0; i < n_tiles; i++) {
        groups.w[0] = piece->w[i];
        call->type->sum_tile(&groups);
        groups.totals += 2;
    }
}

HVX_INLINE void sum_tiles(const struct call *call, const struct phx_rows *rows, uint32_t n_tiles,
                          const struct piece *piece) {
    if (n_tiles == HVX_RESULTS) {
        sum_four_tiles(call, rows, piece);
    } else {
        sum_each_tile(call, rows, n_tiles, piece);
    }
}

/* Rows of the next micro-kernel call, of n_left rows: 4 if 4 divides n_left; 5 if the rest then splits into fives and
 * fours; else 3 where the type has a micro-kernel of three rows, else 2; 1 only if a single row is left. */
static uint32_t rows_at_once(const struct hvx_type *type, uint32_t n_left) {
    uint32_t past_fours = n_left % HVX_RESULTS;
    if (past_fours == 0) {
        return HVX_RESULTS;
    }
    if (type->sum_rows[HVX_LOOP_ROWS - 2] && n_left >= past_fours * HVX_LOOP_ROWS) {
        return HVX_LOOP_ROWS;
    }
    return at_most(n_left, type->sum_rows[1] ? HVX_RESULTS - 1 : 2);
}

/* Prefetches the activations and scales of a piece's blocks in rows first..end-1. */
static __attribute__((noinline)) void fetch_rows(const struct call *call, const struct phx_rows *rows, uint32_t first,
                                                 uint32_t end, const struct piece *piece) {
    uint32_t shift = piece->is_in_place ? in_place_shift(call->row) : group_shift(call->row);
    uint32_t n_blocks = piece->n_groups << shift, scale_bytes = call->row->scales_per_block * sizeof(struct hvx_block);
    for (uint32_t m = first; m < end; m++) {
        const uint8_t *row = rows->x + rows->x_offsets[m];
        phx_dcfetch(row + call->q_offset + (piece->base << call->type->q_shift), n_blocks << call->type->q_shift);
        phx_dcfetch((const uint8_t *)hvx_row_blocks(row) + piece->base * scale_bytes, n_blocks * scale_bytes);
    }
}

/* Accumulates a piece of one tile and rows first..end-1. */
static inline __attribute__((always_inline)) void sum_piece(const struct call *call, const struct phx_rows *rows,
                                                            uint32_t first, uint32_t end, const struct piece *piece,
                                                            bool has_dcfetch) {
    uint32_t q_offset = call->q_offset + (piece->base << call->type->q_shift);
    uint32_t first_scale = piece->base * call->row->scales_per_block;
    hvx_sum_groups *const *by_rows = call->type->sum_rows;
    hvx_sum_groups *sum_four = piece->is_expanded ? call->type->sum_expanded : by_rows[HVX_RESULTS - 2];
    struct hvx_groups groups;
    groups.w[0] = piece->w[0];
    groups.n_groups = piece->n_groups;
    groups.ds = call->mm->ds;
    groups.totals = call->totals + 2 * first;
    groups.table = call->type->table;
    if (has_dcfetch) {
        fetch_rows(call, rows, first, at_most(first + HVX_RESULTS, end), piece);
    }
    for (uint32_t m = first, n; m < end; m += n) {
        n = rows_at_once(call->type, end - m);
        if (has_dcfetch) {
            fetch_rows(call, rows, m + n, at_most(m + n + HVX_RESULTS, end), piece);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_RESULTS; i++) {
            const uint8_t *row = rows->x + rows->x_offsets[m + at_most(i, n - 1)];
            groups.q[i] = (const int32_t *)(row + q_offset);
            groups.blocks[i] = hvx_row_blocks(row) + first_scale;
        }
        hvx_sum_groups *sum = n == HVX_RESULTS ? sum_four : n == 1 ? call->type->sum_tile : by_rows[n - 2];
        if (n > HVX_RESULTS) {
            const uint8_t *row = rows->x + rows->x_offsets[m + HVX_RESULTS];
            groups.q[HVX_RESULTS] = (const int32_t *)(row + q_offset);
            groups.blocks[HVX_RESULTS] = hvx_row_blocks(row) + first_scale;
        }
        sum(&groups);
        groups.totals += 2 * n;
    }
}

static void sum_rows(const struct call *call, const struct phx_rows *rows, uint32_t first, uint32_t end,
                     const struct piece *piece) {
    sum_piece(call, rows, first, end, piece, false);
}

static __attribute__((noinline)) void sum_rows_ahead(const struct call *call, const struct phx_rows *rows,
                                                     uint32_t first, uint32_t end, const struct piece *piece) {
    sum_piece(call, rows, first, end, piece, true);
}

/* Accumulates the whole groups of one tile and rows first..end-1 with dcfetch, one batch of k after the other: a batch
 * of the current four rows and of the next four fits L1, eight rows of full length may not. */
static __attribute__((noinline)) void sum_in_place_ahead(const struct call *call, const struct phx_rows *rows,
                                                         uint32_t first, uint32_t end, uint32_t tile) {
    struct piece piece = piece_in_place(call, tile, 1);
    const HVX_Vector *w = piece.w[0];
    uint32_t before = vectors_before(call->row, piece.base), n_left = piece.n_groups;
    for (uint32_t most = HVX_BATCH >> in_place_shift(call->row); n_left > 0; n_left -= piece.n_groups) {
        piece.n_groups = at_most(n_left, most);
        piece.w[0] = w + (vectors_before(call->row, piece.base) - before);
        sum_rows_ahead(call, rows, first, end, &piece);
        piece.base += HVX_BATCH;
    }
}

static void clear(HVX_Vector *v, uint32_t n_vectors) {
    for (uint32_t i = 0; i < n_vectors; i++) {
        v[i] = Q6_V_vzero();
    }
}

/* Accumulates the minimums of the call's blocks, some results at a time. */
static void add_minimums(const struct call *call, const struct hvx_results *results) {
    const struct phx_matmul *mm = call->mm;
    HVX_Vector *minimums = call->minimums;
    struct hvx_minimum_operands operands = {.first = mm->first_block / PHX_BLOCKS_OF_SUPER,
                                            .last = mm->last_block / PHX_BLOCKS_OF_SUPER};
    for (uint32_t first = 0, n; first < results->n_results; first += n) {
        n = rows_at_once(call->type, results->n_results - first);
        hvx_sum_minimums *sum = call->type->sum_minimums_of_tiles;
        if (!results->of_tiles) {
            sum = call->type->sum_minimums_of_rows[n - 2];
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_RESULTS; i++) {
            uint32_t result = first + at_most(i, n - 1);
            uint32_t tile = results->first_tile + (results->of_tiles ? result : 0);
            operands.w[i] = (const HVX_Vector *)((const uint8_t *)tile_vectors(mm, tile) + mm->first_byte);
            operands.rows[i] = hvx_result_row(results, results->of_tiles ? 0 : result);
        }
        if (call->is_first) {
            clear(minimums, 2 * (results->of_tiles ? HVX_RESULTS : n));
        }
        sum(mm, &operands, minimums);
        minimums += 2 * n;
    }
}

static void subtract_minimums(const struct phx_matmul *mm, const struct hvx_results *results,
                              const HVX_Vector *minimums) {
    HVX_Vector *totals = results->sums;
    for (uint32_t i = 0; i < results->n_results; i++) {
        const HVX_Vector *table = hvx_row_table(mm, results->first_tile + (results->of_tiles ? i : 0));
        totals[2 * i] = hvx_apply_shifts_i32(totals[2 * i], minimums[2 * i], table[0]);
        totals[2 * i + 1] = hvx_apply_shifts_i32(totals[2 * i + 1], minimums[2 * i + 1], table[1]);
    }
}

/* The epilogue: accumulates the minimums and, with the last blocks, stores the results. */
static void finish(const struct call *call, const struct hvx_results *results) {
    if (call->type->sum_minimums_of_tiles) {
        add_minimums(call, results);
    }
    if (!call->is_last) {
        return;
    }
    if (call->type->sum_minimums_of_tiles) {
        subtract_minimums(call->mm, results, call->minimums);
    }
    hvx_store_results(call->mm, results);
}

/* Multiplies up to four tiles by one row. */
static __attribute__((noinline)) void multiply_tiles(const struct call *call, const struct phx_rows *rows,
                                                     uint32_t first, uint32_t n) {
    if (call->is_first) {
        clear(call->totals, 2 * HVX_RESULTS);
    }
    if (call->n_groups > 0) {
        struct piece piece = piece_in_place(call, first, n);
        sum_tiles(call, rows, n, &piece);
    }
    if (call->remainder < call->mm->last_block) {
        struct piece piece = padded_piece(call, first, n);
        sum_tiles(call, rows, n, &piece);
    }
    struct hvx_results results = {
        .of_tiles = true, .n_results = n, .first_tile = first, .rows = rows, .sums = call->totals};
    finish(call, &results);
}

/* GEMV: multiplies tiles first..last-1 by each row, one row after the other. */
static void multiply_vectors(const struct call *call, const struct phx_rows *rows, uint32_t first, uint32_t last) {
    for (uint32_t next; first < last; first = next) {
        struct call of_row = *call;
        struct phx_rows row = *rows;
        next = at_most(first + HVX_RESULTS, last);
        for (uint32_t i = 0; i < rows->n; i++) { /* accumulators of cut tiles stay until the next piece */
            multiply_tiles(&of_row, &row, first, next - first);
            row.x_offsets++;
            row.dst_offsets++;
            of_row.totals += 2 * HVX_RESULTS;
            of_row.minimums += 2 * HVX_RESULTS;
        }
    }
}

/* Accumulates an expanded tile and the first n rows, a multiple of four. */
static void sum_expanded(const struct call *call, const struct phx_rows *rows, uint32_t n, uint32_t tile) {
    uint32_t last_block = call->mm->last_block;
    for (uint32_t first = call->mm->first_block; first < last_block;) {
        uint32_t last = at_most(last_block, first - first % HVX_BATCH + HVX_CHUNK);
        struct piece piece = expanded_piece(call, tile, first, last);
        if (call->mm->has_dcfetch) {
            sum_rows_ahead(call, rows, 0, n, &piece);
        } else {
            sum_rows(call, rows, 0, n, &piece);
        }
        first = last;
    }
}

/* GEMM: multiplies a tile by all rows. */
static void multiply_rows(const struct call *call, const struct phx_rows *rows, uint32_t tile) {
    struct hvx_results results = {.n_results = rows->n, .first_tile = tile, .rows = rows, .sums = call->totals};
    if (call->is_first) {
        clear(call->totals, 2 * rows->n);
    }
    uint32_t n_expanded = 0;
    if (call->type->expand && rows->n >= call->type->expand_from) {
        n_expanded = rows->n - rows->n % HVX_RESULTS;
        sum_expanded(call, rows, n_expanded, tile);
    }
    if (n_expanded < rows->n && call->n_groups > 0) {
        if (call->mm->has_dcfetch) {
            sum_in_place_ahead(call, rows, n_expanded, rows->n, tile);
        } else {
            struct piece piece = piece_in_place(call, tile, 1);
            sum_rows(call, rows, n_expanded, rows->n, &piece);
        }
    }
    if (n_expanded < rows->n && call->remainder < call->mm->last_block) {
        struct piece piece = padded_piece(call, tile, 1);
        sum_rows(call, rows, n_expanded, rows->n, &piece);
    }
    finish(call, &results);
}

static HVX_Vector *minimums_behind(const HVX_Vector *totals, const struct phx_rows *rows) {
    return (HVX_Vector *)totals + 2 * (rows->n + HVX_SLACK_RESULTS);
}

static HVX_Vector *totals_of(const struct phx_rows *rows, void *work) {
    return rows->sums ? rows->sums : (uint8_t *)work + HVX_BLOCKS_WORK_BYTES;
}

static __attribute__((noinline)) void multiply_all(const struct phx_matmul *mm, const struct phx_rows *rows,
                                                   uint32_t first, uint32_t last, void *work) {
    const struct hvx_type *type = &hvx_types[mm->dtype];
    const struct phx_weight_type *row = &phx_weight_types[mm->dtype];
    HVX_Vector *totals = totals_of(rows, work);
    uint32_t shift = in_place_shift(row), n_groups = n_in_place(mm, shift, mm->reads_groups);
    struct call call = {.mm = mm,
                        .type = type,
                        .row = row,
                        .q_offset = hvx_q_offset(mm, type->before_q),
                        .n_groups = n_groups,
                        .remainder = mm->first_block + (n_groups << shift),
                        .blocks = work,
                        .totals = totals,
                        .minimums = minimums_behind(totals, rows),
                        .is_first = mm->first_block == rows->first_block,
                        .is_last = mm->last_block == mm->n_blocks && !rows->sums};
    if (rows->n <= type->kernel.rows_apart) {
        multiply_vectors(&call, rows, first, last);
        return;
    }
    for (uint32_t tile = first; tile < last; tile++) {
        multiply_rows(&call, rows, tile);
    }
}

/* The epilogue of multiply_four(). */
static __attribute__((noinline)) void finish_four(const struct phx_matmul *mm, const struct phx_rows *rows,
                                                  uint32_t first, HVX_Vector *totals, bool is_last) {
    struct call call = {.mm = mm,
                        .type = &hvx_types[mm->dtype],
                        .totals = totals,
                        .minimums = minimums_behind(totals, rows),
                        .is_first = mm->first_block == rows->first_block,
                        .is_last = is_last};
    struct hvx_results results = {
        .of_tiles = true, .n_results = HVX_RESULTS, .first_tile = first, .rows = rows, .sums = totals};
    finish(&call, &results);
}

/* Multiplies four tiles by one row, all in place. Decode steps spend their time here, so it prepares only what the
 * micro-kernel reads. */
static __attribute__((noinline)) void multiply_four(const struct phx_matmul *mm, const struct phx_rows *rows,
                                                    uint32_t first, void *work) {
    const struct hvx_type *type = &hvx_types[mm->dtype];
    const struct phx_weight_type *row = &phx_weight_types[mm->dtype];
    const uint8_t *x = rows->x + rows->x_offsets[0];
    HVX_Vector *totals = totals_of(rows, work);
    uint32_t tile_bytes = mm->tile_bytes;
    const uint8_t *w = mm->tiles + (size_t)first * tile_bytes + mm->first_byte + row->lead_vectors * HVX_BYTES;
    bool is_last = mm->last_block == mm->n_blocks && !rows->sums;
    struct hvx_groups groups;
    groups.n_groups = n_in_place(mm, in_place_shift(row), true);
    groups.ds = mm->ds;
    groups.totals = totals;
    groups.table = type->table;
    groups.q[0] = (const int32_t *)(x + hvx_q_offset(mm, type->before_q) + (mm->first_block << type->q_shift));
    groups.blocks[0] = hvx_row_blocks(x) + mm->first_block * row->scales_per_block;
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_RESULTS; i++) {
        groups.w[i] = (const HVX_Vector *)w;
        w += tile_bytes;
    }
    if (mm->first_block == rows->first_block) {
        clear(totals, 2 * HVX_RESULTS);
    }
    type->sum_tiles(&groups);
    if (type->sum_minimums_of_tiles) {
        finish_four(mm, rows, first, totals, is_last);
    } else if (is_last) {
        struct hvx_results results = {
            .of_tiles = true, .n_results = HVX_RESULTS, .first_tile = first, .rows = rows, .sums = totals};
        hvx_store_results(mm, &results);
    }
}

static __attribute__((noinline)) void multiply_more(const struct phx_matmul *mm, const struct phx_rows *rows,
                                                    uint32_t first, uint32_t last, void *work) {
    if (rows->n == 1 && mm->reads_groups) {
        for (; last - first >= HVX_RESULTS; first += HVX_RESULTS) {
            multiply_four(mm, rows, first, work);
        }
    }
    if (first < last) {
        multiply_all(mm, rows, first, last, work);
    }
}

void hvx_multiply(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last, void *work) {
    if (rows->n == 1 && mm->reads_groups && last - first == HVX_RESULTS) {
        multiply_four(mm, rows, first, work);
    } else {
        multiply_more(mm, rows, first, last, work);
    }
}

/* Adds up the partial sums of n_results results, which lie `before` bytes behind the start of each thread's sums. */
static __attribute__((noinline)) void add_sums(HVX_Vector *restrict to, const struct phx_rows *rows,
                                               const struct phx_ending *ending, uint32_t before, uint32_t n_results) {
    const uint8_t *sums = (const uint8_t *)rows->sums + before;
    uint32_t n_sums = ending->n_sums;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n_results; i++) {
        const uint32_t *offset = ending->sums;
        HVX_Vector vlow_i32 = Q6_V_vzero(), vhigh_i32 = Q6_V_vzero();
#pragma clang loop unroll(disable)
        for (uint32_t j = 0; j < n_sums; j++) {
            const HVX_Vector *from = (const HVX_Vector *)(sums + *offset++);
            vlow_i32 = Q6_Vw_vadd_VwVw(vlow_i32, from[0]);
            vhigh_i32 = Q6_Vw_vadd_VwVw(vhigh_i32, from[1]);
        }
        to[0] = vlow_i32;
        to[1] = vhigh_i32;
        to += 2;
        sums += HVX_RESULT_BYTES;
    }
}

/* multiply() leaves partial sums in this order: with up to rows_apart rows, four results of tiles for each row; with
 * more rows, one result of the tile for each row. */
void hvx_finish_tiles(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                      void *work) {
    const struct hvx_type *type = &hvx_types[mm->dtype];
    HVX_Vector *totals = (HVX_Vector *)((uint8_t *)work + HVX_BLOCKS_WORK_BYTES);
    HVX_Vector *minimums = minimums_behind(totals, rows);
    uint32_t minimums_before = (uint32_t)((uint8_t *)minimums - (uint8_t *)totals);
    uint32_t n_rounds = 1, before = 0;
    struct phx_rows of_round = *rows;
    struct hvx_results results = {.of_tiles = rows->n <= type->kernel.rows_apart,
                                  .n_results = rows->n,
                                  .first_tile = ending->first,
                                  .rows = &of_round,
                                  .sums = totals};
    if (results.of_tiles) {
        n_rounds = rows->n;
        before = (ending->first - ending->start) * HVX_RESULT_BYTES;
        results.n_results = ending->last - ending->first;
    }
    for (;;) {
        add_sums(totals, rows, ending, before, results.n_results);
        if (type->sum_minimums_of_tiles) {
            add_sums(minimums, rows, ending, minimums_before + before, results.n_results);
            subtract_minimums(mm, &results, minimums);
        }
        hvx_store_results(mm, &results);
        if (--n_rounds == 0) {
            return;
        }
        of_round.x_offsets++;
        of_round.dst_offsets++;
        before += HVX_RESULTS * HVX_RESULT_BYTES;
    }
}
