/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/exponential.h"

HVX_INLINE void exponential(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                            HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vt = math_log2e_q23(va[i]);
        struct math_power power = math_power_of(math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(va[i], Q6_V_vsplat_R(-1)), vt));
        v[i] = math_pack_parts(power.vsignificand, 31, math_power_exponent(&power), Q6_V_vzero(), Q6_V_vzero());
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

HVX_ELEMENTWISE(exp, 1, 4, exponential)
