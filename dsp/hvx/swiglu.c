/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/sigmoid.h"

HVX_INLINE void swiglu(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                       HVX_Vector *vseen) {
    (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vt[2] = {math_log2e_q15(va[i]), math_log2e_q15(va[i + 1])};
        struct math_sigmoids sigmoids = math_sigmoid_q15(vt, va + i);
        HVX_UNROLL
        for (uint32_t j = i; j < i + 2; j++) {
            HVX_Vector vsignificand = math_significand(&sigmoids, j - i);
            v[j] = math_product_times_sigmoid(va[j], vb[j], vsignificand, sigmoids.vshift[j - i]);
            *vseen = Q6_Vw_vmax_VwVw(*vseen, Q6_Vw_vmax_VwVw(math_exponent(va[j]), math_exponent(vb[j])));
        }
    }
}

HVX_ELEMENTWISE(swiglu, 2, 4, swiglu)
