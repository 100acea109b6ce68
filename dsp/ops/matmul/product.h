/* SPDX-License-Identifier: MIT
 *
 * Rows of floats times weight matrices: what MUL_MAT and MUL_MAT_ID have in common.
 *
 * An op takes the rows of x in chunks, so that their quantised form stays small. In a chunk every row of results has a
 * place, and those of the same matrix have places side by side: a run. An op makes a chunk's tables, and
 * phx_product_run() computes it in phases (job.c): quantise, parts of rows cut over the threads; multiply, each run's
 * tiles cut over the threads in contiguous slices, which stream through VTCM (stream.h); and, where tiles are too few
 * for that and threads share them (split.h), add up what they have. The work is handed to the threads once, and between
 * phases they wait for each other.
 *
 * Of a few rows that meet one matrix, nothing but bytes changes from run to run: the product and its tables are made in
 * the first one, and kept with the program until one of its ops is checked again.
 *
 * Weights come from memory once for all rows of a chunk. If these are more than the cache holds, a thread takes as many
 * tiles as fit VTCM through some of the rows at a time, and has the next ones fetched.
 *
 * Several MUL_MATs or MUL_MAT_IDs of the same rows may be one product, of as many factors, with ops that go element by
 * element after them: dsp/ops/joined.c. A thread's slice of tiles is then one of all factors side by side, or the same of
 * each. After a MUL_MAT_ID these ops follow in each run: a thread does not have the same columns in all of them.
 */
#ifndef PHX_PRODUCT_H
#define PHX_PRODUCT_H

#include "kernel.h"
#include "kept.h"
#include "ops/executor.h"
#include "split.h"
#include "stream.h"

/* Places first..first + n_rows - 1 meet this matrix. */
struct phx_run {
    uint32_t matrix;
    uint32_t first;
    uint32_t n_rows;
};

/* What is known when the op is checked: phx_call.plan. */
struct phx_product_plan {
    struct phx_matmul mm; /* with the tiles of the first matrix */
    const struct phx_matmul_kernel *kernel;
    size_t matrix_bytes;   /* distance of matrices */
    uint32_t row_bytes;    /* of a quantised row */
    uint32_t n_tiles;      /* of a matrix */
    uint32_t cached_rows;  /* so many quantised rows stay cached while tiles pass by */
    uint32_t rows_at_once; /* of more, so many are taken through some tiles */
    struct phx_cuts cuts;
    struct phx_matmul_kernel own_kernel; /* `kernel`, where stages are left out */
};

/* Rows of x, quantised one after the other in the form that some factors want. */
struct phx_form {
    const struct phx_product_plan *plan; /* of the first of them */
    uint8_t *rows;
    uint32_t *row_offsets; /* from rows, of the quantised row of each place */
};

struct phx_factor {
    const struct phx_product_plan *plan;
    uint32_t form; /* its number */
    uint8_t *dst;
    uint32_t *dst_offsets; /* from dst, of each place */
};

/* Tiles of a factor. */
struct phx_columns {
    uint32_t first, last;
};

/* What a thread has of a run: slices that are not empty, in the order in which they come; and of which tiles of each
 * factor it has the results, for the ops that follow. */
struct phx_share {
    uint32_t n;
    bool is_even; /* every thread has as many tiles */
    struct phx_way ways[PHX_MOST_SLICES];
    struct phx_columns columns[PHX_MAX_FACTORS];
};

/* What a part of a run is depends on whether it is one of few rows; experts have no more in common, and need not. Of runs
 * whose rows are taken in parts it is found out each time. */
#define PHX_SHARES(n_threads) (2 * (n_threads) + 2)
_Static_assert(2 * PHX_MAX_THREADS <= 32, "phx_lane.made");

/* A thread's part of the product. */
struct phx_lane {
    struct phx_share *shares;           /* PHX_SHARES(n_threads) of them, or one, if there is one run */
    uint32_t made;                      /* a bit for each of those that are, and stay */
    uint32_t part[2];                   /* of the next run of few rows, or of many */
    const struct phx_share *at_hand[2]; /* of the run at hand and of the next one, by turns */
    uint32_t run;               /* the slice to be looked at next: of this run, at most one after that at hand */
    uint32_t slice;             /* and its number there */
    bool is_open;               /* one of those before, of which nothing was multiplied yet */
    struct phx_ending *endings; /* if tiles are shared */
    uint32_t n_endings;
};

struct phx_product {
    const struct phx_call *calls; /* the factors', then those that follow them */
    uint32_t n_factors, n_calls, n_forms;
    const uint8_t *x;
    struct phx_factor factors[PHX_MAX_FACTORS];
    struct phx_form forms[PHX_MAX_FACTORS];
    uint32_t row_bytes;      /* of a row in all forms */
    uint32_t rows_apart;     /* of all factors: the least */
    bool is_by_single_tiles; /* of no factor there is room for four at once: not even whole ones in both buffers */

    /* The chunk at hand. */
    uint32_t n_x;         /* rows of x */
    uint32_t *x_offsets;  /* from x, of each row */
    struct phx_run *runs; /* one, if there are several calls */
    uint32_t n_runs;
    uint32_t *place_rows; /* of MUL_MAT_ID: the row of results that has a place */
    bool is_last;         /* chunk */

    bool is_shared, was_quantised; /* the next five, with is_quantised as it was then */
    bool is_one_row, is_looked_at; /* in one form; by all threads, before they quantise it */
    struct phx_slices part_slices; /* for each thread that quantises */
    uint32_t n_quantising;         /* threads */
    uint32_t first_quantising;     /* the first of them */
    int32_t seen[PHX_MAX_THREADS]; /* the largest exponent that each has looked at */
    uint32_t n_multiplying;        /* threads */
    uint32_t quantise_ticks;       /* until all threads have done so */
    bool is_followed;
    bool is_split;                    /* tiles are shared */
    uint32_t status[PHX_MAX_THREADS]; /* of the ops that follow, if there are any */

    bool is_quantised;     /* in the first form, by the op before */
    struct phx_kept *kept; /* what the first form's rows hold for the next op; at the start of scratch memory */
    uint8_t *work;         /* work_bytes for each thread */
    uint32_t work_bytes;
    uint8_t *sums; /* sums_bytes, twice for each thread: of tiles that threads share */
    uint32_t sums_bytes;
    uint32_t n_places;
    uint32_t scratch_bytes;

    const struct phx_executor *executor;
    struct phx_pool *pool;      /* the executor's */
    struct phx_stream *streams; /* one for each thread, as there are lanes */
    struct phx_lane *lanes;
    bool is_made;       /* the only run's shares, too */
    bool is_cut_alike;  /* as phx_call has it */
    uint32_t n_lengths; /* phx_executor.n_lengths when it began */

    const struct phx_product *next; /* of the program: its first tiles come while this one ends; or NULL */
};

/* What any op wants of weight src[0], activations src[1] and dst[0]: layouts, dtypes, and rows that fit each other.
 * Makes the plan. */
struct phx_misfit phx_product_check(const struct phx_executor *executor, struct phx_call *call);

/* Fills in what does not depend on the chunk, for all that are joined to the call; tells the record which kernel it is.
 * False: there is no memory. */
bool phx_product_begin(struct phx_product *product, const struct phx_executor *executor, const struct phx_call *call,
                       struct phx_op_record *record);

/* After an op of one that was made was checked again: takes up where its operands are now. False: more has changed. */
bool phx_product_move(struct phx_product *product, const struct phx_executor *executor);

/* Lays out tables for chunks of n_x rows and n_places, of at most n_runs, in memory that is aligned to 8. Returns how
 * many bytes that takes; without memory, only that. */
uint64_t phx_product_lay_out(struct phx_product *product, uint8_t *tables, uint32_t n_x, uint32_t n_places,
                             uint32_t n_runs);

/* share.c: once the tables of a product of one run are filled in, all that stays as it is until one of its ops is checked
 * again. */
void phx_product_make(struct phx_product *product);

/* share.c: threads that there is work for; and which of them quantise, in each run. */
uint32_t phx_product_count_multiplying(const struct phx_product *product);
void phx_product_share_rows(struct phx_product *product);

/* Takes scratch memory for as much as was laid out, and n_more bytes, aligned to PHX_VECTOR: *more. False: there is none.
 * is_quantised is set if the op before has left the very rows that `wanted` describes; NULL: never. */
bool phx_product_place(struct phx_product *product, uint64_t n_more, uint8_t **more, const struct phx_kept *wanted);

/* Computes the chunk that the tables describe; tells the record how many threads did, and how long it quantised.
 * Returns a phx_status. */
uint32_t phx_product_run(struct phx_product *product, struct phx_op_record *record);

/* After the last chunk: what the next product finds in the rows (NULL: nothing). */
void phx_product_end(struct phx_product *product, const struct phx_kept *kept);

/* job.c: what threads are given of a run, and all that they do. Kernels take one row and several tiles at once, or one
 * tile and several rows: threads get units of 2^shift tiles. So they do where tiles come one by one. */
static inline uint32_t phx_product_shift(const struct phx_product *product, const struct phx_run *run) {
    return run->n_rows <= product->rows_apart && !product->is_by_single_tiles ? PHX_TILES_AT_ONCE_SHIFT : 0;
}

uint32_t phx_product_units(const struct phx_product *product, const struct phx_factor *factor,
                           const struct phx_run *run);
void phx_product_cut(const struct phx_product *product, uint32_t run, uint32_t part, struct phx_share *share);
void phx_product_job(void *argument, uint32_t thread, uint32_t n_threads);

/* Whether there is room for pieces of one tile only. */
static inline bool phx_comes_by_single_tiles(const struct phx_cuts *cuts) {
    return cuts->one.piece_blocks && !cuts->several.piece_blocks;
}

static inline bool phx_is_product(const struct phx_op_type *type) {
    return type && (type->code == PHX_OP_MUL_MAT || type->code == PHX_OP_MUL_MAT_ID);
}

#endif
