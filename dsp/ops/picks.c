/* SPDX-License-Identifier: MIT
 *
 * PICK ops, which select elements of rows: their common check, and merging the candidates of several threads.
 */
#include "picks.h"

#include "executor.h"

struct phx_mismatch phx_pick_check(struct phx_call *call, uint32_t scratch_bytes) {
    const struct phx_tensor *src = &call->src[0]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_I32);
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[0], PHX_F32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (dst->ne[0] > src->ne[0] || src->ne[1] != dst->ne[1] || src->ne[2] != dst->ne[2] || src->ne[3] != dst->ne[3]) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    call->work_bytes = phx_candidate_bytes(call) + (scratch_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
    return PHX_MATCH;
}

void phx_store_picks(const struct phx_call *call, const struct phx_slice *slice, uint32_t row, struct phx_at at,
                     const struct phx_pick *picks, uint32_t n, void *work) {
    const struct phx_operand *dst = call->dst[0];
    uint32_t n_results = dst->view.ne[0];
    if (slice->end - slice->first == call->src[0]->view.ne[0]) {
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        for (uint32_t i = 0; i < n_results; i++) {
            to[i] = i < n ? picks[i].index : 0; /* n equals n_results unless the row has changed meanwhile */
        }
        return;
    }
    struct phx_pick *found = (struct phx_pick *)work + (row - slice->first_row) * n_results;
    for (uint32_t i = 0; i < n_results; i++) {
        found[i] = i < n ? picks[i] : PHX_NO_PICK;
    }
}

void phx_pick_merge(const struct phx_call *call, const void *work, uint32_t n_threads) {
    const struct phx_operand *dst = call->dst[0];
    uint32_t n_results = dst->view.ne[0], n_rows = phx_n_rows(&dst->view);
    struct phx_at at = {0, 0, 0};
    for (uint32_t row = 0; row < n_rows; row++) {
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        const struct phx_pick *next[PHX_MAX_THREADS], *end[PHX_MAX_THREADS];
        for (uint32_t i = 0; i < n_threads; i++) {
            next[i] = (const struct phx_pick *)((const uint8_t *)work + i * call->work_bytes) + row * n_results;
            end[i] = next[i] + n_results;
        }
        for (uint32_t i = 0; i < n_results; i++) {
            uint32_t best = 0; /* of equal words the first thread wins, whose indices are smaller */
            for (uint32_t j = 1; j < n_threads; j++) {
                if (next[j] < end[j] && (next[best] == end[best] || next[j]->word < next[best]->word)) {
                    best = j;
                }
            }
            to[i] = next[best]->index;
            next[best]++;
        }
        phx_next(&dst->view, &at);
    }
}
