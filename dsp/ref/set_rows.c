/* SPDX-License-Identifier: MIT
 *
 * SET_ROWS: rows of dst selected by ids are overwritten by the rows of src[0], in order, so that the last of equal ids
 * wins: docs/math.md, 14.
 */
#include "convert.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(set_rows)

uint32_t phx_set_rows_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *rows = call->src[0], *ids = call->src[1], *dst = call->dst[0];
    struct phx_at at = phx_at(&rows->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint8_t *id_at = ids->data + at.i1 * ids->view.nb[0] + at.i2 * ids->view.nb[1] + at.i3 * ids->view.nb[2];
        uint32_t id = *(const volatile uint32_t *)id_at; /* read once: the host may change it at any time */
        if (id >= dst->view.ne[1]) {
            return PHX_E_INDEX;
        }
        struct phx_run from = phx_run_of(&rows->view, phx_row(rows, at), slice->first);
        struct phx_run to = phx_run_of(&dst->view, phx_row(dst, (struct phx_at){id, at.i2, at.i3}), slice->first);
        ref_convert_run(ref_convert, &from, &to, slice->end - slice->first);
        phx_next(&rows->view, &at);
    }
    return PHX_OK;
}
