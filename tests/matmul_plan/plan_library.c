/* SPDX-License-Identifier: MIT
 *
 * dsp/ops/matmul/plan.h for Python: plans a product from sizes and writes the plan down as rows of numbers.
 */
#include "formats/tiles.h"
#include "ops/matmul/plan.h"

#define EXPORT __attribute__((visibility("default")))

struct problem {
    uint32_t dtype, k, m, n_factors, n[PHX_MAX_FACTORS];
    uint32_t n_threads, vtcm_bytes; /* 0: no VTCM */
    uint32_t rows_apart, has_common_columns, may_split, may_share_rows;
};

/* A piece of a thread's slice, as the stream moves it. */
struct piece {
    uint32_t thread, factor, first_tile, n_tiles, first_block, last_block, n_bytes, room, sums, first_row, end_row;
};

/* Tiles of which a thread adds up the partial sums that `n_sums` threads have left. */
struct ending {
    uint32_t thread, factor, first, last, n_sums, sums[PHX_MAX_THREADS];
};

struct summary {
    uint32_t n_multiplying, is_split, is_row_split, n_quantizing, first_quantizing, each, more, sums_bytes;
};

/* As the HVX kernels say of themselves. */
static void finish(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                   void *work) {
    (void)mm, (void)rows, (void)ending, (void)work;
}

/* Bytes of a piece in its buffer, and what kernels read behind it. */
static uint32_t bytes_of(const struct phx_way *way, const struct phx_piece *piece) {
    uint32_t n_missing = (4 - way->mm->n_blocks % 4) % 4;
    uint32_t n_behind = n_missing * phx_weight_type(way->mm->dtype)->vectors_per_block * PHX_VECTOR;
    return piece->n_tiles * way->tile_bytes + (way->by_dma && way->reads_groups ? n_behind : 0);
}

static uint32_t write_pieces(const struct phx_way *way, const struct phx_room *room, uint32_t thread,
                             struct piece *to) {
    struct phx_piece piece = way->first;
    uint32_t n = 0;
    bool is_more = true;
    while (is_more) {
        bool is_in_room = way->by_dma || way->by_fetch;
        to[n++] = (struct piece){thread,
                                 way->factor,
                                 piece.first_tile,
                                 piece.n_tiles,
                                 piece.first_block,
                                 piece.last_block,
                                 is_in_room ? bytes_of(way, &piece) : 0,
                                 way->is_long ? room->n_bytes : room->buffer_bytes,
                                 way->sums,
                                 way->first_row,
                                 way->end_row};
        is_more = phx_piece_next(way, &piece);
    }
    return n;
}

/* Returns how many pieces there are; *n_endings: how many endings. The arrays must have room for all of them. */
EXPORT uint32_t plan_product(const struct problem *problem, struct summary *summary, struct piece *pieces,
                             struct ending *endings, uint32_t *n_endings) {
    struct phx_matmul_kernel kernel = *phx_matmul_ref(problem->dtype);
    struct phx_weight_plan weights[PHX_MAX_FACTORS];
    struct phx_share shares[PHX_MAX_THREADS];
    struct phx_ending finishing[PHX_MAX_THREADS][PHX_MAX_THREADS];
    struct phx_thread_plan threads[PHX_MAX_THREADS] = {{0}};
    struct phx_plan plan = {.n_factors = problem->n_factors,
                            .n_x = problem->m,
                            .n_places = problem->m,
                            .n_threads = problem->n_threads,
                            .has_common_columns = problem->has_common_columns,
                            .may_share_rows = problem->may_share_rows,
                            .threads = threads};
    uint32_t n_pieces = 0;
    kernel.rows_apart = (uint8_t)problem->rows_apart;
    kernel.takes_cut_tiles = true;
    kernel.finish = finish;
    kernel.sums_bytes = PHX_VECTOR;
    for (uint32_t i = 0; i < problem->n_factors; i++) {
        phx_weight_plan_make(&weights[i], &kernel, problem->dtype, problem->k, problem->n[i], problem->vtcm_bytes,
                             problem->n_threads);
        plan.weights[i] = &weights[i];
    }
    for (uint32_t i = 0; i < problem->n_threads; i++) {
        threads[i] = (struct phx_thread_plan){.shares = &shares[i], .endings = finishing[i]};
    }
    phx_plan_weights(&plan);
    phx_plan_make(&plan, problem->may_split);
    const struct phx_quantizing *quantizing = &plan.quantizing[0];
    *summary = (struct summary){plan.n_multiplying, plan.is_split,          plan.is_row_split,      quantizing->n,
                                quantizing->first,  quantizing->parts.each, quantizing->parts.more, plan.sums_bytes};
    *n_endings = 0;
    for (uint32_t i = 0; i < plan.n_multiplying; i++) {
        for (uint32_t j = 0; j < shares[i].n; j++) {
            const struct phx_way *way = &shares[i].ways[j];
            n_pieces += write_pieces(way, &weights[way->factor].room, i, pieces + n_pieces);
        }
        for (uint32_t j = 0; j < threads[i].n_endings; j++) {
            const struct phx_ending *from = &threads[i].endings[j];
            struct ending *to = &endings[(*n_endings)++];
            *to = (struct ending){i, from->factor, from->first, from->last, from->n_sums, {0}};
            for (uint32_t s = 0; s < from->n_sums; s++) {
                to->sums[s] = from->sums[s] / plan.sums_bytes;
            }
        }
    }
    return n_pieces;
}
