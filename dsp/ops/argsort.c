/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "picks.h"

PHX_DECLARE_CHECK(argsort)

/* Accepts float32 rows of at most PHX_MAX_K elements and int32 rows of the same shape. */
struct phx_mismatch phx_argsort_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_argsort_params *params = call->params;
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    struct phx_mismatch mismatch = phx_require_rows(dst, PHX_I32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_rows(src, PHX_F32);
    }
    if (!mismatch.status && (!phx_same_shape(&src->view, &dst->view) || dst->view.ne[0] > PHX_MAX_K)) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, src};
    }
    if (!mismatch.status && params->descending > 1) {
        mismatch = (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    uint32_t n_bytes = 2 * dst->view.ne[0] * (uint32_t)sizeof(struct phx_pick);
    call->work_bytes = n_bytes / PHX_VECTOR * PHX_VECTOR +
                       2 * PHX_VECTOR; /* short rows need two words each, in whole vectors */
    return mismatch.status ? mismatch : PHX_MATCH;
}
