/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/rope.h"

PHX_DECLARE_CHECK(rope)

/* Accepts float32 rows, positions for each of them, and a table with two rows of words per position of a row. */
struct phx_mismatch phx_rope_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_rope_params *params = call->params;
    const struct phx_tensor *dst = &call->dst[0]->view, *positions = &call->src[1]->view, *turns = &call->src[2]->view;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[1], PHX_I32);
        if (mismatch.status == PHX_E_STRIDE) {
            mismatch.status = PHX_OK; /* positions may have any strides */
        }
    }
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[2], PHX_I32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (positions->ne[0] > PHX_ROPE_MAX_POSITIONS || positions->ne[1] != dst->ne[1] || positions->ne[2] != dst->ne[2] ||
        positions->ne[3] != dst->ne[3]) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[1]};
    }
    if (turns->ne[0] > dst->ne[0] / 2 || turns->ne[0] > REF_ROPE_MAX_PAIRS || turns->ne[1] != 2 * positions->ne[0] ||
        turns->ne[2] != 1 || turns->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[2]};
    }
    if (params->mode > PHX_ROPE_NEOX || !(params->scale >= 0x1p-8f && params->scale <= 0x1p8f)) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    call->work_bytes = REF_ROPE_WORK;
    return PHX_MATCH;
}
