/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(add_id)

/* Accepts x (T, U, n), a table (R, n) and one id per row of x. The kernel checks the ids when the op runs. */
struct phx_mismatch phx_add_id_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *table = &call->src[1]->view, *ids = &call->src[2]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[1], PHX_F32);
    }
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[2], PHX_I32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (table->ne[0] != dst->ne[0] || table->ne[2] != 1 || table->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[1]};
    }
    if (ids->ne[0] != dst->ne[1] || ids->ne[1] != dst->ne[2] || ids->ne[2] != 1 || ids->ne[3] != 1 || dst->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[2]};
    }
    return PHX_MATCH;
}
