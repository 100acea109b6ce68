/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/exponential.h on 32 lanes.
 */
#ifndef PHX_MATH_HVX_EXPONENTIAL_H
#define PHX_MATH_HVX_EXPONENTIAL_H

#include "float32.h"
#include "reciprocal.h"
#include "sigmoid.h"

#define MATH_Q23_MAX (1 << 30)

/* Returns |x| * log2(e) in Q23, at most 2^7: Q30 * (log2(e) in Q30) = Q29, shifted by 6 plus what the exponent is below
 * 127. */
HVX_INLINE HVX_Vector math_log2e_q23(HVX_Vector vx) {
    HVX_Vector vexponent = math_exponent(vx);
    HVX_Vector vproduct = math_multiply_q31(math_mantissa_q30(vx), Q6_V_vsplat_R(1549082005));
    vproduct = Q6_Vw_vasr_VwVw(vproduct, math_shift_from(133, vexponent, 0));
    HVX_VectorPred qlarge = Q6_Q_vcmp_gt_VwVw(vexponent, Q6_V_vsplat_R(133 * MATH_EXPONENT_ONE));
    HVX_Vector vmax = Q6_V_vsplat_R(MATH_Q23_MAX);
    return Q6_Vw_vmin_VwVw(Q6_V_vmux_QVV(qlarge, vmax, vproduct), vmax);
}

/* Returns c - f * y. */
HVX_INLINE HVX_Vector math_less_q31(int32_t c, HVX_Vector vf, HVX_Vector vy) {
    return Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(c), math_multiply_q31(vf, vy));
}

/* Returns 2^-f in Q31, 1/2 to 1, f in Q31 from 0 up to 1: a polynomial of degree 6, relative error 5.7e-9. */
HVX_INLINE HVX_Vector math_exp2_negative_q31(HVX_Vector vf) {
    HVX_Vector vy = math_less_q31(2743347, vf, Q6_V_vsplat_R(236084));
    vy = math_less_q31(20577642, vf, vy);
    vy = math_less_q31(119168798, vf, vy);
    vy = math_less_q31(515878638, vf, vy);
    vy = math_less_q31(1488522040, vf, vy);
    return math_less_q31(INT32_MAX, vf, vy);
}

/* 2^-t as significand * 2^-shift: the significand, 2^-f of the fraction f of t, in Q31; the shift, t rounded down. */
struct math_power {
    HVX_Vector vsignificand;
    HVX_Vector vshift;
};

/* t in Q23. */
HVX_INLINE struct math_power math_power_of(HVX_Vector vt) {
    struct math_power power = {math_exp2_negative_q31(math_mask(Q6_Vw_vasl_VwR(vt, 8), MATH_MAGNITUDE)),
                               Q6_Vw_vasr_VwR(vt, 23)};
    return power;
}

/* Returns 127 minus the shift, in bits 23..30: the exponent of the power as a factor. */
HVX_INLINE HVX_Vector math_power_exponent(const struct math_power *power) {
    return Q6_Vw_vasl_VwR(Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(127), power->vshift), 23);
}

/* Returns the power in Q31: bits below 2^-31 are cut off. */
HVX_INLINE HVX_Vector math_power_q31(const struct math_power *power) {
    return Q6_Vw_vasr_VwVw(power->vsignificand, Q6_Vw_vmin_VwVw(power->vshift, Q6_V_vsplat_R(31)));
}

/* Returns ln(1 + w) / w in Q31, w in Q31: a polynomial of degree 8, error 2.6e-8. */
HVX_INLINE HVX_Vector math_log1p_over_q31(HVX_Vector vw) {
    HVX_Vector vy = math_less_q31(64659244, vw, Q6_V_vsplat_R(11561279));
    vy = math_less_q31(170098101, vw, vy);
    vy = math_less_q31(295201785, vw, vy);
    vy = math_less_q31(411136120, vw, vy);
    vy = math_less_q31(533712428, vw, vy);
    vy = math_less_q31(715548869, vw, vy);
    vy = math_less_q31(1073732213, vw, vy);
    return math_less_q31(2147483593, vw, vy);
}

/* Returns tanh(x) / x in Q31, for |x| below 1/4: a polynomial of degree 3 of x^2, both in Q31, relative error 3e-9. */
HVX_INLINE HVX_Vector math_tanh_over_q31(HVX_Vector vx) {
    HVX_Vector vnumber = Q6_Vw_vasr_VwVw(math_mantissa_q30(vx), math_shift_from(126, math_exponent(vx), 2));
    HVX_Vector vsquare = math_multiply_q31(vnumber, vnumber);
    HVX_Vector vy = math_less_q31(286136352, vsquare, Q6_V_vsplat_R(110451449));
    vy = math_less_q31(715825891, vsquare, vy);
    return math_less_q31(INT32_MAX, vsquare, vy);
}

#endif
