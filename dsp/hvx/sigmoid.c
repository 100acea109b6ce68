/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

HVX_INLINE void sigmoid(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                        HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vx[2], vy[2];
        struct math_power power[2];
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            power[j] = math_power_of(math_log2e_q23(va[i + j]));
            vx[j] = math_add_constant_i32(Q6_Vw_vasr_VwR(math_power_q31(&power[j]), 1), 1 << 30);
        }
        math_reciprocal_short_q31(vy, vx);
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), va[i + j]);
            HVX_Vector v1 = Q6_V_vmux_QVV(qnegative, math_multiply_q31(vy[j], power[j].vsignificand), vy[j]);
            HVX_Vector vexponent = math_power_exponent(&power[j]);
            vexponent = Q6_V_vmux_QVV(qnegative, vexponent, Q6_V_vsplat_R(MATH_ONE));
            v[i + j] = math_pack_parts(v1, 31, vexponent, Q6_V_vzero(), Q6_V_vzero());
            *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i + j]));
        }
    }
}

HVX_ELEMENTWISE(sigmoid, 1, 4, sigmoid)
