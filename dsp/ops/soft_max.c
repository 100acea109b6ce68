/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32 numbers, one beside each row; they may lie anywhere. */
static struct phx_misfit want_one_a_row(const struct phx_operand *operand, const struct phx_tensor *dst) {
    const struct phx_tensor *view = &operand->view;
    struct phx_misfit misfit = phx_want_rows(operand, PHX_F32);
    if (!misfit.status &&
        (view->ne[0] != 1 || view->ne[1] != dst->ne[1] || view->ne[2] != dst->ne[2] || view->ne[3] != dst->ne[3])) {
        misfit.status = PHX_E_SHAPE;
    }
    return misfit;
}

/* Float32 rows, and perhaps a mask of float32 or float16 for each; views repeat what is there. */
struct phx_misfit phx_soft_max_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_soft_max_params *params = call->params;
    const struct phx_operand *mask = call->src[1];
    const struct phx_tensor *dst = &call->dst[0]->view;
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (!misfit.status && dst->ne[0] > PHX_MAX_K) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    if (!misfit.status && mask) {
        misfit = phx_want_rows(mask, mask->view.dtype == PHX_F16 ? PHX_F16 : PHX_F32);
        if (!misfit.status && !phx_same_shape(&mask->view, dst)) {
            misfit = (struct phx_misfit){PHX_E_SHAPE, mask};
        }
    }
    for (int i = 2; i < 4 && !misfit.status; i++) {
        misfit = call->src[i] ? want_one_a_row(call->src[i], dst) : misfit;
    }
    if (!misfit.status && !(params->scale >= -0x1p64f && params->scale <= 0x1p64f)) {
        misfit = (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    return misfit.status ? misfit : PHX_FITS;
}
