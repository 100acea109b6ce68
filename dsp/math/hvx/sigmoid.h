/* SPDX-License-Identifier: MIT
 *
 * dsp/math/ref/sigmoid.h. t is in words; the sigmoid takes two vectors at once, since its arithmetic has 16 bits.
 */
#ifndef PHX_MATH_HVX_SIGMOID_H
#define PHX_MATH_HVX_SIGMOID_H

#include "exp2.h"
#include "float32.h"
#include "reciprocal.h"

#define MATH_T_MAX 0x7fffff

/* Returns the right shift for numbers with this exponent: `from` minus the exponent, at least `least`. */
HVX_INLINE HVX_Vector math_shift_from(int32_t from, HVX_Vector vexponent, int32_t least) {
    HVX_Vector vshift = Q6_Vw_vsub_VwVw_sat(Q6_V_vsplat_R(from * MATH_EXPONENT_ONE), vexponent);
    vshift = Q6_Vw_vmax_VwVw(Q6_Vw_vasr_VwR(vshift, 23), Q6_V_vsplat_R(least));
    return Q6_Vw_vmin_VwVw(vshift, Q6_V_vsplat_R(31));
}

HVX_INLINE HVX_Vector math_at_most_t_max(HVX_Vector vt) {
    return Q6_Vw_vmin_VwVw(vt, Q6_V_vsplat_R(MATH_T_MAX));
}

/* Returns |x| * log2(e) in Q15, below 2^8: Q30 * (log2(e) in Q15) >> 16 = Q29, shifted by 14 plus what the exponent is
 * below 127. */
HVX_INLINE HVX_Vector math_log2e_q15(HVX_Vector vx) {
    HVX_Vector vproduct = Q6_Vw_vmpye_VwVuh(math_mantissa_q30(vx), Q6_V_vsplat_R(47274));
    return math_at_most_t_max(Q6_Vw_vasr_VwVw(vproduct, math_shift_from(141, math_exponent(vx), 6)));
}

/* Requires a scale that is not zero. */
HVX_INLINE HVX_Vector math_scaled_log2e_q15(HVX_Vector vx, HVX_Vector vlog2e_scale) {
    HVX_Vector vproduct = math_multiply_q31(math_mantissa_q30(vx), math_mantissa_q30(vlog2e_scale));
    HVX_Vector vexponent = Q6_Vw_vsub_VwVw(math_exponent(vlog2e_scale), Q6_V_vsplat_R(127 * MATH_EXPONENT_ONE));
    vexponent = Q6_Vw_vadd_VwVw_sat(vexponent, math_exponent(vx));
    return math_at_most_t_max(Q6_Vw_vasr_VwVw(vproduct, math_shift_from(141, vexponent, 5)));
}

/* Returns 2 sqrt(2 / pi) * (|x| + 0.044715 |x|^3) * log2(e) in Q15, below 2^8: |x| in Q26, its square in Q21, the
 * factor of |x| in Q24, the product in Q19. */
HVX_INLINE HVX_Vector math_gelu_q15(HVX_Vector vx) {
    HVX_Vector vmagnitude = Q6_Vw_vasr_VwVw(math_mantissa_q30(vx), math_shift_from(131, math_exponent(vx), 0));
    HVX_Vector vsquare = math_multiply_q31(vmagnitude, vmagnitude);
    HVX_Vector vfactor = math_add_constant_i32(Q6_Vw_vmpye_VwVuh(vsquare, Q6_V_vsplat_R(53972)), 38624644);
    return math_at_most_t_max(Q6_Vw_vasr_VwR(math_multiply_q31(vmagnitude, vfactor), 4));
}

/* Sigmoids of two vectors. Significands: one vector of int16, the even ones of the first vector. Shifts: as exponents,
 * in bits 23..30. */
struct math_sigmoids {
    HVX_Vector vsignificands;
    HVX_Vector vshift[2];
};

/* Returns the significands of one of the two vectors, in the lower halves of its words. */
HVX_INLINE HVX_Vector math_significand(const struct math_sigmoids *sigmoids, int which) {
    return which ? Q6_Vuw_vlsr_VuwR(sigmoids->vsignificands, 16) : sigmoids->vsignificands;
}

/* With w = 2^-f, f the fraction of t, and k its whole part: r = 1 / (1 + w * 2^-k), the sum in Q14, w and r in Q15; for
 * a negative argument r * w, whose 2^-k goes to vshift. vsign: numbers whose signs apply to t. */
HVX_INLINE struct math_sigmoids math_sigmoid_q15(const HVX_Vector *vt, const HVX_Vector *vsign) {
    HVX_Vector vfraction = Q6_V_vand_VV(Q6_Vh_vshuffe_VhVh(vt[1], vt[0]), hvx_splat_i16(0x7fff));
    HVX_Vector vk = Q6_Vh_vadd_VhVh(Q6_Vh_vasr_VwVwR(vt[1], vt[0], 15), hvx_splat_i16(1));
    HVX_Vector vpower = math_exp2_negative_q15(vfraction);
    HVX_Vector vshifted = Q6_Vh_vlsr_VhVh(vpower, Q6_Vh_vmin_VhVh(vk, hvx_splat_i16(15)));
    HVX_Vector vreciprocal = math_reciprocal_q15(Q6_Vh_vadd_VhVh(vshifted, hvx_splat_i16(16384)));
    HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VhVh(Q6_V_vzero(), Q6_Vh_vshuffo_VhVh(vsign[1], vsign[0]));
    struct math_sigmoids sigmoids;
    sigmoids.vsignificands = Q6_V_vmux_QVV(qnegative, math_multiply_q15(vreciprocal, vpower), vreciprocal);
    HVX_UNROLL
    for (int i = 0; i < 2; i++) {
        sigmoids.vshift[i] = Q6_V_vand_VV(math_exponent(Q6_Vw_vasl_VwR(vt[i], 8)), Q6_Vw_vasr_VwR(vsign[i], 31));
    }
    return sigmoids;
}

/* Returns x * sigmoid: Q30 * Q15 >> 16 = Q29. */
HVX_INLINE HVX_Vector math_times_sigmoid(HVX_Vector vx, HVX_Vector vsignificand, HVX_Vector vshift) {
    HVX_Vector vexponent = math_exponent(vx);
    HVX_Vector vproduct = Q6_Vw_vmpye_VwVuh(math_mantissa_q30(vx), vsignificand);
    return math_pack_product(vproduct, 29, Q6_Vw_vsub_VwVw(vexponent, vshift), vexponent, vx);
}

HVX_INLINE HVX_Vector math_product_times_sigmoid(HVX_Vector vx, HVX_Vector vy, HVX_Vector vsignificand,
                                                 HVX_Vector vshift) {
    HVX_Vector vex = math_exponent(vx), vey = math_exponent(vy);
    HVX_Vector vboth = math_multiply_q31(math_mantissa_q30(vx), math_mantissa_q30(vy));
    HVX_Vector vproduct = Q6_Vw_vmpye_VwVuh(vboth, vsignificand);
    HVX_Vector vexponent = Q6_Vw_vsub_VwVw_sat(math_add_constant_i32(vex, -129 * MATH_EXPONENT_ONE), vshift);
    vexponent = Q6_Vw_vadd_VwVw_sat(vexponent, vey);
    /* Q26 of four times the value: an exponent that saturates is infinity in any case */
    return math_pack_product(vproduct, 26, vexponent, Q6_Vw_vmin_VwVw(vex, vey), Q6_V_vxor_VV(vx, vy));
}

#endif
