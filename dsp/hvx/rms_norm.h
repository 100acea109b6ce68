/* SPDX-License-Identifier: MIT
 *
 * What L2_NORM has in common with RMS_NORM.
 */
#ifndef PHX_HVX_RMS_NORM_H
#define PHX_HVX_RMS_NORM_H

#include "ops/op.h"
#include "ref/rms_norm.h"

/* Of a row that threads share: the largest magnitude of each part, its squares, what these come to, and its products. */
phx_shared_step hvx_rms_norm_find, hvx_rms_norm_square, hvx_rms_norm_finish;
void hvx_rms_norm_decide(const struct phx_shared_row *shared, const struct ref_norm *norm);
void hvx_rms_norm_decide_alone(const struct phx_shared_row *shared, const struct ref_norm *norm);

#define HVX_RMS_NORM_SHARED(name)                                                                                      \
    {                                                                                                                  \
        3, {hvx_rms_norm_find, hvx_rms_norm_square, hvx_rms_norm_finish}, name##_decide, name##_decide_alone, NULL, {  \
            PHX_SHARING(50, 16), PHX_SHARING(50, 16), PHX_SHARING(50, 16)                                              \
        }                                                                                                              \
    }

void hvx_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

#endif
