/* SPDX-License-Identifier: MIT
 *
 * Quantised activations that the next op of a batch may take: q, k and v are products of one x, gate and up too. They
 * are those of the last product, if all its rows were quantised at once, and lie at the start of the scratch memory.
 */
#ifndef PHX_KEPT_H
#define PHX_KEPT_H

#include <stdbool.h>

#include "program.h"

struct phx_kept {
    struct phx_span x; /* of no bytes: nothing is kept */
    uint32_t ne[PHX_MAX_DIMS];
    uint32_t nb[PHX_MAX_DIMS];
    uint32_t kernels; /* enum phx_kernels */
    uint32_t form;    /* of these kernels */
};

static inline void phx_kept_drop(struct phx_kept *kept) {
    kept->x.n_bytes = 0;
}

/* An op wrote the span. */
static inline void phx_kept_written(struct phx_kept *kept, const struct phx_span *span) {
    if (span->data < kept->x.data + kept->x.n_bytes && kept->x.data < span->data + span->n_bytes) {
        phx_kept_drop(kept);
    }
}

static inline bool phx_kept_is(const struct phx_kept *kept, const struct phx_kept *wanted) {
    bool is_same = kept->x.n_bytes > 0 && kept->x.data == wanted->x.data && kept->x.n_bytes == wanted->x.n_bytes &&
                   kept->kernels == wanted->kernels && kept->form == wanted->form;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        is_same = is_same && kept->ne[i] == wanted->ne[i] && kept->nb[i] == wanted->nb[i];
    }
    return is_same;
}

#endif
