/* SPDX-License-Identifier: MIT
 *
 * Rows of floats times weight matrices: what MUL_MAT and MUL_MAT_ID have in common.
 *
 * An op takes the rows of x in chunks, so that their quantised form stays small. In a chunk every row of results has a
 * place, and those of the same matrix have places side by side: a run. An op makes a chunk's tables, and
 * phx_product_run() computes it in two phases: quantise, parts of rows cut over the threads; then multiply, each run's
 * tiles cut over the threads in contiguous slices, which stream through VTCM (stream.h). All threads share each row's
 * and each run's work, so it matters not how many there are.
 */
#ifndef PHX_PRODUCT_H
#define PHX_PRODUCT_H

#include "kernel.h"
#include "runtime/ops.h"

/* Places first..first + n_rows - 1 meet this matrix. */
struct phx_run {
    uint32_t matrix;
    uint32_t first;
    uint32_t n_rows;
};

/* Equal slices, but that the first `more` are one longer. */
struct phx_slices {
    uint32_t each;
    uint32_t more;
};

struct phx_product {
    struct phx_matmul mm; /* with the tiles of the first matrix */
    const struct phx_matmul_kernel *kernel;
    size_t matrix_bytes; /* distance of matrices */
    uint32_t row_bytes;  /* of a quantised row */
    uint32_t n_tiles;    /* of a matrix */
    const uint8_t *x;
    uint8_t *dst;

    /* The chunk at hand. */
    uint32_t n_x;          /* rows of x, quantised one after the other */
    uint32_t *x_offsets;   /* from x, of each row */
    uint32_t *row_offsets; /* from rows, of the quantised row of each place */
    uint32_t *dst_offsets; /* from dst, of each place */
    struct phx_run *runs;
    uint32_t n_runs;

    struct phx_slices part_slices; /* for each thread */
    struct phx_slices tile_slices;

    bool is_quantised; /* rows are, by an earlier op */
    uint8_t *rows;     /* quantised */
    uint8_t *work; /* work_bytes for each thread */
    size_t work_bytes;

    struct phx_stream *streams; /* one for each thread */
};

/* What any op wants of weight src[0], activations src[1] and dst: layouts, dtypes, and rows that fit each other. */
struct phx_fault phx_product_check(const struct phx_program *program, const struct phx_op *op);

/* Fills in all but the chunk; tells the record which kernel it is. */
void phx_product_begin(struct phx_product *product, const struct phx_executor *executor,
                       const struct phx_program *program, const struct phx_op *op, struct phx_op_record *record);

/* Memory for chunks of n_x rows and n_places, and `extra` more bytes, aligned to 4; NULL when the heap is exhausted.
 * Nothing is kept then; and is_quantised becomes false where what was kept is lost. */
void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_places, size_t extra);

/* Computes the chunk that the tables describe; tells the record how many threads did, and how long it quantised. */
void phx_product_run(struct phx_product *product, const struct phx_executor *executor, struct phx_op_record *record);

#endif
