/* SPDX-License-Identifier: MIT
 *
 * REPEAT with HVX copies (reference: dsp/ref/repeat.c).
 */
#include "ref/repeat.h"

#include "convert.h"

PHX_DECLARE_KERNELS(repeat)

uint32_t phx_repeat_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_repeat(call, slice, hvx_convert);
    return PHX_OK;
}
