/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/repeat.c with copies in HVX.
 */
#include "ref/repeat.h"

#include "convert.h"

uint32_t phx_repeat_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_repeat(call, slice, hvx_convert);
    return PHX_OK;
}
