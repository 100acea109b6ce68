/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Accepts float32 operands: one row of weights per tap, and x with n_taps - 1 more rows than the result. */
struct phx_mismatch phx_ssm_conv_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_operand *x = call->src[0], *weight = call->src[1], *dst = call->dst[0];
    struct phx_mismatch mismatch = phx_require_rows(dst, PHX_F32);
    (void)executor;
    for (uint32_t i = 0; i < 2 && !mismatch.status; i++) {
        mismatch = phx_require_rows(call->src[i], PHX_F32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    const uint32_t *n = dst->view.ne, *of_x = x->view.ne, *of_weight = weight->view.ne;
    if (of_weight[0] != n[0] || of_weight[1] != n[1] || of_weight[2] == 0 || of_weight[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, weight};
    }
    if (of_x[0] != n[0] || of_x[1] != n[1] || (uint64_t)of_x[2] + 1 != (uint64_t)n[2] + of_weight[2] ||
        of_x[3] != n[3]) {
        return (struct phx_mismatch){PHX_E_SHAPE, x};
    }
    call->cost_log2 = 3;
    return PHX_MATCH;
}
