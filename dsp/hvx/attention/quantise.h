/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/attention/quantise.h: up to 32 blocks of 32 floats. What is found of a block lies in a lane of its own.
 */
#ifndef PHX_HVX_ATTENTION_QUANTISE_H
#define PHX_HVX_ATTENTION_QUANTISE_H

#include "attention.h"

/* A lane for each block. */
struct lanes {
    int32_t largest[HVX_LANES_I32];  /* magnitudes, as bits */
    int32_t exponent[HVX_LANES_I32]; /* of those, at least MATH_ROW_EXPONENT_MIN */
    int32_t factor[HVX_LANES_I32];
    int32_t scale[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

/* The largest of N vectors, 8 or 16: that of x[i] in lane 32 / N * i. */
HVX_INLINE HVX_Vector largest_of_all(const int N, const HVX_Vector *x) {
    HVX_Vector v[16];
    HVX_UNROLL
    for (int i = 0; i < N; i++) {
        v[i] = math_mask(x[i], MATH_MAGNITUDE);
    }
    HVX_UNROLL
    for (int n = N / 2; n > 0; n /= 2) {
        HVX_UNROLL
        for (int i = 0; i < n; i++) {
            v[i] = hvx_max_neighbours_i32(v[2 * i], v[2 * i + 1]);
        }
    }
    HVX_UNROLL
    for (int distance = HVX_BYTES / N / 2; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vmax_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    return v[0];
}

HVX_INLINE HVX_Vector exponent_of(HVX_Vector vlargest) {
    return Q6_Vw_vmax_VwVw(math_exponent(vlargest), Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN));
}

HVX_INLINE int32_t exponent_of_one(int32_t largest) {
    int32_t exponent = largest & MATH_INFINITY;
    return exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
}

HVX_INLINE void fill_exponents(struct lanes *lanes, HVX_Vector vlargest) {
    *(HVX_Vector *)lanes->largest = vlargest;
    *(HVX_Vector *)lanes->exponent = exponent_of(vlargest);
}

/* Factors and scales from the largest magnitudes; vexponent: what each block is relative to. most: the largest code. */
HVX_INLINE void fill_lanes(struct lanes *lanes, int32_t most, HVX_Vector vlargest, HVX_Vector vexponent) {
    HVX_Vector vmantissa = math_mantissa_q30(vlargest);
    *(HVX_Vector *)lanes->factor = math_multiply_q31(math_reciprocal_q31(vmantissa),
                                                     Q6_V_vsplat_R(most == 7 ? 7 << 28 : 127 << 24));
    HVX_Vector vshift = Q6_Vuw_vlsr_VuwR(Q6_Vw_vsub_VwVw(vexponent, exponent_of(vlargest)), 23);
    vshift = Q6_Vw_vmin_VwVw(vshift, Q6_V_vsplat_R(31));
    HVX_Vector vdoubled = Q6_Vw_vasr_VwVw(Q6_Vuw_vlsr_VuwR(vmantissa, 15), vshift);
    HVX_Vector vscale = Q6_Vw_vasr_VwR(math_add_constant_i32(vdoubled, 1), 1);
    vscale = Q6_Vw_vmin_VwVw(vscale, Q6_V_vsplat_R(INT16_MAX));
    HVX_VectorPred qzero = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN), vlargest);
    *(HVX_Vector *)lanes->scale = Q6_V_vmux_QVV(qzero, Q6_V_vzero(), vscale);
}

/* Numbers as integers relative to their block's exponent: what may be done before there is a factor. */
HVX_INLINE HVX_Vector aligned(HVX_Vector vx, int32_t exponent) {
    return math_to_i32(vx, Q6_V_vsplat_R(exponent));
}

/* Those as int8 in words; or, with a largest code of 7, as 1 to 15. */
HVX_INLINE HVX_Vector quantised(HVX_Vector v, int32_t most, int32_t factor) {
    v = math_multiply_q31(v, Q6_V_vsplat_R(factor));
    return most == 7 ? Q6_Vw_vasr_VwR(math_add_constant_i32(v, (1 << 26) + (1 << 30)), 27)
                     : Q6_Vw_vasr_VwR(math_add_constant_i32(v, 1 << 22), 23);
}

/* Block `block` of `width` floats at p, zeros behind them. */
HVX_INLINE HVX_Vector load_block(const uint8_t *p, uint32_t block, uint32_t width) {
    uint32_t n_bytes = width * sizeof(float), at = block * HVX_BYTES;
    return n_bytes - at >= HVX_BYTES ? hvx_load_u(p + at) : hvx_load_partial_u(p + at, n_bytes - at);
}

#endif
