/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

HVX_INLINE void negate(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                       HVX_Vector *vseen) {
    (void)vb, (void)params, (void)vseen;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = Q6_V_vxor_VV(va[i], Q6_V_vsplat_R((int32_t)MATH_SIGN));
    }
}

HVX_ELEMENTWISE(neg, 1, 4, negate)
