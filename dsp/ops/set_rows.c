/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/convert.h"

PHX_DECLARE_CHECK(set_rows)

/* Accepts float32 rows, one id per row, and destination rows of any float or quantized type. The kernel checks the ids
 * when the op runs; ids may be shared by all matrices. */
struct phx_mismatch phx_set_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *rows = &call->src[0]->view, *ids = &call->src[1]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_require_rows(call->src[0], PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[1], PHX_I32);
    }
    if (!mismatch.status && !phx_is_convertible(PHX_F32, dst->dtype)) {
        mismatch = (struct phx_mismatch){PHX_E_DTYPE, call->dst[0]};
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (rows->ne[1] != ids->ne[0] || rows->ne[2] != ids->ne[1] || rows->ne[3] != ids->ne[2] || ids->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[1]};
    }
    bool fits = rows->ne[0] == dst->ne[0] && rows->ne[2] == dst->ne[2] && rows->ne[3] == dst->ne[3];
    return fits ? PHX_MATCH : (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
}
