/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

HVX_INLINE void square(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                       HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = math_multiply_f32(va[i], va[i]);
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

HVX_ELEMENTWISE(sqr, 1, 4, square)
