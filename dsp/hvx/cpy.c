/* SPDX-License-Identifier: MIT
 *
 * CPY in HVX (reference: dsp/ref/cpy.c), for rows that are contiguous in both operands.
 */
#include "convert.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(cpy)

static bool is_of_vectors(const struct phx_operand *operand) {
    const struct phx_tensor *view = &operand->view;
    uint32_t n_bytes = phx_bytes_of(phx_grain_of(view->dtype), view->ne[0]);
    uintptr_t all = (uintptr_t)operand->data | n_bytes | view->nb[1] | view->nb[2] | view->nb[3];
    return phx_is_dense(view) && all % HVX_BYTES == 0;
}

/* Copies rows of whole, aligned vectors. An attention head is two vectors: choosing a copy loop for each row, as below,
 * would cost more packets than the copy. */
static void copy_rows_of_vectors(const struct phx_operand *src, const struct phx_operand *dst,
                                 const struct phx_slice *slice) {
    const struct phx_tensor *view = &dst->view;
    uint32_t n_vectors = phx_bytes_of(phx_grain_of(view->dtype), view->ne[0]) / HVX_BYTES;
    struct phx_at at = phx_at(view, slice->first_row);
    for (uint32_t n_left = slice->end_row - slice->first_row; n_left > 0;) {
        const uint8_t *from = phx_row(src, at);
        uint8_t *to = phx_row(dst, at);
        uint32_t n = view->ne[1] - at.i1;
        n = n < n_left ? n : n_left;
        n_left -= n;
        for (; n > 0; n--) {
#pragma clang loop unroll(disable)
            for (uint32_t i = 0; i < n_vectors; i++) {
                HVX_Vector v = ((const HVX_Vector *)from)[i];
                HVX_OPAQUE(v); /* prevents the compiler from calling memcpy, which is slower */
                ((HVX_Vector *)to)[i] = v;
            }
            from += src->view.nb[1];
            to += view->nb[1];
        }
        at.i1 = view->ne[1] - 1;
        phx_next(view, &at);
    }
}

uint32_t phx_cpy_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    if (src->view.dtype == dst->view.dtype && is_of_vectors(src) && is_of_vectors(dst)) {
        copy_rows_of_vectors(src, dst, slice);
        return PHX_OK;
    }
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct phx_run from = phx_run_of(&src->view, phx_row(src, at), 0);
        struct phx_run to = phx_run_of(&dst->view, phx_row(dst, at), 0);
        ref_convert_run(hvx_convert, &from, &to, dst->view.ne[0]);
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
