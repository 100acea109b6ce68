/* SPDX-License-Identifier: MIT
 *
 * CPY in HVX (reference: dsp/ref/cpy.c), for rows that are contiguous in both operands.
 */
#include "convert.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(cpy)

uint32_t phx_cpy_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct phx_run from = phx_run_of(&src->view, phx_row(src, at), 0);
        struct phx_run to = phx_run_of(&dst->view, phx_row(dst, at), 0);
        ref_convert_run(hvx_convert, &from, &to, dst->view.ne[0]);
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
