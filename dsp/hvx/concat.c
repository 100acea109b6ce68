/* SPDX-License-Identifier: MIT
 *
 * CONCAT with HVX copies (reference: dsp/ref/concat.c).
 */
#include "ref/concat.h"

#include "convert.h"

PHX_DECLARE_KERNELS(concat)

uint32_t phx_concat_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_concat(call, slice, hvx_convert);
    return PHX_OK;
}
