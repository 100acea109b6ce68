/* SPDX-License-Identifier: MIT
 *
 * Quantized activations that the next op of a program may reuse: Q, K and V multiply one x, gate and up too. The rows
 * of the product before are reusable if it quantized all of them at once and no op has used the scratch memory since.
 */
#ifndef PHX_KEPT_H
#define PHX_KEPT_H

#include "ops/executor.h"

struct phx_kept {
    const struct phx_operand *x; /* NULL: no rows */
    uint32_t kernels;            /* enum phx_kernels */
    uint32_t form;               /* of these kernels */
};

/* Whether the rows in scratch memory are the rows that a product wants. */
static inline bool phx_kept_is(const struct phx_kept *kept, const struct phx_kept *wanted) {
    if (!kept->x || kept->kernels != wanted->kernels || kept->form != wanted->form) {
        return false;
    }
    return phx_is_same_view(kept->x, wanted->x);
}

#endif
