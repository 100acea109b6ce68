/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/rope.h"

/* Float32 rows, beside each of them its positions, and a table with two rows of words for each of those. */
struct phx_misfit phx_rope_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_rope_params *params = call->params;
    const struct phx_tensor *dst = &call->dst[0]->view, *positions = &call->src[1]->view, *turns = &call->src[2]->view;
    struct phx_misfit misfit = phx_unary_check(executor, call);
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[1], PHX_I32);
        if (misfit.status == PHX_E_STRIDE) {
            misfit.status = PHX_OK; /* a row's positions may lie anywhere */
        }
    }
    if (!misfit.status) {
        misfit = phx_want_rows(call->src[2], PHX_I32);
    }
    if (misfit.status) {
        return misfit;
    }
    if (positions->ne[0] > PHX_ROPE_MAX_POSITIONS || positions->ne[1] != dst->ne[1] || positions->ne[2] != dst->ne[2] ||
        positions->ne[3] != dst->ne[3]) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[1]};
    }
    if (turns->ne[0] > dst->ne[0] / 2 || turns->ne[0] > REF_ROPE_MAX_PAIRS || turns->ne[1] != 2 * positions->ne[0] ||
        turns->ne[2] != 1 || turns->ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, call->src[2]};
    }
    if (params->mode > PHX_ROPE_NEOX || !(params->scale >= 0x1p-8f && params->scale <= 0x1p8f)) {
        return (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    call->work_bytes = REF_ROPE_WORK;
    return PHX_FITS;
}
