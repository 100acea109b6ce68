/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

/* With w = e^-|x| = 2^-t, t = |x| * log2(e): sigmoid(x) = 1 / (1 + w), and w / (1 + w) if x is below 0.
 * NMSE 3e-15, worst relative error 2e-7, in the tail, too: docs/math.md, 13. */
HVX_INLINE void sigmoid(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                        HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vx[2], vy[2];
        struct math_power power[2];
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            /* t in Q23; w = significand * 2^-shift, the significand in Q31. */
            power[j] = math_power_of(math_log2e_q23(va[i + j]));
            /* 1 + w in Q30: 1 up to 2. */
            vx[j] = math_add_constant_i32(Q6_Vw_vasr_VwR(math_power_q31(&power[j]), 1), 1 << 30);
        }
        /* y = 1 / (1 + w) in Q31: 1/2 to 1, relative error 1.7e-8. */
        math_reciprocal_short_q31(vy, vx);
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), va[i + j]);
            /* y in Q31, below 0 y * significand in Q31; the factor 2^-shift goes to the exponent, so that small results
             * keep 31 bits. */
            HVX_Vector v1 = Q6_V_vmux_QVV(qnegative, math_multiply_q31(vy[j], power[j].vsignificand), vy[j]);
            HVX_Vector vexponent = math_power_exponent(&power[j]);
            vexponent = Q6_V_vmux_QVV(qnegative, vexponent, Q6_V_vsplat_R(MATH_ONE));
            v[i + j] = math_pack_parts(v1, 31, vexponent, Q6_V_vzero(), Q6_V_vzero());
            *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i + j]));
        }
    }
}

HVX_ELEMENTWISE(sigmoid, 1, 4, sigmoid)
