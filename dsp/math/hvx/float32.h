/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/float32.h on 32 lanes. The bounds on arguments and results stated there hold here.
 *
 * Sums and products require finite numbers. A kernel tracks the largest magnitude that it has seen, and the reference
 * function recomputes what is near a NaN or an infinity (MATH_INFINITY or more).
 *
 * HVX reads the low 6 bits of a lane's shift as a signed number (5 bits in int16 lanes), so shifts are clamped
 * first.
 */
#ifndef PHX_MATH_HVX_FLOAT32_H
#define PHX_MATH_HVX_FLOAT32_H

#include "math/bits.h"
#include "fixed.h"

HVX_INLINE HVX_Vector math_exponent(HVX_Vector v) {
    return math_mask(v, MATH_INFINITY);
}

HVX_INLINE HVX_Vector math_mantissa_q30(HVX_Vector v) {
    return Q6_V_vor_VV(math_mask(Q6_Vw_vasl_VwR(v, 7), 0x3fffff80), Q6_V_vsplat_R(0x40000000));
}

HVX_INLINE HVX_Vector math_pack_parts(HVX_Vector vmagnitude, int32_t bit, HVX_Vector vexponent, HVX_Vector vsign,
                                      HVX_Vector vzero) {
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vmagnitude); /* 32 for 0, which shifts right by 32: 0 again */
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vmagnitude, vleading);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7); /* of the 33-bit sum */
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(30 - bit), vleading), 23);
    vbits = Q6_Vw_vadd_VwVw_sat(vexponent, vbits);
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(Q6_Vw_vmin_VwVw(vmantissa, vbits), Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY));
    return Q6_V_vmux_QVV(qnormal, Q6_V_vor_VV(vbits, vsign), vzero);
}

/* math_pack() of magnitudes that are not 0, with the signs of vsigned. Returns 0 where vsmallest, an exponent, is 0. */
HVX_INLINE HVX_Vector math_pack_product(HVX_Vector vmagnitude, int32_t bit, HVX_Vector vexponent, HVX_Vector vsmallest,
                                        HVX_Vector vsigned) {
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vmagnitude);
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vmagnitude, vleading);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(30 - bit), vleading), 23);
    vbits = Q6_Vw_vadd_VwVw_sat(vexponent, vbits);
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(Q6_Vw_vmin_VwVw(vsmallest, vbits), Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_V_vmux_QVV(qnormal, Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY)), Q6_V_vzero());
    return Q6_V_vor_VV(vbits, math_mask(vsigned, MATH_SIGN));
}

HVX_INLINE HVX_Vector math_pack(HVX_Vector vnumber, HVX_Vector vexponent) {
    HVX_Vector vsign = math_mask(vnumber, MATH_SIGN);
    return math_pack_parts(Q6_Vw_vabs_Vw(vnumber), 0, vexponent, vsign, vsign);
}

HVX_INLINE HVX_Vector math_negate_if_i32(HVX_VectorPred q, HVX_Vector v) {
    return Q6_V_vmux_QVV(q, Q6_Vw_vsub_VwVw(Q6_V_vzero(), v), v);
}

/* Shifts 24 bits left by 7 - (E - e), or right if that is negative. */
HVX_INLINE HVX_Vector math_to_i32(HVX_Vector v, HVX_Vector vexponent) {
    HVX_Vector vseven = Q6_Vw_vsub_VwVw(vexponent, Q6_V_vsplat_R(7 * MATH_EXPONENT_ONE));
    HVX_Vector vshift = Q6_Vw_vasr_VwR(Q6_Vw_vsub_VwVw(math_exponent(v), vseven), 23);
    HVX_Vector vmantissa = Q6_V_vor_VV(math_mask(v, 0x7fffff), Q6_V_vsplat_R(MATH_EXPONENT_ONE));
    HVX_Vector vmagnitude = Q6_Vw_vasl_VwVw(vmantissa, Q6_Vw_vmax_VwVw(vshift, Q6_V_vsplat_R(-24)));
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), v), vmagnitude);
}

/* Returns E - e of two vectors in int16 lanes: even lanes are veven's, odd lanes vodd's. vhigh: their upper halves. The
 * exponent is the same in all lanes. The ones below it absorb the borrow of the mantissa. */
HVX_INLINE HVX_Vector math_shift_to_i16(HVX_Vector vhigh, HVX_Vector vexponent) {
    HVX_Vector vlimit = Q6_V_vor_VV(Q6_Vh_vshuffo_VhVh(vexponent, vexponent), hvx_splat_i16(0x7f));
    HVX_Vector vmagnitude = Q6_V_vand_VV(vhigh, hvx_splat_i16(0x7fff));
    return Q6_Vuh_vlsr_VuhR(Q6_Vh_vsub_VhVh(vlimit, vmagnitude), 7);
}

/* Converts two vectors to int16: even lanes are veven's, odd lanes vodd's. The exponent is the same in all lanes. */
HVX_INLINE HVX_Vector math_to_i16(HVX_Vector veven, HVX_Vector vodd, HVX_Vector vexponent) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(vodd, veven);
    HVX_Vector vshift = Q6_Vuh_vmin_VuhVuh(math_shift_to_i16(vhigh, vexponent), hvx_splat_i16(15));
    HVX_Vector vlow = Q6_Vh_vasr_VwVwR(vodd, veven, 9); /* 14 bits of the mantissa, 2 of the exponent */
    HVX_Vector vmantissa = Q6_V_vor_VV(Q6_V_vand_VV(vlow, hvx_splat_i16(0x3fff)), hvx_splat_i16(0x4000));
    HVX_Vector v = Q6_Vh_vlsr_VhVh(vmantissa, vshift);
    HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VhVh(Q6_V_vzero(), vhigh);
    return Q6_V_vmux_QVV(qnegative, Q6_Vh_vsub_VhVh(Q6_V_vzero(), v), v);
}

/* Converts to uint16 in the same way. A shift of 16 counts as -16, to the left, and gives 0. */
HVX_INLINE HVX_Vector math_magnitude_u16(HVX_Vector veven, HVX_Vector vodd, HVX_Vector vexponent) {
    HVX_Vector vshift = math_shift_to_i16(Q6_Vh_vshuffo_VhVh(vodd, veven), vexponent);
    vshift = Q6_Vuh_vmin_VuhVuh(vshift, hvx_splat_i16(16));
    HVX_Vector vdoubled = Q6_V_vor_VV(Q6_Vh_vasr_VwVwR(vodd, veven, 8), hvx_splat_i16(0x8000));
    return Q6_Vuh_vavg_VuhVuh_rnd(Q6_Vh_vlsr_VhVh(vdoubled, vshift), Q6_V_vzero());
}

/* Requires finite numbers. */
HVX_INLINE HVX_Vector math_multiply_f32(HVX_Vector va, HVX_Vector vb) {
    HVX_Vector vone = Q6_V_vsplat_R(MATH_EXPONENT_ONE);
    HVX_Vector vea = math_exponent(va), veb = math_exponent(vb), vsmallest = Q6_Vw_vmin_VwVw(vea, veb);
    HVX_Vector vproduct = math_multiply_q31(math_mantissa_q30(va), math_mantissa_q30(vb)); /* Q29: 2^29 up to 2^31 */
    HVX_VectorPred qbelow_2 = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(1 << 30), vproduct);
    vproduct = Q6_Vw_condacc_QVwVw(qbelow_2, vproduct, vproduct);
    HVX_Vector vexponent = Q6_Vw_vadd_VwVw_sat(math_add_constant_i32(vea, -127 * MATH_EXPONENT_ONE), veb);
    vexponent = Q6_Vw_condnac_QVwVw(qbelow_2, vexponent, vone);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(math_add_constant_i32(vproduct, 64), 7); /* 2^23..2^24 */
    HVX_Vector vbits = Q6_Vw_vadd_VwVw_sat(vexponent, vmantissa);
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(Q6_Vw_vmin_VwVw(vsmallest, vbits), Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_V_vmux_QVV(qnormal, Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY)), Q6_V_vzero());
    return Q6_V_vor_VV(vbits, math_mask(Q6_V_vxor_VV(va, vb), MATH_SIGN));
}

/* Requires finite numbers. */
HVX_INLINE HVX_Vector math_add_f32(HVX_Vector va, HVX_Vector vb) {
    HVX_Vector vma = math_mask(va, MATH_MAGNITUDE), vmb = math_mask(vb, MATH_MAGNITUDE);
    HVX_Vector vlarge = Q6_Vw_vmax_VwVw(vma, vmb), vsmall = Q6_Vw_vmin_VwVw(vma, vmb);
    HVX_Vector vsign = math_mask(Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(vmb, vma), vb, va), MATH_SIGN);
    HVX_VectorPred qdiffer = Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_vxor_VV(va, vb));
    HVX_Vector vexponent = math_exponent(vlarge), vsmall_exponent = math_exponent(vsmall);
    HVX_VectorPred qsmall_is_0 = Q6_Q_vcmp_eq_VwVw(vsmall_exponent, Q6_V_vzero());
    HVX_Vector vshift = Q6_Vuw_vlsr_VuwR(Q6_Vw_vsub_VwVw(vlarge, vsmall_exponent), 23);
    vshift = Q6_Vw_vmin_VwVw(vshift, Q6_V_vsplat_R(31));
    HVX_Vector vtop = Q6_V_vsplat_R(0x20000000); /* Q29 */
    HVX_Vector vmost = Q6_V_vor_VV(math_mask(Q6_Vw_vasl_VwR(vlarge, 6), 0x1fffffc0), vtop);
    HVX_Vector vless = Q6_V_vor_VV(math_mask(Q6_Vw_vasl_VwR(vsmall, 6), 0x1fffffc0), vtop);
    vless = Q6_V_vand_QnV(qsmall_is_0, Q6_Vw_vasr_VwVw(vless, vshift));
    HVX_Vector vsum = Q6_Vw_condnac_QVwVw(qdiffer, Q6_Vw_condacc_QnVwVw(qdiffer, vmost, vless), vless);
    return math_pack_parts(vsum, 29, vexponent, vsign, Q6_V_vand_QnV(qdiffer, vsign));
}

HVX_INLINE HVX_Vector math_order(HVX_Vector v) {
    return Q6_V_vxor_VV(v, math_mask(Q6_Vw_vasr_VwR(v, 31), MATH_MAGNITUDE));
}

#endif
