/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

/* e^x = 2^-t, t = -x * log2(e). NMSE 3e-15, worst relative error 2e-7: t is truncated to 2^-23. docs/math.md, 13. */
HVX_INLINE void exponential(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                            HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        /* |x| * log2(e) in Q23, at most 2^7: there e^x is infinite or 0 in any case. */
        HVX_Vector vt = math_log2e_q23(va[i]);
        /* t is its negative unless x is below 0. 2^-t = significand * 2^-shift, the significand in Q31. */
        struct math_power power = math_power_of(math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(va[i], Q6_V_vsplat_R(-1)), vt));
        /* e^x = significand * 2^-shift as float32: infinity on overflow, 0 below 2^-126. */
        v[i] = math_pack_parts(power.vsignificand, 31, math_power_exponent(&power), Q6_V_vzero(), Q6_V_vzero());
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

HVX_ELEMENTWISE(exp, 1, 4, exponential)
