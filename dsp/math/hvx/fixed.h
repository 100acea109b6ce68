/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/fixed.h with one number per lane: int16 lanes in functions that end in _q15, int32 lanes in those that
 * end in _q31.
 */
#ifndef PHX_MATH_HVX_FIXED_H
#define PHX_MATH_HVX_FIXED_H

#include "math/hvx/hvx.h"

HVX_INLINE HVX_Vector math_multiply_q15(HVX_Vector va, HVX_Vector vb) {
    return hvx_mpyr_i16(va, vb);
}

/* Multiplies by the low halves of b first: floor(a * b / 2^16) is exact in 32 bits, and a single rounding follows. */
HVX_INLINE HVX_Vector math_multiply_q31(HVX_Vector va, HVX_Vector vb) {
#ifdef __hexagon__
    return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(Q6_Vw_vmpye_VwVuh(va, vb), va, vb);
#else
    return cpu_multiply_q31(va, vb, true);
#endif
}

HVX_INLINE HVX_Vector math_add_saturating(HVX_Vector va, HVX_Vector vb) {
    return Q6_Vw_vadd_VwVw_sat(va, vb);
}

HVX_INLINE HVX_Vector math_add_constant_i32(HVX_Vector va, int32_t b) {
    return Q6_Vw_vadd_VwVw(va, Q6_V_vsplat_R(b));
}

HVX_INLINE HVX_Vector math_mask(HVX_Vector va, uint32_t mask) {
    return Q6_V_vand_VV(va, Q6_V_vsplat_R((int32_t)mask));
}

#endif
