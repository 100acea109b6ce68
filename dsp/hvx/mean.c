/* SPDX-License-Identifier: MIT
 *
 * MEAN in HVX: dst = sum of x / n per row.
 */
#include "sum_rows.h"

PHX_DECLARE_KERNELS(mean)

uint32_t phx_mean_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct ref_scale reciprocal = ref_rms_norm_reciprocal(call->src[0]->view.ne[0]);
    (void)work;
    hvx_sum_rows(call, slice, &reciprocal);
    return PHX_OK;
}
