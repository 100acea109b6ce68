/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/sine_cosine.h on 32 lanes.
 */
#ifndef PHX_MATH_HVX_SINE_COSINE_H
#define PHX_MATH_HVX_SINE_COSINE_H

#include "float32.h"

/* Returns constant + square * v. */
HVX_INLINE HVX_Vector math_horner_q31(int32_t constant, HVX_Vector vsquare, HVX_Vector v) {
    return math_add_constant_i32(math_multiply_q31(vsquare, v), constant);
}

HVX_INLINE void math_sine_cosine_q30(HVX_Vector vphase, HVX_Vector *sine, HVX_Vector *cosine) {
    HVX_Vector vquarter = math_add_constant_i32(vphase, 0x20000000);
    HVX_Vector vrest = Q6_Vw_vasl_VwR(Q6_Vw_vsub_VwVw(vphase, math_mask(vquarter, 0xc0000000)), 2);
    HVX_Vector vsquare = math_multiply_q31(vrest, vrest);
    HVX_Vector vs = math_horner_q31(2673480, vsquare, Q6_V_vsplat_R(-38523));
    vs = math_horner_q31(843314845, vsquare, math_horner_q31(-86699678, vsquare, vs));
    vs = math_multiply_q31(vrest, vs);
    HVX_Vector vc = math_horner_q31(-349978, vsquare, Q6_V_vsplat_R(3792));
    vc = math_horner_q31(-331168968, vsquare, math_horner_q31(17023455, vsquare, vc));
    vc = math_horner_q31(0x40000000, vsquare, vc);
    HVX_Vector vdoubled = Q6_Vw_vadd_VwVw(vquarter, vquarter), vzero = Q6_V_vzero();
    HVX_VectorPred qswap = Q6_Q_vcmp_gt_VwVw(vzero, vdoubled);                                    /* quarters 1, 3 */
    HVX_VectorPred qcosine_negative = Q6_Q_vcmp_gt_VwVw(vzero, Q6_V_vxor_VV(vquarter, vdoubled)); /* 1, 2 */
    HVX_VectorPred qsine_negative = Q6_Q_vcmp_gt_VwVw(vzero, vquarter);                           /* 2, 3 */
    *cosine = math_negate_if_i32(qcosine_negative, Q6_V_vmux_QVV(qswap, vs, vc));
    *sine = math_negate_if_i32(qsine_negative, Q6_V_vmux_QVV(qswap, vc, vs));
}

#endif
