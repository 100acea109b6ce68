/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

/* softplus(x) = ln(1 + e^x) = max(x, 0) + ln(1 + w), w = e^-|x| = 2^-t, t = |x| * log2(e).
 * NMSE 2e-15, worst relative error 2e-7, in the tail, too: docs/math.md, 13. */
HVX_INLINE void softplus(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                         HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), va[i]);
        /* t in Q23; w = significand * 2^-shift, the significand in Q31. */
        struct math_power power = math_power_of(math_log2e_q23(va[i]));
        /* ln(1 + w) = w * L(w), L(w) = ln(1 + w) / w in Q31, error 2.6e-8: significand * L(w) in Q31; the factor
         * 2^-shift goes to the exponent, so that small results keep 31 bits. */
        HVX_Vector v1 = math_multiply_q31(power.vsignificand, math_log1p_over_q31(math_power_q31(&power)));
        v1 = math_pack_parts(v1, 31, math_power_exponent(&power), Q6_V_vzero(), Q6_V_vzero());
        /* + max(x, 0), in float32: at most 0.532 units in the last place. */
        v[i] = math_add_f32(Q6_V_vand_QnV(qnegative, va[i]), v1);
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

HVX_ELEMENTWISE(softplus, 1, 4, softplus)
