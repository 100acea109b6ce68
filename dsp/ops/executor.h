/* SPDX-License-Identifier: MIT
 *
 * What an op runs with. All of it is the op's own while it runs.
 */
#ifndef PHX_EXECUTOR_H
#define PHX_EXECUTOR_H

#include "elements.h"
#include "op.h"
#include "slices.h"
#include "runtime/pool.h"
#include "runtime/vtcm.h"

struct phx_executor {
    struct phx_pool *pool;
    struct phx_area *scratch;    /* an op takes what it wants of it with phx_area_reserve() */
    const struct phx_vtcm *vtcm; /* all of it */
    /* The op before in this run, which has left its scratch memory as it was; or NULL. */
    const struct phx_op_type *previous;
    const struct phx_call *end; /* behind the last op of the program */
    uint32_t n_lengths;         /* of its tensors that have changed since: their other dimensions never do */
    struct phx_area *streams;   /* kept from op to op: matmul/stream.h */
    uint32_t failed;            /* of ops that run together: which one, from the first */
};

/* rows.c: run() of the ops that compute rows independently: cuts them over the threads. Those that go element by element
 * may have others joined to them. */
uint32_t phx_rows_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
uint32_t phx_elements_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
uint32_t phx_scatter_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

/* matmul/stream.c: what DMA has brought since the last call. */
uint64_t phx_streams_bytes(const struct phx_executor *executor);

/* matmul/stream.c: after an op that failed, leaves the engines idle that bring weights for one that comes later. */
void phx_streams_close(const struct phx_executor *executor);

/* by_row.c: run() of the first of several ops that go row by row. */
uint32_t phx_by_row_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

/* picks.c: join() of PICK ops. */
uint32_t phx_pick_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
void phx_pick_join(const struct phx_call *call, const void *work, uint32_t n_threads);

/* rows.c: which of its kernels such an op runs. */
phx_row_kernel phx_rows_kernel(const struct phx_call *call);

/* rows.c: check() of UNARY and BINARY ops. */
struct phx_misfit phx_unary_check(const struct phx_executor *executor, struct phx_call *call);
struct phx_misfit phx_binary_check(const struct phx_executor *executor, struct phx_call *call);

/* For check(): rows of this type, whose elements lie side by side. */
static inline struct phx_misfit phx_want_rows(const struct phx_operand *operand, uint32_t dtype) {
    const struct phx_tensor *view = &operand->view;
    uint32_t status = view->layout != PHX_LAYOUT_ROWS ? PHX_E_LAYOUT
                      : view->dtype != dtype          ? PHX_E_DTYPE
                      : phx_is_dense(view)            ? PHX_OK
                                                      : PHX_E_STRIDE;
    return (struct phx_misfit){status, operand};
}

/* For check(): whether that many multiplications for each element, at most 2^27 of a result's 2^33, are too many. */
static inline bool phx_is_too_much(const struct phx_operand *dst, uint64_t each) {
    return (uint64_t)phx_n_rows(&dst->view) * dst->view.ne[0] * each > PHX_MAX_PRODUCTS;
}

/* As many packets whichever lies first: where a host puts its buffers is no part of what an op costs. */
static inline bool phx_overlap(const struct phx_operand *a, const struct phx_operand *b) {
    const uint8_t *a_end = a->data + a->n_bytes, *b_end = b->data + b->n_bytes;
    const uint8_t *start = a->data > b->data ? a->data : b->data, *end = a_end < b_end ? a_end : b_end;
    return start < end;
}

static inline bool phx_is_same_view(const struct phx_operand *a, const struct phx_operand *b) {
    bool is_same = a->data == b->data && a->view.dtype == b->view.dtype && a->view.layout == b->view.layout;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        is_same = is_same && a->view.ne[i] == b->view.ne[i] && a->view.nb[i] == b->view.nb[i];
    }
    return is_same;
}

static inline bool phx_same_shape(const struct phx_tensor *a, const struct phx_tensor *b) {
    return a->ne[0] == b->ne[0] && a->ne[1] == b->ne[1] && a->ne[2] == b->ne[2] && a->ne[3] == b->ne[3];
}

#endif
