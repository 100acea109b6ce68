/* SPDX-License-Identifier: MIT
 *
 * ARGMAX: the index of a row's largest element, the first of equal ones: docs/math.md, 17.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(argmax)

uint32_t phx_argmax_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *x = (const uint32_t *)phx_row(call->src[0], at);
        uint32_t best = slice->first;
        int32_t largest = ref_key(x[best]);
        for (uint32_t i = best + 1; i < slice->end; i++) {
            int32_t key = ref_key(x[i]);
            if (key > largest) {
                largest = key;
                best = i;
            }
        }
        struct phx_pick pick = {ref_descending((uint32_t)largest), best};
        phx_store_picks(call, slice, row, at, &pick, 1, work);
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
