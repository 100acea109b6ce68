/* SPDX-License-Identifier: MIT
 *
 * L2_NORM in HVX (reference: dsp/ref/l2_norm.c).
 */
#include "rms_norm.h"

PHX_DECLARE_KERNELS(l2_norm)

static struct ref_norm norm_of(const struct phx_call *call) {
    return (struct ref_norm){
        .n = call->dst[0]->view.ne[0], .eps = *(const uint32_t *)call->params, .square = ref_l2_norm_square};
}

static void l2_norm_finalize(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct ref_norm norm = norm_of(call);
    hvx_rms_norm_finalize(shared, &norm);
}

static void l2_norm_finalize_alone(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct ref_norm norm = norm_of(call);
    hvx_rms_norm_finalize_alone(shared, &norm);
}

const struct phx_shared phx_l2_norm_shared = HVX_RMS_NORM_SHARED(l2_norm);

uint32_t phx_l2_norm_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct ref_norm norm = norm_of(call);
    (void)work;
    hvx_rms_norm_rows(call, slice, &norm);
    return PHX_OK;
}
