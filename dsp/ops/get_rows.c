/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/convert.h"
#include "ref/get_rows.h"

/* Float32 results of one row for each id; what the rows lie in is rows or tiles. Ids are looked at when the op runs. */
struct phx_misfit phx_get_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *from = &call->src[0]->view, *ids = &call->src[1]->view, *dst = &call->dst[0]->view;
    struct phx_misfit misfit = phx_want_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[1], PHX_I32);
    }
    if (!misfit.status && from->layout == PHX_LAYOUT_ROWS) {
        misfit = phx_want_rows(call->src[0], phx_is_convertible(from->dtype, PHX_F32) ? from->dtype : PHX_F32);
    }
    if (misfit.status) {
        return misfit;
    }
    if (from->ne[0] != dst->ne[0] || from->ne[2] != ids->ne[1] || from->ne[3] != ids->ne[2] || ids->ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[0]};
    }
    if (dst->ne[1] != ids->ne[0] || dst->ne[2] != ids->ne[1] || dst->ne[3] != ids->ne[2]) {
        return (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    call->work_bytes = from->layout == PHX_LAYOUT_TILES ? REF_GET_ROWS_WORK : 0;
    return PHX_FITS;
}
