/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(l2_norm)

/* Accepts float32 rows of at most PHX_MAX_K elements. */
struct phx_mismatch phx_l2_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_l2_norm_params *params = call->params;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    call->cost_log2 = phx_norm_cost_log2(call);
    if (!mismatch.status && call->dst[0]->view.ne[0] > PHX_MAX_K) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!mismatch.status && !(params->eps >= 0 && params->eps < __builtin_inff())) {
        mismatch = (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    return mismatch.status ? mismatch : PHX_MATCH;
}
