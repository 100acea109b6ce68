/* SPDX-License-Identifier: MIT
 *
 * TOP_K: indices of the k largest elements of a row, the largest first, equal ones in order: docs/math.md, 17.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(top_k)

void ref_picks_prune(struct ref_picks *picks) {
    ref_sort(picks->picks, picks->n);
    if (picks->n >= picks->k) {
        picks->n = picks->k;
        picks->above = (int32_t)ref_descending(picks->picks[picks->k - 1].word);
    }
}

uint32_t phx_top_k_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    uint32_t k = call->dst[0]->view.ne[0];
    struct phx_pick *scratch = (struct phx_pick *)((uint8_t *)work + phx_candidate_bytes(call));
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *x = (const uint32_t *)phx_row(call->src[0], at);
        struct ref_picks picks = {.picks = scratch, .k = k, .above = INT32_MIN};
        for (uint32_t i = slice->first; i < slice->end; i++) {
            ref_picks_add(&picks, ref_key(x[i]), i);
            if (picks.n == k + REF_PICKS_CAPACITY) {
                ref_picks_prune(&picks);
            }
        }
        ref_picks_prune(&picks);
        phx_store_picks(call, slice, row, at, picks.picks, picks.n, work);
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
