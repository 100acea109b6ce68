/* SPDX-License-Identifier: MIT
 *
 * Common code of ARGMAX and TOP_K in HVX (reference: dsp/ref/pick.h).
 *
 * The bits of positive floats sort as signed integers. If a row's largest numbers are positive and none is NaN, their
 * bits serve as keys, which takes a third of the work. Otherwise all numbers are converted to keys.
 */
#ifndef PHX_HVX_PICK_H
#define PHX_HVX_PICK_H

#include "ref/pick.h"
#include "rows.h"

#define HVX_KEY_MIN INT32_MIN /* below all keys; as a float it is -0, below all positive numbers */

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

/* Loads the remainder of a row as keys, padded with HVX_KEY_MIN. */
HVX_INLINE HVX_Vector hvx_load_remainder_keys(struct span span, bool are_bits) {
    HVX_Vector v = load_remainder(span);
    /* for 0 this sets all lanes, but then there are no lanes to set */
    HVX_VectorPred qin = Q6_Q_vsetq_R((int32_t)span.n_bytes);
    v = are_bits ? v : hvx_keys(v);
    return span.n_bytes ? Q6_V_vmux_QVV(qin, v, Q6_V_vsplat_R(HVX_KEY_MIN)) : Q6_V_vsplat_R(HVX_KEY_MIN);
}

/* Returns whether bits serve as keys: all candidates are above 0, and nothing is NaN. vnegative: the largest of the
 * numbers with flipped signs. */
HVX_INLINE bool hvx_bits_are_keys(int32_t smallest_candidate, int32_t largest, HVX_Vector vnegative) {
    return smallest_candidate > 0 && largest <= MATH_INFINITY && hvx_max_i32(vnegative) <= MATH_INFINITY;
}

HVX_INLINE HVX_Vector hvx_flip_signs(HVX_Vector v) {
    return Q6_V_vxor_VV(v, Q6_V_vsplat_R((int32_t)MATH_SIGN));
}

/* Returns the lane indices 0, 1, 2 and so on. */
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
