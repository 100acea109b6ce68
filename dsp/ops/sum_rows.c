/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32 rows of at most PHX_MAX_K elements, and one number for each. */
struct phx_misfit phx_sum_rows_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *x = &call->src[0]->view, *dst = &call->dst[0]->view;
    struct phx_misfit misfit = phx_want_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!misfit.status &&
        (dst->ne[0] != 1 || dst->ne[1] != x->ne[1] || dst->ne[2] != x->ne[2] || dst->ne[3] != x->ne[3])) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[0], PHX_F32);
    }
    if (!misfit.status && x->ne[0] > PHX_MAX_K) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->src[0]};
    }
    return misfit.status ? misfit : PHX_FITS;
}

struct phx_misfit phx_mean_check(const struct phx_executor *executor, struct phx_call *call) {
    return phx_sum_rows_check(executor, call);
}
