/* SPDX-License-Identifier: MIT
 *
 * SWIGLU_OAI in HVX (reference: dsp/ref/swiglu_oai.c) for a normal alpha below 2^65 and a positive, possibly infinite
 * limit, against which numbers are compared as integers. The reference kernel computes all other parameters.
 */
#include "elementwise.h"
#include "math/hvx/sigmoid.h"

REF_DECLARE(swiglu_oai)
PHX_DECLARE_KERNELS(swiglu_oai)

HVX_INLINE void swiglu_oai(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                           HVX_Vector *vseen) {
    const int32_t *words = params; /* struct phx_swiglu_oai_params: alpha, limit */
    HVX_Vector valpha = Q6_V_vsplat_R(words[0]), vlimit = Q6_V_vsplat_R(words[1]), vone = Q6_V_vsplat_R(MATH_ONE);
    HVX_Vector vscale = math_multiply_f32(valpha, Q6_V_vsplat_R(MATH_LOG2E));
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i += 2) {
        HVX_Vector vx[2] = {Q6_Vw_vmin_VwVw(va[i], vlimit), Q6_Vw_vmin_VwVw(va[i + 1], vlimit)};
        HVX_Vector vt[2] = {math_scaled_log2e_q15(vx[0], vscale), math_scaled_log2e_q15(vx[1], vscale)};
        HVX_Vector vsigned[2] = {Q6_V_vxor_VV(vx[0], valpha), Q6_V_vxor_VV(vx[1], valpha)};
        struct math_sigmoids sigmoids = math_sigmoid_q15(vt, vsigned);
        HVX_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            HVX_Vector vmagnitude = math_mask(vb[i + j], MATH_MAGNITUDE);
            *vseen = Q6_Vw_vmax_VwVw(*vseen, Q6_Vw_vmax_VwVw(math_mask(va[i + j], MATH_MAGNITUDE), vmagnitude));
            HVX_Vector vy = Q6_V_vor_VV(Q6_Vw_vmin_VwVw(vmagnitude, vlimit), math_mask(vb[i + j], MATH_SIGN));
            HVX_Vector vfactor = math_add_f32(vy, vone), vsignificand = math_significand(&sigmoids, j);
            v[i + j] = math_product_times_sigmoid(vx[j], vfactor, vsignificand, sigmoids.vshift[j]);
        }
    }
}

HVX_LOOPS(swiglu_oai, 2, 4, swiglu_oai)

uint32_t phx_swiglu_oai_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const uint32_t *words = call->params;
    uint32_t magnitude = words[0] & MATH_MAGNITUDE;
    bool is_in_fast_range = magnitude >= MATH_EXPONENT_ONE && magnitude < 0x60000000 &&
                            words[1] - MATH_EXPONENT_ONE <= MATH_INFINITY - MATH_EXPONENT_ONE;
    return is_in_fast_range ? hvx_run_elements(call, slice, &swiglu_oai_loops, ref_swiglu_oai)
                            : phx_swiglu_oai_ref(call, slice, work);
}
