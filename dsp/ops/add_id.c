/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* x (T, U, n), a table (R, n), an id for each of x's rows, which is looked at when the op runs. */
struct phx_misfit phx_add_id_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *table = &call->src[1]->view, *ids = &call->src[2]->view, *dst = &call->dst[0]->view;
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[1], PHX_F32);
    }
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[2], PHX_I32);
    }
    if (misfit.status) {
        return misfit;
    }
    if (table->ne[0] != dst->ne[0] || table->ne[2] != 1 || table->ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[1]};
    }
    if (ids->ne[0] != dst->ne[1] || ids->ne[1] != dst->ne[2] || ids->ne[2] != 1 || ids->ne[3] != 1 || dst->ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[2]};
    }
    return PHX_FITS;
}
