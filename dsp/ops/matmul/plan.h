/* SPDX-License-Identifier: MIT
 *
 * The plan of a product: which threads quantize which activations, which tiles each thread multiplies, and which thread
 * adds up the partial sums of tiles that threads share. Pure: it depends on shapes, weight types, threads and the size
 * of VTCM, never on addresses or data, so tests plan thousands of shapes on a PC (tests/matmul_plan).
 *
 * A product multiplies the same rows of activations with up to PHX_MAX_FACTORS weights, its factors (fused matmuls,
 * such as Q, K and V). Rows that meet the same matrix are a run. A work unit is PHX_TILES_AT_ONCE tiles for GEMV
 * kernels, which multiply several tiles with one row, and one tile for GEMM kernels, which multiply one tile with
 * several rows. Threads get contiguous slices of units. Where whole units would leave threads idle, split.h cuts units
 * along K or, with many rows, each thread multiplies the last units with some of the rows.
 */
#ifndef PHX_PLAN_H
#define PHX_PLAN_H

#include "ops/slices.h"
#include "pieces.h"
#include "split.h"

/* One weight: phx_call.plan, made when the op is checked. */
struct phx_weight_plan {
    struct phx_matmul mm; /* with the tiles of the first matrix */
    const struct phx_matmul_kernel *kernel;
    size_t matrix_bytes;   /* distance of matrices */
    uint32_t row_bytes;    /* of a quantized row */
    uint32_t n_tiles;      /* of a matrix */
    uint32_t cached_rows;  /* quantized rows that stay in the cache while tiles pass through it */
    uint32_t rows_at_once; /* of more rows than that, how many meet some tiles at a time */
    struct phx_room room;  /* of a thread, for its tiles: VTCM or cache */
    struct phx_cuts cuts;
    struct phx_matmul_kernel own_kernel; /* `kernel`, where stages are left out */
};

/* vtcm_bytes: all of VTCM, 0 for none. Does not set mm.tiles, which is no matter of shapes. */
void phx_weight_plan_make(struct phx_weight_plan *plan, const struct phx_matmul_kernel *kernel, uint32_t dtype,
                          uint32_t k, uint32_t n, uint32_t vtcm_bytes, uint32_t n_threads);

/* Rows first..first + n_rows - 1 of a chunk meet this matrix. */
struct phx_run {
    uint32_t matrix;
    uint32_t first;
    uint32_t n_rows;
};

/* Tiles of a factor. */
struct phx_columns {
    uint32_t first, last;
};

/* A thread's share of a run: its non-empty slices in the order in which it multiplies them, and the tiles of each
 * factor whose results it writes, for the element-wise ops that are fused behind. */
struct phx_share {
    uint32_t n;
    bool is_even; /* every thread has the same number of tiles */
    struct phx_way ways[PHX_MOST_SLICES];
    struct phx_columns columns[PHX_MAX_FACTORS];
};

/* Which threads quantize: n of them from `first` on, each some parts of rows. */
struct phx_quantizing {
    uint32_t n, first;
    struct phx_slices parts;
    bool is_one_row;   /* one row in one form */
    bool is_looked_at; /* whose largest exponent the threads find together, before they quantize it */
};

/* What one thread multiplies and finishes. */
struct phx_thread_plan {
    struct phx_share *shares; /* one, or in products of several runs a cache of them: execute.c */
    struct phx_ending *endings;
    uint32_t n_endings;
};

struct phx_plan {
    /* The problem. */
    const struct phx_weight_plan *weights[PHX_MAX_FACTORS]; /* of the factors */
    uint32_t n_factors;
    uint32_t n_x;            /* rows of activations */
    uint32_t n_places;       /* rows of results */
    uint32_t n_threads;      /* of the pool */
    bool has_common_columns; /* a thread gets the same columns of every factor */
    bool may_share_rows;     /* what follows the product takes parts of columns */

    /* What follows from the weights alone: phx_plan_weights(). */
    uint32_t n_forms;                                     /* quantized forms of a row that the factors want */
    uint32_t forms[PHX_MAX_FACTORS];                      /* the form of each factor */
    const struct phx_weight_plan *wants[PHX_MAX_FACTORS]; /* the first weight that wants each form */
    uint32_t row_bytes;                                   /* of a row in all forms */
    uint32_t rows_apart;     /* up to so many rows go through GEMV kernels: the least of all factors */
    bool is_by_single_tiles; /* no factor has room for several tiles at once, not even whole ones */

    /* The partition. */
    uint32_t n_multiplying;              /* threads */
    bool is_split;                       /* threads share tiles along K */
    bool is_row_split;                   /* each thread multiplies the last tiles with some of the rows */
    uint32_t sums_bytes;                 /* of the partial sums of one unit that threads share */
    struct phx_quantizing quantizing[2]; /* and where the op before has left the first form of the rows */
    struct phx_thread_plan *threads;     /* n_threads of them */
};

/* Sets what follows from plan->weights and plan->n_factors. */
void phx_plan_weights(struct phx_plan *plan);

/* Partitions a product of one run of n_places rows; may_split: threads may share tiles. threads[i].shares, and for a
 * split threads[i].endings (n_threads - 1 of them), have room. */
void phx_plan_make(struct phx_plan *plan, bool may_split);

/* Partitions a product of several runs, whose shares execute.c makes as it comes to them: phx_plan_cut(). */
void phx_plan_runs(struct phx_plan *plan, const struct phx_run *runs, uint32_t n_runs);

/* log2 of the tiles of a work unit. */
static inline uint32_t phx_plan_shift(const struct phx_plan *plan, uint32_t n_rows) {
    return n_rows <= plan->rows_apart && !plan->is_by_single_tiles ? PHX_TILES_AT_ONCE_SHIFT : 0;
}

/* Work units of a factor, for a run of n_rows. */
static inline uint32_t phx_plan_units(const struct phx_plan *plan, uint32_t factor, uint32_t n_rows) {
    uint32_t shift = phx_plan_shift(plan, n_rows);
    return (plan->weights[factor]->n_tiles + (1u << shift) - 1) >> shift;
}

/* Whether the rows of a run do not fit the cache, and meet some tiles some rows at a time. */
static inline bool phx_takes_rows_in_parts(const struct phx_weight_plan *weight, uint32_t n_rows) {
    return n_rows > weight->cached_rows && n_rows > weight->rows_at_once;
}

/* Slice `part` of n_multiplying of a run of n_rows: of all factors side by side, or the same slice of each factor. */
void phx_plan_cut(const struct phx_plan *plan, uint32_t n_rows, uint32_t part, struct phx_share *share);

#endif
