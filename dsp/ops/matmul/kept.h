/* SPDX-License-Identifier: MIT
 *
 * Quantised activations that the next op of a program may take: q, k and v are products of one x, gate and up too. They
 * are those of the product before, if all its rows were quantised at once, and lie in the scratch memory, which nobody
 * has used since.
 */
#ifndef PHX_KEPT_H
#define PHX_KEPT_H

#include "ops/op.h"

struct phx_kept {
    const struct phx_operand *x; /* NULL: nothing is kept */
    uint32_t kernels;            /* enum phx_kernels */
    uint32_t form;               /* of these kernels */
};

/* Whether rows quantised for one product are those that another one wants. */
static inline bool phx_kept_is(const struct phx_kept *kept, const struct phx_kept *wanted) {
    if (!kept->x || kept->kernels != wanted->kernels || kept->form != wanted->form) {
        return false;
    }
    const struct phx_operand *a = kept->x, *b = wanted->x;
    bool is_same = a->data == b->data && a->n_bytes == b->n_bytes;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        is_same = is_same && a->view.ne[i] == b->view.ne[i] && a->view.nb[i] == b->view.nb[i];
    }
    return is_same;
}

#endif
