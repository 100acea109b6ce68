/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(sum_rows)
PHX_DECLARE_CHECK(mean)

/* Accepts float32 rows of at most PHX_MAX_K elements and one number per row. */
struct phx_mismatch phx_sum_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *x = &call->src[0]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!mismatch.status &&
        (dst->ne[0] != 1 || dst->ne[1] != x->ne[1] || dst->ne[2] != x->ne[2] || dst->ne[3] != x->ne[3])) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[0], PHX_F32);
    }
    if (!mismatch.status && x->ne[0] > PHX_MAX_K) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->src[0]};
    }
    return mismatch.status ? mismatch : PHX_MATCH;
}

struct phx_mismatch phx_mean_check(const struct phx_executor *executor, struct phx_call *call) {
    return phx_sum_rows_check(executor, call);
}
