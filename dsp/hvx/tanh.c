/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

/* With w = e^-2|x| = 2^-t, t = 2|x| * log2(e): |tanh(x)| = (1 - w) / (1 + w). Below 1/4, where 1 - w loses bits, it is
 * |x| * P(x^2). NMSE 1e-15, worst relative error 3e-7, near 0, too: docs/math.md, 13. */
HVX_INLINE void hyperbolic_tangent(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n,
                                   const void *params, HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vpower[2], vx[2], vy[2];
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            /* w in Q31, from 2x, which is x with the next exponent, and t in Q23. */
            HVX_Vector vdouble = math_add_constant_i32(va[i + j], MATH_EXPONENT_ONE);
            struct math_power power = math_power_of(math_log2e_q23(vdouble));
            vpower[j] = math_power_q31(&power);
            /* 1 + w in Q30: 1 up to 2. */
            vx[j] = math_add_constant_i32(Q6_Vw_vasr_VwR(vpower[j], 1), 1 << 30);
        }
        /* y = 1 / (1 + w) in Q31: 1/2 to 1, relative error 1.7e-8. */
        math_reciprocal_short_q31(vy, vx);
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            HVX_Vector vexponent = math_exponent(va[i + j]);
            /* Exponents below 125: |x| < 2^-2. */
            HVX_VectorPred qsmall = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(125 * MATH_EXPONENT_ONE), vexponent);
            /* |x| * P(x^2) in Q30 at the exponent of x: the mantissa in Q30 times P in Q31. */
            HVX_Vector vsmall = math_multiply_q31(math_mantissa_q30(va[i + j]), math_tanh_over_q31(va[i + j]));
            /* (1 - w) * y: both in Q31, so the product is in Q31, which is Q30 at an exponent of 126. */
            HVX_Vector vrest = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(INT32_MAX), vpower[j]);
            HVX_Vector v1 = Q6_V_vmux_QVV(qsmall, vsmall, math_multiply_q31(vrest, vy[j]));
            HVX_Vector vunit = Q6_V_vmux_QVV(qsmall, vexponent, Q6_V_vsplat_R(126 * MATH_EXPONENT_ONE));
            /* The sign of x, and 0 for a denormal. */
            v[i + j] = math_pack_product(v1, 30, vunit, vexponent, va[i + j]);
            *vseen = Q6_Vw_vmax_VwVw(*vseen, vexponent);
        }
    }
}

HVX_ELEMENTWISE(tanh, 1, 4, hyperbolic_tangent)
