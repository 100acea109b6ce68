/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/divide.h on 32 lanes.
 */
#ifndef PHX_MATH_HVX_DIVIDE_H
#define PHX_MATH_HVX_DIVIDE_H

#include "float32.h"
#include "reciprocal.h"

/* Returns the low 32 bits of a * b. */
HVX_INLINE HVX_Vector math_multiply_low(HVX_Vector va, HVX_Vector vb) {
    return Q6_Vw_vmpyieacc_VwVwVuh(Q6_Vw_vmpyieo_VhVh(va, vb), va, vb);
}

/* Returns floor(a * b / 2^31). */
HVX_INLINE HVX_Vector math_multiply_floor_q31(HVX_Vector va, HVX_Vector vb) {
#ifdef __hexagon__
    return Q6_Vw_vmpyoacc_VwVwVh_s1_sat_shift(Q6_Vw_vmpye_VwVuh(va, vb), va, vb);
#else
    return cpu_multiply_q31(va, vb, false);
#endif
}

HVX_INLINE HVX_Vector math_mantissa_24(HVX_Vector v) {
    return Q6_V_vor_VV(math_mask(v, 0x7fffff), Q6_V_vsplat_R(MATH_EXPONENT_ONE));
}

/* Newton's iterations end at a float next to the result or at the result; the remainder of 2^47 decides. */
HVX_INLINE HVX_Vector math_reciprocal_f32(HVX_Vector v) {
    HVX_Vector vdivisor = math_mantissa_24(v);
    HVX_Vector vy = math_reciprocal_q31(Q6_Vw_vasl_VwR(vdivisor, 7));
    HVX_Vector vquotient = Q6_Vuw_vlsr_VuwR(math_add_constant_i32(vy, 64), 7);
    HVX_Vector vtwice = Q6_Vw_vasl_VwR(math_multiply_low(vquotient, vdivisor), 1); /* twice the remainder */
    HVX_VectorPred qabove = Q6_Q_vcmp_gt_VwVw(vtwice, vdivisor);
    HVX_VectorPred qbelow = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_Vw_vadd_VwVw(vtwice, vdivisor));
    HVX_Vector vone = Q6_V_vsplat_R(1);
    vquotient = Q6_Vw_condnac_QVwVw(qabove, Q6_Vw_condacc_QVwVw(qbelow, vquotient, vone), vone);
    return Q6_Vw_vsub_VwVw(math_add_constant_i32(vquotient, 252 * MATH_EXPONENT_ONE), math_exponent(v));
}

HVX_INLINE HVX_Vector math_divide_by_127(HVX_Vector v) {
    HVX_Vector vmantissa = math_mantissa_24(v), vone = Q6_V_vsplat_R(1);
    HVX_Vector vpart = math_multiply_floor_q31(vmantissa, Q6_V_vsplat_R(16909321)); /* 2^31 / 127, rounded up */
    HVX_Vector vquotient = Q6_Vw_vadd_VwVw(vmantissa, vpart);
    HVX_Vector vrest = Q6_Vw_vsub_VwVw(vquotient, Q6_Vw_vasl_VwR(vpart, 7));
    HVX_VectorPred qlarge = Q6_Q_vcmp_gt_VwVw(vquotient, Q6_V_vsplat_R(2 * MATH_EXPONENT_ONE - 1));
    HVX_Vector vhalf = Q6_Vuw_vlsr_VuwR(vquotient, 1);
    HVX_Vector vodd = Q6_V_vand_VV(math_mask(vquotient, 1), Q6_V_vor_VV(vhalf, Q6_Vw_vmin_VwVw(vrest, vone)));
    HVX_VectorPred qup = Q6_Q_vcmp_gt_VwVw(vrest, Q6_V_vsplat_R(63));
    HVX_Vector vsmall = Q6_Vw_condacc_QVwVw(qup, vquotient, vone);
    HVX_Vector vlarge = math_add_constant_i32(Q6_Vw_vadd_VwVw(vhalf, vodd), MATH_EXPONENT_ONE);
    HVX_Vector vbits = Q6_V_vmux_QVV(qlarge, vlarge, vsmall);
    return Q6_Vw_vadd_VwVw(math_exponent(v), math_add_constant_i32(vbits, -8 * MATH_EXPONENT_ONE));
}

#endif
