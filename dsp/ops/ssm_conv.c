/* SPDX-License-Identifier: MIT */
#include "executor.h"

/* Float32: as many rows of weights as numbers are summed, and as many more rows of x than of the result, less one. */
struct phx_misfit phx_ssm_conv_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_operand *x = call->src[0], *weight = call->src[1], *dst = call->dst[0];
    struct phx_misfit misfit = phx_want_rows(dst, PHX_F32);
    (void)executor;
    for (uint32_t i = 0; i < 2 && !misfit.status; i++) {
        misfit = phx_want_rows(call->src[i], PHX_F32);
    }
    if (misfit.status) {
        return misfit;
    }
    const uint32_t *n = dst->view.ne, *of_x = x->view.ne, *of_weight = weight->view.ne;
    if (of_weight[0] != n[0] || of_weight[1] != n[1] || of_weight[2] == 0 || of_weight[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, weight};
    }
    if (of_x[0] != n[0] || of_x[1] != n[1] || (uint64_t)of_x[2] + 1 != (uint64_t)n[2] + of_weight[2] ||
        of_x[3] != n[3]) {
        return (struct phx_misfit){PHX_E_SHAPE, x};
    }
    return PHX_FITS;
}
