/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/exp2.h on 64 lanes.
 */
#ifndef PHX_MATH_HVX_EXP2_H
#define PHX_MATH_HVX_EXP2_H

#include "fixed.h"

HVX_INLINE HVX_Vector math_exp2_negative_q15(HVX_Vector vf) {
    HVX_Vector vy = Q6_Vh_vsub_VhVh(hvx_splat_i16(1744), math_multiply_q15(vf, hvx_splat_i16(224)));
    vy = Q6_Vh_vsub_VhVh(hvx_splat_i16(7847), math_multiply_q15(vf, vy));
    vy = Q6_Vh_vsub_VhVh(hvx_splat_i16(22710), math_multiply_q15(vf, vy));
    return Q6_Vh_vsub_VhVh(hvx_splat_i16(INT16_MAX), math_multiply_q15(vf, vy));
}

#endif
