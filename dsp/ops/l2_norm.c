/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32 rows of at most PHX_MAX_K elements. */
struct phx_misfit phx_l2_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_l2_norm_params *params = call->params;
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (!misfit.status && call->dst[0]->view.ne[0] > PHX_MAX_K) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    if (!misfit.status && !(params->eps >= 0 && params->eps < __builtin_inff())) {
        misfit = (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    return misfit.status ? misfit : PHX_FITS;
}
