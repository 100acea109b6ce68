/* SPDX-License-Identifier: MIT
 *
 * Fusion rules. Three kinds of groups are fused: matmuls with the same activations, followed by elementwise ops on
 * their results; elementwise ops alone; or row-by-row ops and an append of their results to the KV cache (by_row.c).
 * Activations are quantized once, work is dispatched once, and each thread continues with the columns, or rows, that it
 * computed itself.
 *
 * A fused group must leave the same bits as its ops one after the other, whatever the host requests. None of its ops
 * may therefore write what another one reads or writes, unless both have it as the identical view and partition it
 * alike. Activations of MUL_MAT are exempt: all of them are quantized before the first op that is not a matmul begins.
 * This does not hold for MUL_MAT_ID, whose activations may take several chunks.
 */
#include "codes.h"
#include "matmul/product.h"

enum overlap {
    DISJOINT,
    SAME_VIEW,
    CONFLICT
};

static bool is_matmul(const struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view;
    bool has_one = call->type->code == PHX_OP_MUL_MAT && w->ne[2] == 1 && w->ne[3] == 1;
    return (has_one || call->type->code == PHX_OP_MUL_MAT_ID) && call->dst[0]->n_bytes;
}

/* Returns whether two matmuls have the same activations, and the same ids over equally many experts. */
static bool share_activations(const struct phx_call *a, const struct phx_call *b) {
    bool by_ids = a->type->code == PHX_OP_MUL_MAT_ID;
    return a->type->code == b->type->code && phx_is_same_view(a->src[1], b->src[1]) &&
           (!by_ids || (phx_is_same_view(a->src[2], b->src[2]) && a->src[0]->view.ne[2] == b->src[0]->view.ne[2]));
}

/* Returns whether an op is elementwise. ADD_ID is only after a MUL_MAT_ID that has validated the same ids. */
static bool is_by_element(const struct phx_call *call, const struct phx_call *first) {
    if (call->type->code == PHX_OP_ADD_ID) {
        return first->type->code == PHX_OP_MUL_MAT_ID && phx_is_same_view(call->src[2], first->src[2]) &&
               call->src[1]->view.ne[1] >= first->src[0]->view.ne[2] && call->dst[0]->n_bytes;
    }
    return call->type->by_element && !call->type->is_scatter && !call->type->merge && call->work_bytes == 0 &&
           call->dst[0]->n_bytes;
}

/* Returns how the result of one op overlaps an operand of another one. */
static enum overlap overlap_of(const struct phx_operand *dst, const struct phx_operand *operand) {
    return !phx_overlap(dst, operand) ? DISJOINT : phx_is_same_view(dst, operand) ? SAME_VIEW : CONFLICT;
}

static enum overlap worse(enum overlap a, enum overlap b) {
    return a > b ? a : b;
}

/* Returns the worst overlap of one op's result with all operands of another one. */
static enum overlap worst_overlap(const struct phx_call *writer, const struct phx_call *other) {
    const struct phx_operand *dst = writer->dst[0];
    enum overlap worst = overlap_of(dst, other->dst[0]);
    for (uint32_t i = 0; i < other->type->n_src; i++) {
        bool is_quantized_first = i == 1 && other->type->code == PHX_OP_MUL_MAT;
        bool is_other_shape = i > 0 && other->type->code == PHX_OP_ADD_ID; /* its table has another shape */
        if (other->src[i] && !is_quantized_first) {
            enum overlap overlap = overlap_of(dst, other->src[i]);
            worst = worse(worst, overlap && is_other_shape ? CONFLICT : overlap);
        }
    }
    return worst;
}

/* Returns whether calls[n] may be fused with the ones before it. */
static bool can_fuse(struct phx_call *calls, uint32_t n) {
    struct phx_call *call = &calls[n];
    bool is_matmul_call = is_matmul(call), has_columns = is_matmul_call,
         has_common_columns = calls[0].has_common_columns;
    for (uint32_t i = 0; i < n; i++) {
        if (is_matmul_call && !(is_matmul(&calls[i]) && share_activations(&calls[i], call))) {
            return false;
        }
        enum overlap overlap = worse(worst_overlap(&calls[i], call), worst_overlap(call, &calls[i]));
        if (overlap == CONFLICT || (overlap == SAME_VIEW && is_matmul_call)) {
            return false;
        }
        if (overlap == SAME_VIEW && !has_columns) {
            call->columns_of = calls[i].columns_of;
            has_columns = true;
        } else if (overlap == SAME_VIEW && call->columns_of != calls[i].columns_of) {
            has_common_columns = true;
        }
    }
    calls[0].has_common_columns = has_columns && has_common_columns;
    return has_columns;
}

/* --- Row-by-row groups --- */

/* Returns whether each row of the result depends only on the same rows of its sources, or on operands that no earlier
 * op of the group can have written. */
static bool is_by_row(const struct phx_call *call) {
    switch (call->type->code) {
    case PHX_OP_RMS_NORM:
    case PHX_OP_NORM:
    case PHX_OP_L2_NORM:
    case PHX_OP_ROPE:
    case PHX_OP_HADAMARD:
        return call->type->ref && call->dst[0]->n_bytes;
    default:
        return is_by_element(call, call);
    }
}

static bool is_append(const struct phx_call *call) {
    return call->type->code == PHX_OP_CACHE_APPEND && call->src[0]->n_bytes;
}

/* Returns whether an op may be in a row-by-row group: all of its rows are along dimension 1. */
static bool has_rows(const struct phx_call *call) {
    if (!is_by_row(call) && !is_append(call)) {
        return false;
    }
    const uint32_t *ne = phx_rows_view(call)->ne;
    return ne[2] == 1 && ne[3] == 1;
}

/* Fuses a row-by-row group from calls[0] on and returns its length. */
static uint32_t fuse_rows(struct phx_call *calls, uint32_t n) {
    uint32_t n_fused = 1;
    if (!is_by_row(&calls[0]) || !has_rows(&calls[0])) {
        return 1;
    }
    for (; n_fused < n && n_fused < PHX_MAX_FUSED && !is_append(&calls[n_fused - 1]); n_fused++) {
        const struct phx_call *call = &calls[n_fused];
        if (!has_rows(call)) {
            break;
        }
        enum overlap worst = DISJOINT;
        for (uint32_t i = 0; i < n_fused; i++) {
            worst = worse(worst, worse(worst_overlap(&calls[i], call), worst_overlap(call, &calls[i])));
        }
        if (worst == CONFLICT) {
            break;
        }
    }
    for (uint32_t i = 0; i < n_fused; i++) {
        calls[i].n_rows = phx_rows_view(&calls[i])->ne[1];
    }
    return n_fused;
}

/* --- Entry --- */

void phx_fuse_calls(struct phx_call *calls, uint32_t n) {
    uint32_t n_fused = 1;
    calls[0].has_common_columns = false;
    calls[0].run = calls[0].type->run;
    if (is_matmul(&calls[0]) || is_by_element(&calls[0], &calls[0])) {
        calls[0].columns_of = 0;
        for (; n_fused < n && n_fused < PHX_MAX_FUSED; n_fused++) {
            struct phx_call *call = &calls[n_fused];
            bool may_be_matmul = n_fused < PHX_MAX_FACTORS && is_matmul(call);
            call->columns_of = (uint8_t)n_fused;
            if (!(may_be_matmul || is_by_element(call, calls)) || !can_fuse(calls, n_fused)) {
                break;
            }
        }
    }
    if (n_fused == 1 && n > 1) {
        n_fused = fuse_rows(calls, n);
        calls[0].run = n_fused > 1 ? phx_by_row_run : calls[0].run;
    }
    calls[0].n_fused = n_fused;
    calls[0].tables->is_made = calls[0].tables->has_lookahead = false;
    for (uint32_t i = 1; i < n_fused; i++) { /* it may have led a group of its own before an operand was patched */
        calls[i].n_fused = 0;
        calls[i].tables->is_made = false;
    }
}
