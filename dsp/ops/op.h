/* SPDX-License-Identifier: MIT
 *
 * The interface between the runtime, which knows no op, and the ops.
 *
 * When a program is defined, each of its ops becomes a phx_call; its type's check() validates the operands and
 * precomputes what stays constant. Running the program calls run() of each op in order.
 *
 * Every operand lies within a mapped buffer, which the checker guarantees. The *contents* of an operand are arbitrary
 * and may change at any time: a kernel must neither fault nor access memory outside its operands, whatever their bytes.
 * The whole stack may be 16 KiB: keep frames below 2 KiB, and use `work` for larger arrays.
 */
#ifndef PHX_OP_H
#define PHX_OP_H

#include <stdbool.h>

#include "runtime/area.h"

struct phx_executor;

/* A tensor of a program: the host's description and the address of its data. */
struct phx_operand {
    struct phx_tensor view;
    uint8_t *data;
    size_t n_bytes; /* from its first to its last byte, gaps of the strides included; 0: no elements */
    uint32_t room;  /* bytes of its buffer behind it */
};

/* What an op caches between runs. */
struct phx_tables {
    struct phx_area area;
    bool is_made; /* valid; cleared when the op, or one fused with it, is checked */
    /* `next` is valid; cleared when one of the PHX_LOOK_AHEAD ops from this one on is checked */
    bool has_lookahead;
    const struct phx_call *next; /* the op whose memory may be prefetched before it begins, or NULL */
};

#define PHX_LOOK_AHEAD 24

/* The enum phx_kernels that records show for this build's vector kernels. */
#ifdef PHX_CPU
#define PHX_KERNELS_VECTOR PHX_KERNELS_CPU
#else
#define PHX_KERNELS_VECTOR PHX_KERNELS_HVX
#endif

struct phx_call {
    const struct phx_operand *src[PHX_MAX_SRC]; /* NULL where absent */
    const struct phx_operand *dst[PHX_MAX_DST]; /* NULL where absent */
    const void *params;                         /* the op's struct, aligned to 4 */
    const struct phx_op_type *type;
    uint32_t kernels;    /* enum phx_kernels: the highest that it may use */
    uint32_t work_bytes; /* scratch memory per thread, aligned to PHX_VECTOR; set by check() */
    uint32_t cost_log2;  /* log2 of the cost of an element relative to copies; set by check() */
    uint64_t plan[32];   /* what check() precomputes for an op of kind OWN */
    struct phx_tables *tables;

    /* fused.c. The ops of a fused group are consecutive; run() of the first one runs all of them. */
    uint32_t (*run)(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
    bool may_fuse;           /* fusing it with the op before is allowed */
    bool has_dcfetch;        /* a matmul of several rows prefetches activations into L1 */
    bool has_common_columns; /* first op of a group: each thread takes the same columns of all of its ops */
    uint8_t columns_of;      /* index of the matmul in the group whose column partition this op uses */
    uint32_t n_fused;        /* first op of a group: number of ops; 0: not determined yet */
    uint32_t n_rows;         /* op of a row-by-row group: its rows, or heads */
};

/* The result of a check: a status, and the operand at fault, or NULL. */
struct phx_mismatch {
    uint32_t status; /* enum phx_status */
    const struct phx_operand *operand;
};

#define PHX_MATCH ((struct phx_mismatch){PHX_OK, NULL})

/* Indices of a row in dimensions 1, 2 and 3. */
struct phx_at {
    uint32_t i1, i2, i3;
};

/* A part of an op's work: rows first_row..end_row-1 of the first result, counted over its dimensions 1, 2 and 3, and in
 * each row the elements first..end-1 (all of them, unless the op is elementwise). SCATTER and PICK ops count rows and
 * elements of src[0]. */
struct phx_slice {
    uint32_t first_row;
    uint32_t end_row;
    uint32_t first;
    uint32_t end;
};

/* Computes a slice and returns a phx_status. `work` has call->work_bytes. The bits of a result must not depend on how
 * the op was partitioned into slices. */
typedef uint32_t (*phx_row_kernel)(const struct phx_call *call, const struct phx_slice *slice, void *work);

/* Partial result of one thread's part of a shared row; each op defines the meaning of its fields. Aligned to a cache
 * line. */
struct phx_partial {
    int64_t sum;
    uint64_t squares;
    int32_t least, most;
} __attribute__((aligned(32)));

/* The neutral element, for threads without a part. */
#define PHX_PARTIAL_NONE ((struct phx_partial){.least = INT32_MAX, .most = INT32_MIN})

/* A row shared by several threads, and the part of one of them. */
struct phx_shared_row {
    struct phx_at at;
    const uint8_t *x; /* first element of the part, in src[0] and in dst[0] */
    uint8_t *dst;
    uint32_t first, n; /* range of elements: whole vectors, except at the end of the row */
    uint32_t n_threads;
    struct phx_partial *partials; /* of all threads, with or without a part */
    struct phx_partial *own;
    void *constants; /* PHX_ROW_CONSTANTS_BYTES, aligned to PHX_VECTOR */
};

#define PHX_ROW_CONSTANTS_BYTES 384u

typedef void phx_shared_step(const struct phx_call *call, const struct phx_shared_row *row);

/* Costs of sharing a row, in units of the last step over 128 elements: partitioning the work; a thread's second part;
 * finalizing a row after the other threads' steps; finalizing it by one thread alone, and by a pair of threads, both in
 * addition to the cost per element, which `finalize_each` gives in sixteenths per 128 elements; and the steps of each
 * thread if all threads go step by step. */
struct phx_sharing_costs {
    uint8_t partition, second_part, finalize_last, alone, by_pair, finalize_each, steps;
};

/* Converts packets to these units, given the packets of the last step and of all steps before it, each over 128
 * elements. */
#define PHX_COST(n_packets, unit_packets) (((n_packets) + (unit_packets) / 2) / (unit_packets))
#define PHX_SHARING_COSTS(unit_packets, finalize_packets)                                                              \
    {PHX_COST(100, unit_packets), PHX_COST(150, unit_packets), PHX_COST(100, unit_packets),                            \
     PHX_COST(240, unit_packets), PHX_COST(340, unit_packets), PHX_COST(16 * (finalize_packets), unit_packets),        \
     PHX_COST(450, unit_packets)}

/* How threads share a row: in n steps, n >= 2. All parts must complete a step before the next one begins. Before the
 * last step one thread combines the partial results to the row's constants (finalize); its row has no part: only at,
 * partials and constants are set.
 * Alternatively one thread finalizes the row alone, with the whole row as its part, while the others process rows of
 * their own (finalize_alone). Or a pair of threads does, each with half of the row (finalize_by_pair): each calls
 * wait_for_other() after a step, which returns when the other one has completed as many steps. A call with is_last only
 * publishes the caller's step, because the caller needs nothing more from the other one. The first of the pair
 * finalizes. */
struct phx_shared {
    uint32_t n;
    phx_shared_step *steps[4];
    phx_shared_step *finalize;
    phx_shared_step *finalize_alone;
    void (*finalize_by_pair)(const struct phx_call *call, const struct phx_shared_row *row,
                             void (*wait_for_other)(void *argument, uint32_t n_steps, bool is_last),
                             void *argument); /* NULL: not worthwhile */
    struct phx_sharing_costs costs[3];        /* with neither src[1] nor src[2], with one of them, with both */
};

struct phx_op_type {
    uint32_t code; /* idl/ops.h; this and the next five fields copy the op's row there */
    uint32_t n_least;
    uint32_t n_src;
    uint32_t n_dst;
    uint32_t in_place;
    uint32_t n_params;  /* words */
    bool is_scatter;    /* the work is rows of src[0], partitioned by columns */
    bool by_element;    /* elementwise: rows may be split */
    phx_row_kernel ref; /* NULL for an op of kind OWN */
    phx_row_kernel hvx; /* NULL: none */

    /* Returns whether the operands match each other and the op. Strides, ranges and overlaps are already checked. */
    struct phx_mismatch (*check)(const struct phx_executor *executor, struct phx_call *call);

    /* Runs the op and fills in kernels and n_threads of the record. Does nothing else if the first result has no
     * elements. Returns a phx_status. */
    uint32_t (*run)(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

    /* For ops with one result per row: computes the results from the partial results of n_threads threads over parts of
     * rows. `work` is that of the first thread. NULL for other ops. */
    void (*merge)(const struct phx_call *call, const void *work, uint32_t n_threads);

    const struct phx_shared *shared; /* for its HVX kernel; NULL: threads do not share rows */
    bool has_any_dtype;              /* its operands may have the types of user kernels, too */
};

/* Returns the type of an op code, or NULL for an unknown code. */
const struct phx_op_type *phx_op_type(uint32_t code);

/* fused.c: determines how many of n ops from calls[0] on are fused. All but the first may be fused with the op
 * before. */
void phx_fuse_calls(struct phx_call *calls, uint32_t n);

/* stages.c: makes a checked op skip stages: PHX_OP_NO_QUANTISE, PHX_OP_NO_COMPUTE. */
void phx_skip_stages(struct phx_call *call, uint32_t flags);

/* --- Declarations of an op's functions, in the files that define or call them; all.h has those of all ops --- */

#define PHX_DECLARE_KERNELS(name)                                                                                      \
    uint32_t phx_##name##_ref(const struct phx_call *call, const struct phx_slice *slice, void *work);                 \
    uint32_t phx_##name##_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work);
#define PHX_DECLARE_CHECK(name)                                                                                        \
    struct phx_mismatch phx_##name##_check(const struct phx_executor *executor, struct phx_call *call);
#define PHX_DECLARE_RUN(name)                                                                                          \
    uint32_t phx_##name##_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

/* --- Iterating over rows, for kernels --- */

static inline uint32_t phx_n_rows(const struct phx_tensor *view) {
    return view->ne[1] * view->ne[2] * view->ne[3]; /* at most PHX_MAX_ROWS */
}

static inline struct phx_at phx_at(const struct phx_tensor *view, uint32_t row) {
    struct phx_at at = {row, 0, 0};
    if (row >= view->ne[1]) { /* avoids the division, for which the v68 has no instruction, in most calls */
        uint32_t matrix = row / view->ne[1];
        at.i1 = row - matrix * view->ne[1];
        at.i3 = matrix / view->ne[2];
        at.i2 = matrix - at.i3 * view->ne[2];
    }
    return at;
}

static inline void phx_next(const struct phx_tensor *view, struct phx_at *at) {
    if (++at->i1 == view->ne[1]) {
        at->i1 = 0;
        if (++at->i2 == view->ne[2]) {
            at->i2 = 0;
            at->i3++;
        }
    }
}

/* Returns the first byte of a row. The indices must be within ne. */
static inline uint8_t *phx_row(const struct phx_operand *operand, struct phx_at at) {
    const struct phx_tensor *view = &operand->view;
    return operand->data + at.i1 * view->nb[1] + at.i2 * view->nb[2] + at.i3 * view->nb[3];
}

#endif
