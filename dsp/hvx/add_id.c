/* SPDX-License-Identifier: MIT */
#include "ref/add_id.h"

PHX_DECLARE_KERNELS(add)
PHX_DECLARE_KERNELS(add_id)

uint32_t phx_add_id_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    return ref_add_id_rows(call, slice, phx_add_hvx);
}
