/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/reciprocal.h"

HVX_INLINE HVX_Vector root(HVX_Vector v) {
    HVX_Vector vexponent = Q6_Vuw_vlsr_VuwR(math_exponent(v), 23);
    HVX_Vector vnumber = Q6_Vw_vasr_VwVw(math_mantissa_q30(v), math_mask(vexponent, 1));
    HVX_Vector vroot = math_multiply_q31(vnumber, math_reciprocal_square_root_q31(vnumber));
    vexponent = Q6_Vw_vasl_VwR(Q6_Vuw_vlsr_VuwR(math_add_constant_i32(vexponent, 127), 1), 23);
    HVX_Vector vresult = math_pack_parts(vroot, 29, vexponent, Q6_V_vzero(), Q6_V_vzero());
    HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), v);
    HVX_VectorPred qzero = Q6_Q_vcmp_eq_VwVw(math_exponent(v), Q6_V_vzero());
    vresult = Q6_V_vmux_QVV(qnegative, Q6_V_vsplat_R(MATH_NAN), vresult);
    return Q6_V_vmux_QVV(qzero, math_mask(v, MATH_SIGN), vresult);
}

HVX_INLINE void square_root(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                            HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = root(va[i]);
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

HVX_ELEMENTWISE(sqrt, 1, 4, square_root)
