/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/convert.h"
#include "ref/get_rows.h"

PHX_DECLARE_CHECK(get_rows)

/* Accepts float32 results of one row per id, and a source in the rows or the tiles layout. The kernel checks the ids
 * when the op runs. */
struct phx_mismatch phx_get_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *from = &call->src[0]->view, *ids = &call->src[1]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[1], PHX_I32);
    }
    if (!mismatch.status && from->layout == PHX_LAYOUT_ROWS) {
        mismatch = phx_require_rows(call->src[0], phx_is_convertible(from->dtype, PHX_F32) ? from->dtype : PHX_F32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (from->ne[0] != dst->ne[0] || from->ne[2] != ids->ne[1] || from->ne[3] != ids->ne[2] || ids->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[0]};
    }
    if (dst->ne[1] != ids->ne[0] || dst->ne[2] != ids->ne[1] || dst->ne[3] != ids->ne[2]) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    call->work_bytes = from->layout == PHX_LAYOUT_TILES ? REF_GET_ROWS_WORK : 0;
    return PHX_MATCH;
}
