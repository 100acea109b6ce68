/* SPDX-License-Identifier: MIT
 *
 * The resources of a running op. They are exclusively its own while it runs.
 */
#ifndef PHX_EXECUTOR_H
#define PHX_EXECUTOR_H

#include "elements.h"
#include "op.h"
#include "slices.h"
#include "runtime/pool.h"
#include "runtime/vtcm.h"

struct phx_user_kernels;
struct phx_log;

struct phx_executor {
    struct phx_pool *pool;
    struct phx_area *scratch;    /* reserve it with phx_area_reserve() */
    const struct phx_vtcm *vtcm; /* all of the VTCM */
    /* The preceding op of this run, whose scratch memory is intact; or NULL. */
    const struct phx_op_type *previous;
    const struct phx_call *end; /* one past the last op of the program */
    /* count of tensor lengths patched so far; only the patched dimension of a tensor changes */
    uint32_t n_lengths;
    struct phx_area *streams; /* persist from op to op: matmul/stream.h */
    uint32_t failed;          /* index of the failed op within a fused group */
    const struct phx_user_kernels *user_kernels;
    struct phx_log *log;
};

/* rows.c: run() of ops with independent rows: partitions them over the threads. Elementwise ops may have others fused
 * to them. */
uint32_t phx_rows_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
uint32_t phx_elements_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
uint32_t phx_scatter_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

/* matmul/stream.c: returns the bytes that DMA has transferred since the last call. */
uint64_t phx_streams_bytes(const struct phx_executor *executor);

/* Failures of user DMA: the failed chains of descriptors, and the pieces of weights read from memory instead. */
struct phx_dma_faults {
    uint32_t n_failures;
    uint32_t n_fallbacks;
};

/* matmul/stream.c: returns the failures of user DMA since the last call. */
struct phx_dma_faults phx_streams_faults(const struct phx_executor *executor);

/* matmul/stream.c: after a failed op, stops the DMA engines that prefetch weights of later ops. */
void phx_streams_close(const struct phx_executor *executor);

#define PHX_MAX_FUSED 8 /* ops of a group */

/* by_row.c: run() of the first of several ops fused row by row. */
uint32_t phx_by_row_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);

/* picks.c: run() and merge() of PICK ops, which merges the candidates of several threads. */
uint32_t phx_pick_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record);
void phx_pick_merge(const struct phx_call *call, const void *work, uint32_t n_threads);

/* Returns the operand whose rows, or heads, threads share: that of an op of rows, or of an append to the KV cache. */
static inline const struct phx_tensor *phx_rows_view(const struct phx_call *call) {
    return &(call->type->ref ? call->dst[0] : call->src[0])->view;
}

/* rows.c: returns the kernel that such an op runs. */
phx_row_kernel phx_rows_kernel(const struct phx_call *call);

/* rows.c: check() of UNARY and BINARY ops. */
struct phx_mismatch phx_unary_check(const struct phx_executor *executor, struct phx_call *call);
struct phx_mismatch phx_binary_check(const struct phx_executor *executor, struct phx_call *call);

/* For check() of norms: short rows cost more for each element, long ones take steps that threads share. */
static inline uint32_t phx_norm_cost_log2(const struct phx_call *call) {
    return call->dst[0]->view.ne[0] <= 256 ? 3 : 0;
}

/* For check(): requires the rows layout, this dtype, and contiguous elements in a row. */
static inline struct phx_mismatch phx_require_rows(const struct phx_operand *operand, uint32_t dtype) {
    const struct phx_tensor *view = &operand->view;
    uint32_t status = view->layout != PHX_LAYOUT_ROWS ? PHX_E_LAYOUT
                      : view->dtype != dtype          ? PHX_E_DTYPE
                      : phx_is_dense(view)            ? PHX_OK
                                                      : PHX_E_STRIDE;
    return (struct phx_mismatch){status, operand};
}

/* require.c, for check(): requires rows of a dtype, and a shape. */
struct phx_mismatch phx_require_shape(const struct phx_operand *operand, uint32_t dtype,
                                      const uint64_t ne[PHX_MAX_DIMS]);

/* require.c, for check(): requires a table of float32 slots, of these two dimensions each, and ids of the slots that each
 * sequence reads and writes. */
struct phx_mismatch phx_require_slots(const struct phx_operand *table, const struct phx_operand *reads,
                                      const struct phx_operand *writes, const uint64_t slot_ne[2],
                                      uint32_t n_sequences);

/* For check(): returns whether `each` multiplications per element (at most 2^27, for a result of at most 2^33 elements)
 * exceed PHX_MAX_PRODUCTS. */
static inline bool phx_exceeds_limit(const struct phx_operand *dst, uint64_t each) {
    return (uint64_t)phx_n_rows(&dst->view) * dst->view.ne[0] * each > PHX_MAX_PRODUCTS;
}

/* Returns whether two operands overlap. Costs the same number of packets for either order of their addresses, so that
 * packet counts do not depend on where the host places its buffers. */
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
