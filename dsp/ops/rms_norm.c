/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32 rows; the weight is one row, or one that the views repeat. Rows have at most PHX_MAX_K elements. */
struct phx_misfit phx_rms_norm_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_rms_norm_params *params = call->params;
    const struct phx_operand *weight = call->src[1];
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (misfit.status) {
        return misfit;
    }
    if (call->dst[0]->view.ne[0] > PHX_MAX_K) {
        return (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    if (!(params->eps >= 0 && params->eps < __builtin_inff())) {
        return (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    if (!weight) {
        return PHX_FITS;
    }
    misfit = phx_want_rows(weight, PHX_F32);
    if (!misfit.status && !phx_same_shape(&weight->view, &call->dst[0]->view)) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, weight};
    }
    return misfit;
}
