/* SPDX-License-Identifier: MIT
 *
 * REPEAT: dst = src repeated along every dimension.
 */
#include "repeat.h"

PHX_DECLARE_KERNELS(repeat)

/* Fills n elements, of which n_once are distinct. Doubles what is already there, so that short rows take few copies. */
static void repeat_row(struct phx_run from, const struct phx_tensor *view, uint8_t *row, uint32_t n_once, uint32_t n,
                       phx_converter *convert) {
    struct phx_run to = phx_run_of(view, row, 0);
    ref_convert_run(convert, &from, &to, n_once);
    for (uint32_t n_done = n_once; n_done < n;) {
        uint32_t n_more = n - n_done < n_done ? n - n_done : n_done;
        struct phx_run rest = phx_run_of(view, row, n_done);
        ref_convert_run(convert, &to, &rest, n_more);
        n_done += n_more;
    }
}

/* Returns the next index of the source in one dimension, wrapping at its end. */
static uint32_t next(uint32_t at, uint32_t source_at, uint32_t n_source) {
    return at == 0 || source_at + 1 == n_source ? 0 : source_at + 1;
}

void ref_repeat(const struct phx_call *call, const struct phx_slice *slice, phx_converter *convert) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    const uint32_t *ne = src->view.ne;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    struct phx_at source_at = {at.i1 % ne[1], at.i2 % ne[2], at.i3 % ne[3]};
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct phx_run from = phx_run_of(&src->view, phx_row(src, source_at), 0);
        repeat_row(from, &dst->view, phx_row(dst, at), ne[0], dst->view.ne[0], convert);
        phx_next(&dst->view, &at);
        source_at.i1 = next(at.i1, source_at.i1, ne[1]);
        if (at.i1 == 0) {
            source_at.i2 = next(at.i2, source_at.i2, ne[2]);
            source_at.i3 = at.i2 == 0 ? next(at.i3, source_at.i3, ne[3]) : source_at.i3;
        }
    }
}

uint32_t phx_repeat_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_repeat(call, slice, ref_convert);
    return PHX_OK;
}
