/* SPDX-License-Identifier: MIT
 *
 * Which ops run together: products of the same rows, then ops that go element by element over what these have made; or
 * such ops alone; or ops that go row by row, and an append of what they have made to a cache: by_row.c. Rows are quantised
 * once, work is handed to the threads once, and each thread goes on with the columns, or rows, it has made itself.
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

/* --- Row by row --- */

/* Whether each row of its result comes of the same rows of its sources, or of what no op before can have made. */
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

/* Rows along dimension 1; 0 if there are others. */
static uint32_t n_rows_of(const struct phx_call *call) {
    const uint32_t *ne = (is_append(call) ? call->src[0] : call->dst[0])->view.ne;
    return ne[2] == 1 && ne[3] == 1 ? ne[1] : 0;
}

/* Fewer rows of one op are units: as many rows of another belong to each. */
static uint32_t join_rows(struct phx_call *calls, uint32_t n) {
    uint32_t n_units = is_by_row(&calls[0]) ? n_rows_of(&calls[0]) : 0, n_joined = 1;
    for (; n_units && n_joined < n && n_joined < MOST_JOINED && !is_append(&calls[n_joined - 1]); n_joined++) {
        const struct phx_call *call = &calls[n_joined];
        uint32_t n_rows = is_by_row(call) || is_append(call) ? n_rows_of(call) : 0;
        uint32_t least = n_rows < n_units ? n_rows : n_units;
        if (!least || n_units % least || n_rows % least) {
            break;
        }
        enum meeting worst = APART;
        for (uint32_t i = 0; i < n_joined; i++) {
            worst = worse(worst, worse(meet_all(&calls[i], call), meet_all(call, &calls[i])));
        }
        if (worst == IN_THE_WAY) {
            break;
        }
        n_units = least;
    }
    for (uint32_t i = 0; n_joined > 1 && i < n_joined; i++) {
        calls[i].rows_each = n_rows_of(&calls[i]) / n_units;
    }
    calls[0].n_units = n_units;
    return n_joined;
}

/* --- All of it --- */

void phx_join_calls(struct phx_call *calls, uint32_t n) {
    uint32_t n_joined = 1;
    calls[0].is_cut_alike = false;
    calls[0].run = calls[0].type->run;
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
    if (n_joined == 1 && n > 1) {
        n_joined = join_rows(calls, n);
        calls[0].run = n_joined > 1 ? phx_by_row_run : calls[0].run;
    }
    calls[0].n_joined = n_joined;
    calls[0].tables->is_made = calls[0].tables->has_looked = false;
    for (uint32_t i = 1; i < n_joined; i++) { /* before an operand moved it may have been the first of others */
        calls[i].n_joined = 0;
        calls[i].tables->is_made = false;
    }
}
