/* SPDX-License-Identifier: MIT
 *
 * CLAMP in HVX (reference: dsp/ref/clamp.c). Infinities compare like all other numbers; the reference computes rows
 * with NaN.
 */
#include "elementwise.h"

REF_DECLARE(clamp)
PHX_DECLARE_KERNELS(clamp)

HVX_INLINE void clamp(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                      HVX_Vector *vseen) {
    const int32_t *words = params; /* struct phx_clamp_params: min, max */
    HVX_Vector vleast = math_order(Q6_V_vsplat_R(words[0])), vmost = math_order(Q6_V_vsplat_R(words[1]));
    (void)vb;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector v1 = math_order(Q6_Vw_vmax_VwVw(Q6_Vw_vmin_VwVw(math_order(va[i]), vmost), vleast));
        HVX_VectorPred qzero = Q6_Q_vcmp_eq_VwVw(math_exponent(v1), Q6_V_vzero());
        v[i] = Q6_V_vmux_QVV(qzero, math_mask(v1, MATH_SIGN), v1);
        *vseen = hvx_track_largest(*vseen, va[i]);
    }
}

HVX_LOOPS(clamp, 1, 4, clamp)

uint32_t phx_clamp_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const uint32_t *words = call->params;
    bool is_nan = (words[0] & MATH_MAGNITUDE) > MATH_INFINITY || (words[1] & MATH_MAGNITUDE) > MATH_INFINITY;
    return is_nan ? phx_clamp_ref(call, slice, work) : hvx_run_elements(call, slice, &clamp_loops, ref_clamp);
}
