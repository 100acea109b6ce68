/* SPDX-License-Identifier: MIT
 *
 * What kernels of the kind PICK find in a row, or in a part of one: docs/math.md, 17.
 */
#ifndef PHX_PICKS_H
#define PHX_PICKS_H

#include "op.h"

#define PHX_MAX_JOINED 1024u /* picked of each row, for a row to be cut */

/* An element by its index. Those with smaller words come first, of equal words those with smaller indices. */
struct phx_pick {
    uint32_t word;
    uint32_t index;
};

/* What no element has. */
#define PHX_NO_PICK ((struct phx_pick){0xffffffff, 0})

static inline bool phx_can_join(const struct phx_call *call) {
    return call->dst[0]->view.ne[0] <= PHX_MAX_JOINED;
}

/* Bytes at the beginning of each thread's work, a multiple of PHX_VECTOR: what it finds in parts of rows. There are
 * fewer of these rows than threads. */
static inline uint32_t phx_found_bytes(const struct phx_call *call) {
    const struct phx_tensor *dst = &call->dst[0]->view;
    uint32_t n_rows = phx_n_rows(dst);
    if (n_rows >= PHX_MAX_THREADS || !phx_can_join(call)) {
        return 0;
    }
    return (n_rows * dst->ne[0] * (uint32_t)sizeof(struct phx_pick) + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Takes the first n, in order, of what a kernel has found of row `row` of the slice: the result, if the slice has whole
 * rows. */
void phx_give_picks(const struct phx_call *call, const struct phx_slice *slice, uint32_t row, struct phx_at at,
                    const struct phx_pick *picks, uint32_t n, void *work);

/* check() of a PICK op. scratch_bytes: a kernel's work, behind what it finds. */
struct phx_misfit phx_pick_check(struct phx_call *call, uint32_t scratch_bytes);

#endif
