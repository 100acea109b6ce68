/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/convert.h"

PHX_DECLARE_CHECK(cpy)

/* Accepts rows of the same shape with any strides. Converts between float and quantized types; int32 is only copied. */
struct phx_mismatch phx_cpy_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    (void)executor;
    if (src->view.layout != PHX_LAYOUT_ROWS) {
        return (struct phx_mismatch){PHX_E_LAYOUT, src};
    }
    if (!phx_is_convertible(src->view.dtype, dst->view.dtype)) {
        return (struct phx_mismatch){PHX_E_DTYPE, src};
    }
    return phx_same_shape(&src->view, &dst->view) ? PHX_MATCH : (struct phx_mismatch){PHX_E_SHAPE, src};
}
