/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(rms_norm)

/* Accepts float32 rows of at most PHX_MAX_K elements; the weight is one row, or a view that broadcasts one. */
struct phx_mismatch phx_rms_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_rms_norm_params *params = call->params;
    const struct phx_operand *weight = call->src[1];
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    if (mismatch.status) {
        return mismatch;
    }
    call->cost_log2 = phx_norm_cost_log2(call);
    if (call->dst[0]->view.ne[0] > PHX_MAX_K) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!(params->eps >= 0 && params->eps < __builtin_inff())) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    if (!weight) {
        return PHX_MATCH;
    }
    mismatch = phx_require_rows(weight, PHX_F32);
    if (!mismatch.status && !phx_same_shape(&weight->view, &call->dst[0]->view)) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, weight};
    }
    return mismatch;
}
