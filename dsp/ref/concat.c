/* SPDX-License-Identifier: MIT
 *
 * CONCAT: dst = the sources one after the other, along one dimension.
 */
#include "concat.h"

PHX_DECLARE_KERNELS(concat)

/* Builds a row of the result from a row of each source. */
static void join_rows(const struct phx_call *call, struct phx_at at, phx_converter *convert) {
    const struct phx_operand *dst = call->dst[0];
    uint32_t first = 0;
    for (uint32_t i = 0; i < PHX_MAX_SRC && call->src[i]; i++) {
        uint32_t n = call->src[i]->view.ne[0];
        if (n > 0) {
            struct phx_run from = phx_run_of(&call->src[i]->view, phx_row(call->src[i], at), 0);
            struct phx_run to = phx_run_of(&dst->view, phx_row(dst, at), first);
            ref_convert_run(convert, &from, &to, n);
        }
        first += n;
    }
}

/* Copies a row of the result from one source. */
static void pick_row(const struct phx_call *call, struct phx_at at, uint32_t axis, phx_converter *convert) {
    const struct phx_operand *dst = call->dst[0], *const *src = call->src;
    struct phx_at source_at = at;
    uint32_t *place = axis == 1 ? &source_at.i1 : axis == 2 ? &source_at.i2 : &source_at.i3;
    for (; *place >= (*src)->view.ne[axis]; src++) {
        *place -= (*src)->view.ne[axis];
    }
    struct phx_run from = phx_run_of(&(*src)->view, phx_row(*src, source_at), 0);
    struct phx_run to = phx_run_of(&dst->view, phx_row(dst, at), 0);
    ref_convert_run(convert, &from, &to, dst->view.ne[0]);
}

void ref_concat(const struct phx_call *call, const struct phx_slice *slice, phx_converter *convert) {
    const struct phx_concat_params *params = call->params;
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        if (params->axis == 0) {
            join_rows(call, at, convert);
        } else {
            pick_row(call, at, params->axis, convert);
        }
        phx_next(&call->dst[0]->view, &at);
    }
}

uint32_t phx_concat_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_concat(call, slice, ref_convert);
    return PHX_OK;
}
