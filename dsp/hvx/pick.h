/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/pick.h in HVX, and what ARGMAX and TOP_K share.
 *
 * The bits of floats are in order as signed numbers as long as they are positive. So where a row's largest numbers are,
 * and none is NaN, the bits will do: a third of the work. Else all numbers are made keys.
 */
#ifndef PHX_HVX_PICK_H
#define PHX_HVX_PICK_H

#include "ref/pick.h"
#include "rows.h"

#define HVX_LEAST INT32_MIN /* below all keys; as a float it is -0, which is below all positive ones */

/* ref_key() of 32 numbers. */
HVX_INLINE HVX_Vector hvx_keys(HVX_Vector v) {
    HVX_Vector vmagnitude = math_mask(v, MATH_MAGNITUDE);
    HVX_VectorPred qnan = Q6_Q_vcmp_gt_VwVw(vmagnitude, Q6_V_vsplat_R(MATH_INFINITY));
    v = math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), v), vmagnitude);
    return Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(INT32_MAX), v);
}

HVX_INLINE HVX_Vector hvx_load_keys(const uint8_t *p, bool are_bits, bool aligned) {
    HVX_Vector v = load(p, aligned);
    return are_bits ? v : hvx_keys(v);
}

/* The rest of a row; in the lanes behind it HVX_LEAST. */
HVX_INLINE HVX_Vector hvx_load_rest_keys(struct span span, bool are_bits) {
    HVX_Vector v = load_rest(span);
    HVX_VectorPred qin = Q6_Q_vsetq_R((int32_t)span.n_bytes); /* of 0, all: nothing is set then */
    v = are_bits ? v : hvx_keys(v);
    return span.n_bytes ? Q6_V_vmux_QVV(qin, v, Q6_V_vsplat_R(HVX_LEAST)) : Q6_V_vsplat_R(HVX_LEAST);
}

/* Whether bits are keys enough: all that is of interest is above 0, and nothing is NaN. vnegative: the largest of the
 * numbers with their signs flipped. */
HVX_INLINE bool hvx_bits_will_do(int32_t least_of_interest, int32_t largest, HVX_Vector vnegative) {
    return least_of_interest > 0 && largest <= MATH_INFINITY && hvx_max_i32(vnegative) <= MATH_INFINITY;
}

HVX_INLINE HVX_Vector hvx_flip_signs(HVX_Vector v) {
    return Q6_V_vxor_VV(v, Q6_V_vsplat_R((int32_t)MATH_SIGN));
}

/* 0, 1, 2 and so on. */
HVX_INLINE HVX_Vector hvx_lane_numbers(void) {
    static const int32_t numbers[HVX_LANES_I32]
        __attribute__((aligned(HVX_BYTES))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    return *(const HVX_Vector *)numbers;
}

HVX_INLINE int32_t hvx_min_i32(HVX_Vector v) {
    return ~hvx_max_i32(Q6_V_vnot_V(v));
}

#endif
