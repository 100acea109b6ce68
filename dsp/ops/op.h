/* SPDX-License-Identifier: MIT
 *
 * The seam between the runtime, which knows no op, and the ops.
 *
 * When a program is defined, each of its ops becomes a phx_call, and its type's check() says whether the operands fit
 * and prepares what need not be found out again. Running the program calls run() of each op in order.
 *
 * Every operand lies within a mapped buffer: the checker has seen to that. What is *in* it is arbitrary, and may change
 * at any time: a kernel must neither fault nor reach outside its operands whatever their bytes. It runs on stacks that
 * may be 16 KiB in all: keep frames below 2 KiB, and use `work` beyond that.
 */
#ifndef PHX_OP_H
#define PHX_OP_H

#include <stdbool.h>

#include "runtime/area.h"

struct phx_executor;

/* A tensor of a program: what the host said of it, and where it lies. */
struct phx_operand {
    struct phx_tensor view;
    uint8_t *data;
    size_t n_bytes; /* between its first and its last byte, whatever the strides leave out; 0: it has no elements */
};

/* What an op has made in a run and finds in the next one. */
struct phx_tables {
    struct phx_area area;
    bool is_made;                /* false again when the op, or one that runs together with it, was checked */
    bool has_looked;             /* false again when one of the PHX_LOOK_AHEAD ops from this one on was checked */
    const struct phx_call *next; /* then, which op may have its memory read before it begins; or NULL */
};

#define PHX_LOOK_AHEAD 24

/* What the vector kernels of this build are in records. */
#ifdef PHX_CPU
#define PHX_KERNELS_VECTOR PHX_KERNELS_CPU
#else
#define PHX_KERNELS_VECTOR PHX_KERNELS_HVX
#endif

struct phx_call {
    const struct phx_operand *src[PHX_MAX_SRC]; /* NULL where there is none */
    const struct phx_operand *dst[PHX_MAX_DST];
    const void *params; /* the op's struct, aligned to 4 */
    const struct phx_op_type *type;
    uint32_t kernels;    /* enum phx_kernels: the most it may use */
    uint32_t work_bytes; /* of scratch memory for each thread, aligned to PHX_VECTOR; set by check() */
    uint32_t more_work;  /* log2 of how many times the packets of most ops an element takes; set by check() */
    uint64_t plan[32];   /* what check() prepares for an op of its own kind */
    struct phx_tables *tables;

    /* joined.c. Ops that run together lie side by side: run() of the first one does all of them. */
    uint32_t (*run)(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
    bool may_join;      /* the op before */
    bool is_cut_alike;  /* of the first one: a thread takes the same columns of all of them */
    uint8_t columns_of; /* which product among them a later one shares its columns with */
    uint32_t n_joined;  /* of the first one: how many they are; 0: not found out yet */
    uint32_t n_units;   /* of the first one of those that go row by row: what threads take whole */
    uint32_t rows_each; /* rows, or heads, of a unit */
};

/* What is wrong with a call: a status, and the operand at fault, or NULL. */
struct phx_misfit {
    uint32_t status; /* enum phx_status */
    const struct phx_operand *operand;
};

#define PHX_FITS ((struct phx_misfit){PHX_OK, NULL})

/* A row's place in dimensions 1, 2 and 3. */
struct phx_at {
    uint32_t i1, i2, i3;
};

/* A part of an op's work: rows first_row..end_row-1 of the first result, counted over its dimensions 1, 2 and 3; and of
 * each the elements first..end-1: all of them, unless the op goes element by element. Of SCATTER and PICK ops, of src[0]. */
struct phx_slice {
    uint32_t first_row;
    uint32_t end_row;
    uint32_t first;
    uint32_t end;
};

/* Computes a slice. `work` has call->work_bytes. Returns a phx_status. The bits of a result must not depend on how the
 * op was cut into slices. */
typedef uint32_t (*phx_row_kernel)(const struct phx_call *call, const struct phx_slice *slice, void *work);

/* What a thread finds of its part of a row that it shares: the op's own. Apart from others' in the cache. */
struct phx_found {
    int64_t sum;
    uint64_t squares;
    int32_t least, most;
} __attribute__((aligned(32)));

/* Of threads that have no part. */
#define PHX_FOUND_NOTHING ((struct phx_found){.least = INT32_MAX, .most = INT32_MIN})

/* A row that threads share, and the part of one of them. */
struct phx_shared_row {
    struct phx_at at;
    const uint8_t *x; /* the part's first element in src[0], and in dst[0] */
    uint8_t *dst;
    uint32_t first, n; /* its elements: whole vectors, but at the end of the row */
    uint32_t n_threads;
    struct phx_found *found; /* of each thread, whether it has a part or not */
    struct phx_found *own;
    void *decided; /* PHX_DECIDED_BYTES, aligned to PHX_VECTOR */
};

#define PHX_DECIDED_BYTES 384u

typedef void phx_shared_step(const struct phx_call *call, const struct phx_shared_row *row);

/* What sharing a row takes beside its last step, in pieces of 128 elements of that one: cutting the work; a thread's second
 * part; deciding a row after the others' steps; alone and by two beside what deciding takes anyhow, that in sixteenths of
 * all pieces; and each thread's steps, where all go step by step. */
struct phx_sharing {
    uint8_t cutting, another_part, last_to_decide, alone, by_two, deciding, steps;
};

/* From packets of a piece: of the last step, and of all before it. */
#define PHX_PIECES(n_packets, of_piece) (((n_packets) + (of_piece) / 2) / (of_piece))
#define PHX_SHARING(of_piece, of_deciding)                                                                             \
    {PHX_PIECES(100, of_piece), PHX_PIECES(150, of_piece), PHX_PIECES(100, of_piece),                                  \
     PHX_PIECES(240, of_piece), PHX_PIECES(340, of_piece), PHX_PIECES(16 * (of_deciding), of_piece),                   \
     PHX_PIECES(450, of_piece)}

/* How threads share a row: by n steps, at least 2. All parts must have done a step before the next begins; and before
 * the last one, one thread decides what all that was found comes to. There is no part for that: at, found, decided. Or
 * one thread finds it out by itself, of a part that is the whole row, while others have rows of their own to do; or two do,
 * of which each calls meet() when it has done a step, and does not go on before the other one has done as many; but
 * is_last: it needs nothing of the other one any more. The first of them decides. */
struct phx_shared {
    uint32_t n;
    phx_shared_step *steps[4];
    phx_shared_step *decide;
    phx_shared_step *decide_alone;
    void (*decide_by_two)(const struct phx_call *call, const struct phx_shared_row *row,
                          void (*meet)(void *argument, uint32_t n_steps, bool is_last),
                          void *argument); /* NULL: that would not pay */
    struct phx_sharing of[3];              /* without src[1] and src[2], with one, with both */
};

struct phx_op_type {
    uint32_t code; /* idl/ops.h; this and the next five say what the row there says */
    uint32_t n_least;
    uint32_t n_src;
    uint32_t n_dst;
    uint32_t in_place;
    uint32_t n_params;  /* words */
    bool is_scatter;    /* the work is rows of src[0], and is cut across them */
    bool by_element;    /* rows may be cut */
    phx_row_kernel ref; /* NULL for an op of its own kind */
    phx_row_kernel hvx; /* NULL where there is none */

    /* Whether the operands fit each other and the op. Strides, ranges and overlaps were checked. */
    struct phx_misfit (*check)(const struct phx_executor *executor, struct phx_call *call);

    /* Fills in kernels and n_threads of the record; does nothing else if the first result has no elements. Returns a
     * phx_status. */
    uint32_t (*run)(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

    /* Of an op that has results of whole rows only: makes them of what n_threads threads have found in parts of rows.
     * `work` is that of the first. NULL for others. */
    void (*join)(const struct phx_call *call, const void *work, uint32_t n_threads);

    const struct phx_shared *shared; /* of its HVX kernel: NULL where rows are not cut that way */
};

/* NULL for an unknown code. */
const struct phx_op_type *phx_op_type(uint32_t code);

/* joined.c: finds out how many of n ops run together, of which all but the first may join the one before. */
void phx_join_calls(struct phx_call *calls, uint32_t n);

/* stages.c: of an op that was checked, what it shall do without: PHX_OP_NO_QUANTISE, PHX_OP_NO_COMPUTE. */
void phx_leave_out(struct phx_call *call, uint32_t flags);

/* --- What an op's files define: idl/ops.h --- */

#define PHX_DECLARE_KERNELS(name)                                                                                      \
    uint32_t phx_##name##_ref(const struct phx_call *call, const struct phx_slice *slice, void *work);                 \
    uint32_t phx_##name##_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work);
#define PHX_DECLARE_CHECK(name)                                                                                        \
    struct phx_misfit phx_##name##_check(const struct phx_executor *executor, struct phx_call *call);
#define PHX_DECLARE_RUN(name)                                                                                          \
    uint32_t phx_##name##_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

#define PHX_DECLARE_UNARY(name) PHX_DECLARE_KERNELS(name)
#define PHX_DECLARE_BINARY(name) PHX_DECLARE_KERNELS(name)
#define PHX_DECLARE_ROWS(name) PHX_DECLARE_KERNELS(name) PHX_DECLARE_CHECK(name)
#define PHX_DECLARE_SHARED(name) PHX_DECLARE_ROWS(name) extern const struct phx_shared phx_##name##_shared;
#define PHX_DECLARE_SCATTER(name) PHX_DECLARE_ROWS(name)
#define PHX_DECLARE_PICK(name) PHX_DECLARE_ROWS(name)
#define PHX_DECLARE_OWN(name) PHX_DECLARE_CHECK(name) PHX_DECLARE_RUN(name)
#define OP(code, NAME, name, KIND, ...) PHX_DECLARE_##KIND(name)
#include "../../idl/ops.h"
#undef OP

/* --- Walking over rows, for kernels --- */

static inline uint32_t phx_n_rows(const struct phx_tensor *view) {
    return view->ne[1] * view->ne[2] * view->ne[3]; /* at most PHX_MAX_ROWS */
}

static inline struct phx_at phx_at(const struct phx_tensor *view, uint32_t row) {
    struct phx_at at = {row, 0, 0};
    if (row >= view->ne[1]) { /* the v68 has no instruction to divide: most calls need none */
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

/* The first byte of the row at this place, which must be within ne. */
static inline uint8_t *phx_row(const struct phx_operand *operand, struct phx_at at) {
    const struct phx_tensor *view = &operand->view;
    return operand->data + at.i1 * view->nb[1] + at.i2 * view->nb[2] + at.i3 * view->nb[3];
}

#endif
