/* SPDX-License-Identifier: MIT
 *
 * What L2_NORM has in common with RMS_NORM.
 */
#ifndef PHX_HVX_RMS_NORM_H
#define PHX_HVX_RMS_NORM_H

#include "ops/op.h"
#include "ref/rms_norm.h"

void hvx_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

#endif
