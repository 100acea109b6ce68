/* SPDX-License-Identifier: MIT
 *
 * The candidates that PICK kernels find in a row, or in a part of one: docs/math.md, 17.
 */
#ifndef PHX_PICKS_H
#define PHX_PICKS_H

#include "op.h"

#define PHX_MAX_CANDIDATES 1024u /* largest number of candidates per row for which a row is split */

/* An element and its sort key. Elements sort by ascending word, then by ascending index. */
struct phx_pick {
    uint32_t word;
    uint32_t index;
};

/* Padding that sorts behind every element. */
#define PHX_NO_PICK ((struct phx_pick){0xffffffff, 0})

static inline bool phx_can_merge(const struct phx_call *call) {
    return call->dst[0]->view.ne[0] <= PHX_MAX_CANDIDATES;
}

/* Returns the bytes at the start of each thread's work that hold its candidates, a multiple of PHX_VECTOR. Rows are
 * split only if there are fewer rows than threads. */
static inline uint32_t phx_candidate_bytes(const struct phx_call *call) {
    const struct phx_tensor *dst = &call->dst[0]->view;
    uint32_t n_rows = phx_n_rows(dst);
    if (n_rows >= PHX_MAX_THREADS || !phx_can_merge(call)) {
        return 0;
    }
    return (n_rows * dst->ne[0] * (uint32_t)sizeof(struct phx_pick) + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Stores the first n candidates of row `row` of the slice, in order: as the result if the slice has whole rows, else in
 * `work` for phx_pick_merge(). */
void phx_store_picks(const struct phx_call *call, const struct phx_slice *slice, uint32_t row, struct phx_at at,
                     const struct phx_pick *picks, uint32_t n, void *work);

/* check() of a PICK op. scratch_bytes: the kernel's own work, behind the candidates. */
struct phx_mismatch phx_pick_check(struct phx_call *call, uint32_t scratch_bytes);

#endif
