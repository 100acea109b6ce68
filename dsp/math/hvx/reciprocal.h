/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/reciprocal.h on 64 lanes of int16 or 32 lanes of int32.
 */
#ifndef PHX_MATH_HVX_RECIPROCAL_H
#define PHX_MATH_HVX_RECIPROCAL_H

#include "fixed.h"

HVX_INLINE HVX_Vector math_reciprocal_q15(HVX_Vector vx) {
    HVX_Vector vfrom_middle = Q6_Vh_vsub_VhVh(vx, hvx_splat_i16(24576));
    HVX_Vector vy = Q6_Vh_vsub_VhVh(hvx_splat_i16(23130), math_multiply_q15(vfrom_middle, hvx_splat_i16(30840)));
    HVX_UNROLL
    for (int step = 0; step < 2; step++) {
        HVX_Vector verror = Q6_Vh_vsub_VhVh(hvx_splat_i16(16384), math_multiply_q15(vx, vy));
        vy = Q6_Vh_vadd_VhVh_sat(vy, math_multiply_q15(vy, Q6_Vh_vadd_VhVh(verror, verror)));
    }
    return vy;
}

HVX_INLINE HVX_Vector math_reciprocal_q31(HVX_Vector vx) {
    HVX_Vector vfrom_middle = math_add_constant_i32(vx, -0x60000000);
    HVX_Vector vy = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(1515870573),
                                    math_multiply_q31(vfrom_middle, Q6_V_vsplat_R(2021155625)));
    HVX_UNROLL
    for (int step = 0; step < 3; step++) {
        HVX_Vector verror = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(0x40000000), math_multiply_q31(vx, vy));
        vy = math_add_saturating(vy, math_multiply_q31(vy, Q6_Vw_vadd_VwVw(verror, verror)));
    }
    return vy;
}

HVX_INLINE HVX_Vector math_reciprocal_square_root_q31(HVX_Vector vx) {
    HVX_Vector vfrom_middle = Q6_Vw_vasl_VwR(math_add_constant_i32(vx, -0x50000000), 1);
    HVX_Vector vy = math_multiply_q31(vfrom_middle, Q6_V_vsplat_R(439846382));
    vy = math_multiply_q31(vfrom_middle, math_add_constant_i32(vy, -664188053));
    vy = math_add_saturating(Q6_V_vsplat_R(1350288255), vy);
    HVX_UNROLL
    for (int step = 0; step < 3; step++) {
        HVX_Vector vproduct = math_multiply_q31(vx, math_multiply_q31(vy, vy));
        HVX_Vector verror = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(0x20000000), vproduct);
        vy = math_add_saturating(vy, math_multiply_q31(vy, Q6_Vw_vadd_VwVw(verror, verror)));
    }
    return vy;
}

/* Processes two vectors. */
HVX_INLINE void math_reciprocal_short_q31(HVX_Vector *vy, const HVX_Vector *vx) {
    HVX_Vector vboth = math_reciprocal_q15(Q6_Vh_vshuffo_VhVh(vx[1], vx[0]));
    vy[0] = Q6_Vw_vasl_VwR(vboth, 16);
    vy[1] = math_mask(vboth, 0xffff0000);
    HVX_UNROLL
    for (int i = 0; i < 2; i++) {
        HVX_Vector verror = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(0x40000000), math_multiply_q31(vx[i], vy[i]));
        vy[i] = math_add_saturating(vy[i], math_multiply_q31(vy[i], Q6_Vw_vadd_VwVw(verror, verror)));
    }
}

#endif
