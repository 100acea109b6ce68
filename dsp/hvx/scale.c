/* SPDX-License-Identifier: MIT
 *
 * SCALE in HVX (reference: dsp/ref/scale.c). Without a bias, the common case, it skips the addition, which costs more
 * than the multiplication.
 */
#include "elementwise.h"

REF_DECLARE(scale)
PHX_DECLARE_KERNELS(scale)

HVX_INLINE HVX_Vector word(const void *params, uint32_t i) {
    return Q6_V_vsplat_R(((const int32_t *)params)[i]);
}

HVX_INLINE void scale_only(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                           HVX_Vector *vseen) {
    (void)vb;
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = math_multiply_f32(word(params, 0), va[i]);
        *vseen = Q6_Vw_vmax_VwVw(*vseen, math_exponent(va[i]));
    }
}

/* An infinite product stays infinite. */
HVX_INLINE void scale_and_add(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                              HVX_Vector *vseen) {
    scale_only(v, va, vb, n, params, vseen);
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_VectorPred qfinite = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(MATH_INFINITY), math_exponent(v[i]));
        v[i] = Q6_V_vmux_QVV(qfinite, math_add_f32(v[i], word(params, 1)), v[i]);
    }
}

HVX_LOOPS(scale, 1, 4, scale_only)
HVX_LOOPS(scale_and_add, 1, 2, scale_and_add)

uint32_t phx_scale_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const uint32_t *words = call->params; /* struct phx_scale_params: scale, bias */
    if ((words[0] & MATH_INFINITY) == MATH_INFINITY || (words[1] & MATH_INFINITY) == MATH_INFINITY) {
        return phx_scale_ref(call, slice, work);
    }
    return hvx_run_elements(call, slice, words[1] & MATH_MAGNITUDE ? &scale_and_add_loops : &scale_loops, ref_scale);
}
