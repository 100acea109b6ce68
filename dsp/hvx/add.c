/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

HVX_INLINE void add(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                    HVX_Vector *vseen) {
    (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = math_add_f32(va[i], vb[i]);
        *vseen = Q6_Vw_vmax_VwVw(*vseen,
                                 Q6_Vw_vmax_VwVw(math_mask(va[i], MATH_MAGNITUDE), math_mask(vb[i], MATH_MAGNITUDE)));
    }
}

HVX_ELEMENTWISE(add, 2, 3, add)
