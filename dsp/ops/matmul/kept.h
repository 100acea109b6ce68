/* SPDX-License-Identifier: MIT
 *
 * Quantised activations that the next op of a batch may take: q, k and v are products of one x, gate and up too. They
 * are those of the last product, if all its rows were quantised at once, and lie at the start of the scratch memory.
 */
#ifndef PHX_KEPT_H
#define PHX_KEPT_H

#include <stdbool.h>

#include "runtime/program.h"

struct phx_kept {
    const struct phx_tensor *x; /* of the batch */
    struct phx_span span;       /* of no bytes: nothing is kept */
    uint32_t kernels;           /* enum phx_kernels */
    uint32_t form;              /* of these kernels */
};

static inline void phx_kept_drop(struct phx_kept *kept) {
    kept->span.n_bytes = 0;
}

/* An op wrote the span. */
static inline void phx_kept_written(struct phx_kept *kept, const struct phx_span *span) {
    if (span->data < kept->span.data + kept->span.n_bytes && kept->span.data < span->data + span->n_bytes) {
        phx_kept_drop(kept);
    }
}

static inline bool phx_kept_is(const struct phx_kept *kept, const struct phx_kept *wanted) {
    if (kept->span.n_bytes == 0) {
        return false;
    }
    bool is_same = kept->span.data == wanted->span.data && kept->span.n_bytes == wanted->span.n_bytes &&
                   kept->kernels == wanted->kernels && kept->form == wanted->form;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        is_same = is_same && kept->x->ne[i] == wanted->x->ne[i] && kept->x->nb[i] == wanted->x->nb[i];
    }
    return is_same;
}

#endif
