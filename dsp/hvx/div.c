/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/reciprocal.h"

/* Returns va / vb, given the reciprocal of vb's mantissa. */
HVX_INLINE HVX_Vector quotient(HVX_Vector va, HVX_Vector vb, HVX_Vector vreciprocal) {
    HVX_Vector vea = math_exponent(va), veb = math_exponent(vb), vzero = Q6_V_vzero(), vsign = Q6_V_vxor_VV(va, vb);
    HVX_Vector v = math_multiply_q31(math_mantissa_q30(va), vreciprocal);
    HVX_Vector vexponent = Q6_Vw_vadd_VwVw_sat(Q6_Vw_vsub_VwVw(vea, veb), Q6_V_vsplat_R(126 * MATH_EXPONENT_ONE));
    v = math_pack_product(v, 29, vexponent, vea, vsign); /* Q29 of twice the value */
    HVX_Vector vby_zero = Q6_V_vor_VV(math_mask(vsign, MATH_SIGN), Q6_V_vsplat_R(MATH_INFINITY));
    vby_zero = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(vea, vzero), Q6_V_vsplat_R(MATH_NAN), vby_zero);
    return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(veb, vzero), vby_zero, v);
}

HVX_INLINE void divide(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                       HVX_Vector *vseen) {
    (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vx[2] = {math_mantissa_q30(vb[i]), math_mantissa_q30(vb[i + 1])}, vy[2];
        math_reciprocal_short_q31(vy, vx);
        HVX_UNROLL
        for (uint32_t j = i; j < i + 2; j++) {
            v[j] = quotient(va[j], vb[j], vy[j - i]);
            *vseen = Q6_Vw_vmax_VwVw(*vseen, Q6_Vw_vmax_VwVw(math_exponent(va[j]), math_exponent(vb[j])));
        }
    }
}

HVX_ELEMENTWISE(div, 2, 4, divide)
