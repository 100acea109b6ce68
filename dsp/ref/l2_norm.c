/* SPDX-License-Identifier: MIT
 *
 * L2_NORM: dst = x / max(root of the sum of x^2, eps) per row: docs/math.md, L2_NORM.
 */
#include "ops/op.h"
#include "rms_norm.h"

PHX_DECLARE_KERNELS(l2_norm)

uint32_t phx_l2_norm_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct ref_norm norm = {.n = call->dst[0]->view.ne[0], .eps = *(const uint32_t *)call->params};
    norm.square = ref_l2_norm_square;
    (void)work;
    ref_rms_norm_rows(call, slice, &norm);
    return PHX_OK;
}
