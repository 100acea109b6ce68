/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(hadamard)

/* Accepts float32 rows of whole blocks. */
struct phx_mismatch phx_hadamard_check(const struct phx_executor *executor, struct phx_call *call) {
    uint32_t n = ((const struct phx_hadamard_params *)call->params)->n;
    struct phx_mismatch mismatch = phx_unary_check(executor, call);
    if (mismatch.status) {
        return mismatch;
    }
    if (n != 32 && n != 64 && n != 128 && n != 256) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    call->cost_log2 = 2;
    return call->dst[0]->view.ne[0] % n ? (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]} : PHX_MATCH;
}
