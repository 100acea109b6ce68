/* SPDX-License-Identifier: MIT
 *
 * Rows of floats times weight matrices: what MUL_MAT and MUL_MAT_ID share.
 *
 * An op takes the rows of x in chunks, so that their quantized form stays small. In a chunk each row of results has a
 * place, and the rows that meet one matrix have places side by side: a run. The op fills in the chunk's tables, plan.h
 * partitions its work, and phx_product_run() executes the plan on the thread pool (execute.c): threads quantize parts
 * of rows, multiply their slices of tiles, which stream through VTCM (stream.h), and add up the partial sums of tiles
 * that they share. The pool is launched once per chunk; barriers separate the phases.
 *
 * A product of few rows that meet one matrix has the same plan in every run of its program. Its first run makes the
 * plan and the tables, and the program keeps both until one of the product's ops is checked again.
 *
 * Each chunk reads the weights from memory once. If a chunk's rows exceed the cache, a thread multiplies as many tiles
 * as fit VTCM with some of the rows at a time, and prefetches the next rows.
 *
 * Several MUL_MATs or MUL_MAT_IDs of the same rows may be fused to one product of several factors, with element-wise
 * ops behind them: dsp/ops/fused.c. Behind a MUL_MAT_ID these ops run after each run, because a thread has different
 * columns in each.
 */
#ifndef PHX_PRODUCT_H
#define PHX_PRODUCT_H

#include "kept.h"
#include "ops/executor.h"
#include "plan.h"
#include "stream.h"

/* A thread's shares of runs depend only on whether a run has few rows, and on the slice; runs whose rows are taken in
 * parts get a share each time. */
#define PHX_SHARES(n_threads) (2 * (n_threads) + 2)
_Static_assert(2 * PHX_MAX_THREADS <= 32, "phx_lane.cached");

/* Where a thread is in the runs of a chunk. */
struct phx_lane {
    uint32_t cached;                    /* a bit for each of its shares that is valid for this chunk */
    uint32_t part[2];                   /* the slice of the next run of few rows, and of many */
    const struct phx_share *at_hand[2]; /* the shares of the current run and of the next one, by run % 2 */
    uint32_t run;                       /* of the next slice to open: the current one or the next one */
    uint32_t slice;                     /* and its number in that run's share */
    bool is_open;                       /* the stream has opened a slice of which nothing was multiplied yet */
};

struct phx_factor {
    uint8_t *dst;
    uint32_t *dst_offsets; /* from dst, of each place */
};

/* Rows of x, quantized one after the other in one form. */
struct phx_form {
    uint8_t *rows;
    uint32_t *row_offsets; /* from rows, of the quantized row of each place */
};

/* Tiles that the CPU computes, in one run: meeting.h. */
struct phx_meetings {
    uint32_t run[PHX_MAX_FACTORS];    /* the number that the CPU has given it */
    uint32_t n_left[PHX_MAX_FACTORS]; /* atomic: meeting.c */
    uint64_t patience_ns, grace_ns;
    uint64_t patience_end_ns, grace_end_ns; /* atomic; 0: no thread has had to wait yet */
    uint32_t wait_ns[PHX_MAX_THREADS];
    uint32_t n_taken[PHX_MAX_THREADS][PHX_MAX_FACTORS]; /* columns that a thread has computed in the CPU's place */
};

struct phx_product {
    const struct phx_call *calls; /* of the factors, then of the ops fused behind them */
    uint32_t n_calls;
    struct phx_plan plan;
    const uint8_t *x;
    struct phx_factor factors[PHX_MAX_FACTORS];
    struct phx_form forms[PHX_MAX_FACTORS];

    /* The current chunk. */
    uint32_t *x_offsets;  /* from x, of each row */
    struct phx_run *runs; /* one, if there are several calls */
    uint32_t n_runs;
    uint32_t *place_rows; /* of MUL_MAT_ID: the row of results of each place */
    bool is_last;         /* chunk */

    /* Its execution. */
    const struct phx_quantizing *quantizing; /* of the plan */
    bool is_quantized;                       /* the op before has left the first form of the rows */
    bool is_followed;                        /* fused ops run behind it */
    int32_t seen[PHX_MAX_THREADS];           /* the largest exponent that each thread has found */
    uint32_t quantize_ticks;                 /* until all threads have quantized */
    uint32_t status[PHX_MAX_THREADS];        /* of the fused ops */
    bool is_shared;                          /* the CPU computes tiles of some factors */
    struct phx_meetings meetings;            /* if it is shared */

    struct phx_kept *kept; /* what the first form's rows hold for the next op; at the start of scratch memory */
    uint8_t *work;         /* work_bytes for each thread */
    uint32_t work_bytes;
    uint8_t *sums;          /* plan.sums_bytes, twice for each thread */
    uint32_t scratch_bytes; /* 0: not measured yet */

    const struct phx_executor *executor;
    struct phx_pool *pool;      /* of the executor */
    struct phx_stream *streams; /* one for each thread */
    struct phx_lane *lanes;     /* one for each thread */
    uint32_t n_lengths;         /* phx_executor.n_lengths when the product began */

    const struct phx_product *next; /* product of the program, whose first tiles this one prefetches; or NULL */
};

/* Checks weight src[0], activations src[1] and dst[0] of any product: layouts, dtypes, and sizes that fit each other.
 * Makes call->plan. */
struct phx_mismatch phx_product_check(const struct phx_executor *executor, struct phx_call *call);

/* Fills in all but the chunk, for all ops fused with the call, and the kernel in the record. False: out of memory. */
bool phx_product_begin(struct phx_product *product, const struct phx_executor *executor, const struct phx_call *call,
                       struct phx_op_record *record);

/* The product that the program has kept for this call, with the operands where they are now; NULL: there is none. */
struct phx_product *phx_product_find(const struct phx_executor *executor, const struct phx_call *call);

/* A copy of a product that the program keeps, with tables for n_rows rows that meet one matrix, still to be filled in.
 * NULL: out of memory. */
struct phx_product *phx_product_keep(const struct phx_product *product, uint32_t n_rows);

/* Lays out tables for chunks of up to n_x rows, n_places and n_runs, in memory aligned to 8. Returns how many bytes
 * they take; without memory, only that. */
uint64_t phx_product_lay_out(struct phx_product *product, uint8_t *tables, uint32_t n_x, uint32_t n_places,
                             uint32_t n_runs);

/* Takes scratch memory for what was laid out, and n_more bytes aligned to PHX_VECTOR: *more. False: out of memory. Sets
 * is_quantized if the op before has left the rows that `wanted` describes; NULL: never. */
bool phx_product_place(struct phx_product *product, uint64_t n_more, uint8_t **more, const struct phx_kept *wanted);

/* Executes the planned chunk; adds its threads and the time to quantize to the record. Returns a phx_status. */
uint32_t phx_product_run(struct phx_product *product, struct phx_op_record *record);

/* Plans the chunk that the tables describe, then executes it. */
uint32_t phx_product_plan_and_run(struct phx_product *product, struct phx_op_record *record);

/* After the last chunk: notes which rows the next product finds in scratch memory (NULL: none). */
void phx_product_end(struct phx_product *product, const struct phx_kept *kept);

/* execute.c: what one thread does of a product. */
void phx_product_execute(void *argument, uint32_t thread, uint32_t n_threads);

#endif
