/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/l2_norm.c in HVX.
 */
#include "rms_norm.h"

uint32_t phx_l2_norm_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct ref_norm norm = {.n = call->dst[0]->view.ne[0], .eps = *(const uint32_t *)call->params};
    norm.square = ref_l2_norm_square;
    (void)work;
    hvx_rms_norm_rows(call, slice, &norm);
    return PHX_OK;
}
