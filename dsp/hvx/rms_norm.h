/* SPDX-License-Identifier: MIT
 *
 * The steps that L2_NORM shares with RMS_NORM.
 */
#ifndef PHX_HVX_RMS_NORM_H
#define PHX_HVX_RMS_NORM_H

#include "ops/op.h"
#include "ref/rms_norm.h"

/* Steps of a row shared by threads: the largest magnitude of each part, its sum of squares, combining these, and the
 * products. */
phx_shared_step hvx_rms_norm_find, hvx_rms_norm_square, hvx_rms_norm_finish;
void hvx_rms_norm_finalize(const struct phx_shared_row *shared, const struct ref_norm *norm);
void hvx_rms_norm_finalize_alone(const struct phx_shared_row *shared, const struct ref_norm *norm);

#define HVX_RMS_NORM_SHARED(name)                                                                                      \
    {                                                                                                                  \
        3, {hvx_rms_norm_find, hvx_rms_norm_square, hvx_rms_norm_finish}, name##_finalize, name##_finalize_alone,      \
            NULL, {                                                                                                    \
            PHX_SHARING_COSTS(50, 16), PHX_SHARING_COSTS(50, 16), PHX_SHARING_COSTS(50, 16)                            \
        }                                                                                                              \
    }

void hvx_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

#endif
