/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32 rows of at most PHX_MAX_K elements; weight and bias are one row each, or rows that the views repeat. */
struct phx_misfit phx_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_norm_params *params = call->params;
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (!misfit.status && call->dst[0]->view.ne[0] > PHX_MAX_K) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    for (uint32_t i = 1; i < 3 && !misfit.status; i++) {
        const struct phx_operand *src = call->src[i];
        misfit = src ? phx_want_rows(src, PHX_F32) : PHX_FITS;
        if (src && !misfit.status && !phx_same_shape(&src->view, &call->dst[0]->view)) {
            misfit = (struct phx_misfit){PHX_E_SHAPE, src};
        }
    }
    if (!misfit.status && !(params->eps >= 0 && params->eps < __builtin_inff())) {
        misfit = (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    return misfit.status ? misfit : PHX_FITS;
}
