/* SPDX-License-Identifier: MIT
 *
 * Which ops run together: products of the same rows, then ops that go element by element over what these have made; or
 * such ops alone. Rows are quantised once, work is handed to the threads once, and each thread goes on with the columns
 * it has made itself.
 *
 * What they leave must be what they leave one after the other, whatever the host wants. So none of them may write what
 * another one reads or writes, unless both have it as the very same view and cut it alike. Only rows of activations may
 * be written over: all of them are quantised before an op that is no product begins. Not so those of MUL_MAT_ID, of
 * which many make several chunks.
 */
#include "matmul/product.h"

#define MOST_JOINED 8

enum meeting {
    APART,
    SAME_VIEW,
    IN_THE_WAY
};

static bool is_product(const struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view;
    bool has_one = call->type->code == PHX_OP_MUL_MAT && w->ne[2] == 1 && w->ne[3] == 1;
    return (has_one || call->type->code == PHX_OP_MUL_MAT_ID) && call->dst[0]->n_bytes;
}

/* Products of the same rows, by the same ones of as many experts. */
static bool are_alike(const struct phx_call *a, const struct phx_call *b) {
    bool by_ids = a->type->code == PHX_OP_MUL_MAT_ID;
    return a->type->code == b->type->code && phx_is_same_view(a->src[1], b->src[1]) &&
           (!by_ids || (phx_is_same_view(a->src[2], b->src[2]) && a->src[0]->view.ne[2] == b->src[0]->view.ne[2]));
}

/* Whether it goes element by element; ADD_ID only if its ids were found good by the products before. */
static bool is_by_element(const struct phx_call *call, const struct phx_call *first) {
    if (call->type->code == PHX_OP_ADD_ID) {
        return first->type->code == PHX_OP_MUL_MAT_ID && phx_is_same_view(call->src[2], first->src[2]) &&
               call->src[1]->view.ne[1] >= first->src[0]->view.ne[2] && call->dst[0]->n_bytes;
    }
    return call->type->by_element && !call->type->is_scatter && !call->type->join && call->work_bytes == 0 &&
           call->dst[0]->n_bytes;
}

/* What one op writes, and an operand of another one. */
static enum meeting meet(const struct phx_operand *dst, const struct phx_operand *operand) {
    return !phx_overlap(dst, operand) ? APART : phx_is_same_view(dst, operand) ? SAME_VIEW : IN_THE_WAY;
}

static enum meeting worse(enum meeting a, enum meeting b) {
    return a > b ? a : b;
}

/* What one op writes, and all operands of another one. */
static enum meeting meet_all(const struct phx_call *writer, const struct phx_call *other) {
    const struct phx_operand *dst = writer->dst[0];
    enum meeting worst = meet(dst, other->dst[0]);
    for (uint32_t i = 0; i < other->type->n_src; i++) {
        bool is_used_up = i == 1 && other->type->code == PHX_OP_MUL_MAT;
        bool is_other_shape = i > 0 && other->type->code == PHX_OP_ADD_ID; /* its table */
        if (other->src[i] && !is_used_up) {
            enum meeting meeting = meet(dst, other->src[i]);
            worst = worse(worst, meeting && is_other_shape ? IN_THE_WAY : meeting);
        }
    }
    return worst;
}

/* Whether calls[n] may join those before it. */
static bool fits(struct phx_call *calls, uint32_t n) {
    struct phx_call *call = &calls[n];
    bool joins_product = is_product(call), has_columns = joins_product, is_cut_alike = calls[0].is_cut_alike;
    for (uint32_t i = 0; i < n; i++) {
        if (joins_product && !(is_product(&calls[i]) && are_alike(&calls[i], call))) {
            return false;
        }
        enum meeting meeting = worse(meet_all(&calls[i], call), meet_all(call, &calls[i]));
        if (meeting == IN_THE_WAY || (meeting == SAME_VIEW && joins_product)) {
            return false;
        }
        if (meeting == SAME_VIEW && !has_columns) {
            call->columns_of = calls[i].columns_of;
            has_columns = true;
        } else if (meeting == SAME_VIEW && call->columns_of != calls[i].columns_of) {
            is_cut_alike = true;
        }
    }
    calls[0].is_cut_alike = has_columns && is_cut_alike;
    return has_columns;
}

void phx_join_calls(struct phx_call *calls, uint32_t n) {
    uint32_t n_joined = 1;
    calls[0].is_cut_alike = false;
    if (is_product(&calls[0]) || is_by_element(&calls[0], &calls[0])) {
        calls[0].columns_of = 0;
        for (; n_joined < n && n_joined < MOST_JOINED; n_joined++) {
            struct phx_call *call = &calls[n_joined];
            bool may_be_product = n_joined < PHX_MAX_FACTORS && is_product(call);
            call->columns_of = (uint8_t)n_joined;
            if (!(may_be_product || is_by_element(call, calls)) || !fits(calls, n_joined)) {
                break;
            }
        }
    }
    calls[0].n_joined = n_joined;
}
