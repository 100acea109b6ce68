/* SPDX-License-Identifier: MIT
 *
 * Rows of floats times weight matrices: what MUL_MAT and MUL_MAT_ID have in common.
 *
 * An op takes the rows of x in chunks, so that their quantised form stays small. In a chunk every row of results has a
 * place, and those of the same matrix have places side by side: a run. An op makes a chunk's tables, and
 * phx_product_run() computes it in two phases: quantise, parts of rows cut over the threads; then multiply, each run's
 * tiles cut over the threads in contiguous slices, which stream through VTCM (stream.h). All threads share each row's
 * and each run's work, so it matters not how many there are. Where tiles are too few for that, threads share them, too
 * (split.h).
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
    struct phx_split split;
    struct phx_matmul_kernel own_kernel; /* `kernel`, where stages are left out */
};

#define PHX_MAX_FACTORS 4

/* Rows of x, quantised one after the other in the form that some factors want. */
struct phx_form {
    const struct phx_product_plan *plan; /* of the first of them */
    uint8_t *rows;
    uint32_t *row_offsets; /* from rows, of the quantised row of each place */
};

struct phx_factor {
    const struct phx_product_plan *plan;
    const struct phx_form *form;
    uint8_t *dst;
    uint32_t *dst_offsets; /* from dst, of each place */
};

/* A thread's part of the product. */
struct phx_lane {
    struct phx_stream stream;
    /* Of the run at hand and of the next one, by turns: of each factor; of the only one, if it is split. */
    struct phx_tile_slice slices[2][PHX_MAX_FACTORS];
    uint32_t run;   /* the slice to be looked at next: of this run, at most one after that at hand */
    uint32_t slice; /* and its number there */
    bool is_open;   /* one of those before, of which nothing was multiplied yet */
};

struct phx_product {
    const struct phx_call *calls; /* the factors', then those that follow them */
    uint32_t n_factors, n_calls, n_forms;
    const uint8_t *x;
    struct phx_factor factors[PHX_MAX_FACTORS];
    struct phx_form forms[PHX_MAX_FACTORS];
    uint32_t row_bytes;  /* of a row in all forms */
    uint32_t rows_apart; /* of all factors: the least */

    /* The chunk at hand. */
    uint32_t n_x;         /* rows of x */
    uint32_t *x_offsets;  /* from x, of each row */
    struct phx_run *runs; /* one, if there are several calls */
    uint32_t n_runs;
    uint32_t *place_rows; /* of MUL_MAT_ID: the row of results that has a place */
    bool is_last;         /* chunk: the ops that follow MUL_MATs run */

    struct phx_slices part_slices; /* for each thread that quantises */
    uint32_t n_quantising;         /* threads */
    uint32_t first_quantising;     /* the first of them */
    uint32_t n_opened;             /* lanes: their copies have begun */
    bool is_followed;
    const struct phx_split *split;    /* of the only factor and run, or NULL */
    uint32_t n_multiplying;           /* threads */
    uint32_t status[PHX_MAX_THREADS]; /* of the ops that follow, if there are any */

    bool is_quantised;     /* in the first form, by the op before */
    struct phx_kept *kept; /* what the first form's rows hold for the next op; at the start of scratch memory */
    uint8_t *work;         /* work_bytes for each thread */
    size_t work_bytes;

    struct phx_lane *lanes; /* one for each thread */
    uint8_t *sums;          /* sums_bytes, twice for each thread: of tiles that threads share */
    uint32_t sums_bytes;
};

/* What any op wants of weight src[0], activations src[1] and dst[0]: layouts, dtypes, and rows that fit each other.
 * Makes the plan. */
struct phx_misfit phx_product_check(const struct phx_executor *executor, struct phx_call *call);

/* Fills in what does not depend on the chunk, for all that are joined to the call; tells the record which kernel it
 * is. */
void phx_product_begin(struct phx_product *product, const struct phx_call *call, struct phx_op_record *record);

/* Memory for chunks of n_x rows and n_places, and `extra` more bytes, aligned to 4; NULL when the heap is exhausted.
 * is_quantised is set if the op before has left the very rows that `wanted` describes; NULL: never. */
void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_places, size_t extra, const struct phx_kept *wanted);

/* Computes the chunk that the tables describe; tells the record how many threads did, and how long it quantised.
 * Returns a phx_status. */
uint32_t phx_product_run(struct phx_product *product, const struct phx_executor *executor,
                         struct phx_op_record *record);

/* After the last chunk: what the next product finds in the rows (NULL: nothing), and what DMA has moved. */
void phx_product_end(struct phx_product *product, const struct phx_executor *executor, const struct phx_kept *kept,
                     struct phx_op_record *record);

#endif
