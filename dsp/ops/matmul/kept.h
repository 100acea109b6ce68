/* SPDX-License-Identifier: MIT
 *
 * Quantised activations that the next op of a program may take: q, k and v are products of one x, gate and up too. They
 * are those of the product before, if all its rows were quantised at once, and lie in the scratch memory, which nobody
 * has used since.
 */
#ifndef PHX_KEPT_H
#define PHX_KEPT_H

#include "ops/executor.h"

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
    return phx_is_same_view(kept->x, wanted->x);
}

#endif
