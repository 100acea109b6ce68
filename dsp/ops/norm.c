/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(norm)

/* Accepts float32 rows of at most PHX_MAX_K elements; weight and bias are one row each, or views that broadcast one. */
struct phx_mismatch phx_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_norm_params *params = call->params;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    call->cost_log2 = phx_norm_cost_log2(call);
    if (!mismatch.status && call->dst[0]->view.ne[0] > PHX_MAX_K) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    for (uint32_t i = 1; i < 3 && !mismatch.status; i++) {
        const struct phx_operand *src = call->src[i];
        mismatch = src ? phx_require_rows(src, PHX_F32) : PHX_MATCH;
        if (src && !mismatch.status && !phx_same_shape(&src->view, &call->dst[0]->view)) {
            mismatch = (struct phx_mismatch){PHX_E_SHAPE, src};
        }
    }
    if (!mismatch.status && !(params->eps >= 0 && params->eps < __builtin_inff())) {
        mismatch = (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    return mismatch.status ? mismatch : PHX_MATCH;
}
