/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/float16.h, 32 lanes at once: a float16 is the low half of a word.
 */
#ifndef PHX_MATH_HVX_FLOAT16_H
#define PHX_MATH_HVX_FLOAT16_H

#include "float32.h"

/* The upper halves of the words do not matter. */
HVX_INLINE HVX_Vector math_f16_to_f32(HVX_Vector v) {
    HVX_Vector vmagnitude = math_mask(v, 0x7fff), vsteps = Q6_V_vsplat_R(112 * MATH_EXPONENT_ONE);
    HVX_Vector vnormal = Q6_Vw_vadd_VwVw(Q6_Vw_vasl_VwR(vmagnitude, 13), vsteps);
    HVX_VectorPred qspecial = Q6_Q_vcmp_gt_VwVw(vmagnitude, Q6_V_vsplat_R(0x7bff));
    vnormal = Q6_Vw_condacc_QVwVw(qspecial, vnormal, vsteps);
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vmagnitude);
    HVX_Vector vmantissa = Q6_Vw_vasl_VwVw(vmagnitude, math_add_constant_i32(vleading, -8)); /* 2^23 up to 2^24 */
    HVX_Vector vexponent = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(133), vleading);
    HVX_Vector vdenormal = Q6_Vw_vaslacc_VwVwR(vmantissa, vexponent, 23);
    vdenormal = Q6_V_vand_QV(Q6_Q_vcmp_gt_VwVw(vmagnitude, Q6_V_vzero()), vdenormal);
    HVX_VectorPred qdenormal = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(0x0400), vmagnitude);
    return Q6_V_vor_VV(Q6_V_vmux_QVV(qdenormal, vdenormal, vnormal), math_mask(Q6_Vw_vasl_VwR(v, 16), MATH_SIGN));
}

/* The upper halves of the words are 0. */
HVX_INLINE HVX_Vector math_f32_to_f16(HVX_Vector v) {
    HVX_Vector vmagnitude = math_mask(v, MATH_MAGNITUDE), vexponent = Q6_Vuw_vlsr_VuwR(vmagnitude, 23);
    HVX_Vector vshift = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(126), vexponent);
    vshift = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(vshift, Q6_V_vsplat_R(13)), Q6_V_vsplat_R(31));
    HVX_Vector vmantissa = Q6_V_vor_VV(math_mask(vmagnitude, 0x7fffff), Q6_V_vsplat_R(MATH_EXPONENT_ONE));
    HVX_Vector vhalf = Q6_Vw_vasl_VwVw(Q6_V_vsplat_R(1), math_add_constant_i32(vshift, -1));
    HVX_Vector vodd = math_mask(Q6_Vw_vlsr_VwVw(vmantissa, vshift), 1);
    HVX_Vector vrounded = Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(vmantissa, math_add_constant_i32(vhalf, -1)), vodd);
    vrounded = Q6_Vw_vlsr_VwVw(vrounded, vshift);
    HVX_Vector vsteps = Q6_Vw_vmax_VwVw(math_add_constant_i32(vexponent, -113), Q6_V_vzero());
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vrounded, vsteps, 10);
    vbits = Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(0x7c00));
    HVX_VectorPred qnan = Q6_Q_vcmp_gt_VwVw(vmagnitude, Q6_V_vsplat_R(MATH_INFINITY));
    vbits = Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(0x7e00), vbits);
    return Q6_V_vor_VV(vbits, math_mask(Q6_Vuw_vlsr_VuwR(v, 16), 0x8000));
}

#endif
