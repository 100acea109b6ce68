/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/hvx/sigmoid.h"

HVX_INLINE void silu(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                     HVX_Vector *vseen) {
    (void)vb, (void)params;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vt[2] = {math_log2e_q15(va[i]), math_log2e_q15(va[i + 1])};
        struct math_sigmoids sigmoids = math_sigmoid_q15(vt, va + i);
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            v[i + j] = math_times_sigmoid(va[i + j], math_significand(&sigmoids, j), sigmoids.vshift[j]);
            *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i + j]));
        }
    }
}

HVX_ELEMENTWISE(silu, 1, 4, silu)
