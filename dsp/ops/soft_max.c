/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(soft_max)

/* Requires one float32 number per row, with any strides. */
static struct phx_mismatch want_one_a_row(const struct phx_operand *operand, const struct phx_tensor *dst) {
    const struct phx_tensor *view = &operand->view;
    struct phx_mismatch mismatch = phx_require_rows(operand, PHX_F32);
    if (!mismatch.status &&
        (view->ne[0] != 1 || view->ne[1] != dst->ne[1] || view->ne[2] != dst->ne[2] || view->ne[3] != dst->ne[3])) {
        mismatch.status = PHX_E_SHAPE;
    }
    return mismatch;
}

/* Accepts float32 rows and optionally a mask of float32 or float16 per row; views may broadcast. */
struct phx_mismatch phx_soft_max_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_soft_max_params *params = call->params;
    const struct phx_operand *mask = call->src[1];
    const struct phx_tensor *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    if (!mismatch.status && dst->ne[0] > PHX_MAX_K) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!mismatch.status && mask) {
        mismatch = phx_require_rows(mask, mask->view.dtype == PHX_F16 ? PHX_F16 : PHX_F32);
        if (!mismatch.status && !phx_same_shape(&mask->view, dst)) {
            mismatch = (struct phx_mismatch){PHX_E_SHAPE, mask};
        }
    }
    for (int i = 2; i < 4 && !mismatch.status; i++) {
        mismatch = call->src[i] ? want_one_a_row(call->src[i], dst) : mismatch;
    }
    if (!mismatch.status && !(params->scale >= -0x1p64f && params->scale <= 0x1p64f)) {
        mismatch = (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    return mismatch.status ? mismatch : PHX_MATCH;
}
