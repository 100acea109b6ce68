/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/float16.h on 64 numbers.
 */
#ifndef PHX_MATH_HVX_FLOAT16_H
#define PHX_MATH_HVX_FLOAT16_H

#include "float32.h"

/* Converts 64 float16; the first 32 are in the low vector of the pair. Works in int16 lanes up to the last step, which
 * halves the work: a denormal is shifted up to look like a normal number of exponent 1, and its exponent is lowered. */
HVX_INLINE HVX_VectorPair math_f16_to_f32(HVX_Vector v) {
    HVX_Vector vsign = Q6_V_vand_VV(v, hvx_splat_i16(0x8000)), vmagnitude = Q6_V_vxor_VV(v, vsign);
    HVX_Vector vshift = Q6_Vuh_vsub_VuhVuh_sat(Q6_Vuh_vcl0_Vuh(vmagnitude), hvx_splat_i16(5));
    HVX_Vector vbits = Q6_Vh_vasl_VhVh(vmagnitude, vshift);
    HVX_Vector vsteps = Q6_Vh_vasl_VhR(Q6_Vh_vsub_VhVh(hvx_splat_i16(112), vshift), 7);
    HVX_Vector vhigh = Q6_Vh_vadd_VhVh(Q6_Vuh_vlsr_VuhR(vbits, 3), vsteps);
    vhigh = Q6_V_vand_QV(Q6_Q_vcmp_gt_VhVh(vmagnitude, Q6_V_vzero()), vhigh);
    vhigh = Q6_Vh_condacc_QVhVh(Q6_Q_vcmp_gt_VhVh(vbits, hvx_splat_i16(0x7bff)), vhigh, hvx_splat_i16(112 << 7));
    return Q6_W_vshuff_VVR(Q6_V_vor_VV(vhigh, vsign), Q6_Vh_vasl_VhR(vbits, 13), -2);
}

/* Returns the float16 bits without the sign, in words. */
HVX_INLINE HVX_Vector math_f16_magnitude(HVX_Vector v) {
    HVX_Vector vmagnitude = Q6_Vw_vmax_VwVw(math_mask(v, MATH_MAGNITUDE), Q6_V_vsplat_R(95 * MATH_EXPONENT_ONE));
    HVX_Vector vexponent = Q6_Vuw_vlsr_VuwR(vmagnitude, 23), vone = Q6_V_vsplat_R(1); /* below 95, the result is 0 */
    HVX_Vector vleast = Q6_Vw_vmin_VwVw(vexponent, Q6_V_vsplat_R(113));
    HVX_Vector vshift = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(126), vleast);
    HVX_Vector vfraction = math_mask(vmagnitude, 0x7fffff);
    HVX_Vector vmantissa = Q6_V_vor_VV(vfraction, Q6_V_vsplat_R(MATH_EXPONENT_ONE));
    HVX_Vector vhalf = Q6_Vw_vasl_VwVw(vone, Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(125), vleast));
    HVX_Vector vodd = Q6_V_vand_VV(Q6_Vw_vlsr_VwVw(vmantissa, vshift), vone);
    vmantissa = math_add_constant_i32(vfraction, MATH_EXPONENT_ONE - 1);
    vmantissa = Q6_Vw_vadd_VwVw(vmantissa, Q6_Vw_vadd_VwVw(vhalf, vodd));
    HVX_Vector vsteps = Q6_Vw_vsub_VwVw(vexponent, vleast);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(Q6_Vw_vlsr_VwVw(vmantissa, vshift), vsteps, 10);
    HVX_VectorPred qnan = Q6_Q_vcmp_gt_VwVw(vmagnitude, Q6_V_vsplat_R(MATH_INFINITY));
    return Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(0x7e00), Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(0x7c00)));
}

/* Converts two vectors to 64 float16. */
HVX_INLINE HVX_Vector math_f32_to_f16(HVX_Vector vlow, HVX_Vector vhigh) {
    HVX_Vector vmagnitude = Q6_Vh_vpacke_VwVw(math_f16_magnitude(vhigh), math_f16_magnitude(vlow));
    HVX_Vector vsign = Q6_V_vand_VV(Q6_Vh_vpacko_VwVw(vhigh, vlow), hvx_splat_i16(0x8000));
    return Q6_V_vor_VV(vmagnitude, vsign);
}

#endif
