/* SPDX-License-Identifier: MIT
 *
 * What L2_NORM has in common with RMS_NORM.
 */
#ifndef PHX_HVX_RMS_NORM_H
#define PHX_HVX_RMS_NORM_H

#include "ops/op.h"
#include "ref/rms_norm.h"

/* Of a row that threads share: the largest magnitude of each part, its squares, its products. */
#define HVX_RMS_NORM_STEPS 3u
void hvx_rms_norm_step(const struct phx_call *call, const struct phx_shared_row *shared, uint32_t step,
                       struct ref_norm (*norm_of)(const struct phx_call *call));

void hvx_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

#endif
