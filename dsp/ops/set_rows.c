/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/convert.h"

/* Float32 rows, an id for each, and rows of any float or quantised type that take them. Ids are looked at when the op
 * runs; those of all matrices may be the same ones. */
struct phx_misfit phx_set_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *rows = &call->src[0]->view, *ids = &call->src[1]->view, *dst = &call->dst[0]->view;
    struct phx_misfit misfit = phx_want_rows(call->src[0], PHX_F32);
    (void)executor;
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[1], PHX_I32);
    }
    if (!misfit.status && !phx_is_convertible(PHX_F32, dst->dtype)) {
        misfit = (struct phx_misfit){PHX_E_DTYPE, call->dst[0]};
    }
    if (misfit.status) {
        return misfit;
    }
    if (rows->ne[1] != ids->ne[0] || rows->ne[2] != ids->ne[1] || rows->ne[3] != ids->ne[2] || ids->ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[1]};
    }
    bool fits = rows->ne[0] == dst->ne[0] && rows->ne[2] == dst->ne[2] && rows->ne[3] == dst->ne[3];
    return fits ? PHX_FITS : (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
}
