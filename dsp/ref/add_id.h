/* SPDX-License-Identifier: MIT
 *
 * ADD_ID as calls of ADD on one row each: rows of src[0] plus the rows of src[1] that the ids select.
 */
#ifndef PHX_REF_ADD_ID_H
#define PHX_REF_ADD_ID_H

#include "ops/op.h"

/* Returns an operand of one row of n float32. */
static inline struct phx_operand ref_add_id_row(uint8_t *data, uint32_t n) {
    return (struct phx_operand){
        .view = {.ne = {n, 1, 1, 1}, .nb = {4, 4 * n, 4 * n, 4 * n}}, .data = data, .n_bytes = 4 * n};
}

/* Adds the rows of a slice with a kernel of ADD. Checks each id where it is used, since the host may change it. */
static inline uint32_t ref_add_id_rows(const struct phx_call *call, const struct phx_slice *slice, phx_row_kernel add) {
    const struct phx_operand *x = call->src[0], *table = call->src[1], *ids = call->src[2], *dst = call->dst[0];
    const struct phx_slice one = {0, 1, slice->first, slice->end};
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint8_t *place = ids->data + at.i1 * ids->view.nb[0] + at.i2 * ids->view.nb[1];
        uint32_t id = *(const volatile uint32_t *)place, n = dst->view.ne[0];
        if (id >= table->view.ne[1]) {
            return PHX_E_INDEX;
        }
        struct phx_operand a = ref_add_id_row(phx_row(x, at), n), to = ref_add_id_row(phx_row(dst, at), n);
        struct phx_operand b = ref_add_id_row(table->data + id * table->view.nb[1], n);
        const struct phx_call sum = {.src = {&a, &b}, .dst = {&to}};
        uint32_t status = add(&sum, &one, NULL);
        if (status) {
            return status;
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}

#endif
