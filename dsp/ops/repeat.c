/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(repeat)

/* Accepts rows of one type with any strides. Each length of the result is a multiple of the source's. */
struct phx_mismatch phx_repeat_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    (void)executor;
    if (src->view.layout != PHX_LAYOUT_ROWS) {
        return (struct phx_mismatch){PHX_E_LAYOUT, src};
    }
    if (src->view.dtype != dst->view.dtype) {
        return (struct phx_mismatch){PHX_E_DTYPE, src};
    }
    for (uint32_t i = 0; i < PHX_MAX_DIMS; i++) {
        uint32_t n = src->view.ne[i], n_all = dst->view.ne[i];
        if (n == 0 ? n_all != 0 : n_all % n != 0) {
            return (struct phx_mismatch){PHX_E_SHAPE, src};
        }
    }
    return PHX_MATCH;
}
