/* SPDX-License-Identifier: MIT
 *
 * Fixed-point numbers, and the two multiplications on which all functions of dsp/math are built: docs/math.md, 1.
 */
#ifndef PHX_MATH_REF_FIXED_H
#define PHX_MATH_REF_FIXED_H

#include <stdint.h>

/* Returns a * b / 2^15 of two 16-bit numbers, rounded half up; -1 * -1 gives 32767. */
static inline int32_t math_multiply_q15(int32_t a, int32_t b) {
    int32_t product = (a * b + 0x4000) >> 15;
    return product > INT16_MAX ? INT16_MAX : product;
}

/* Returns a * b / 2^31, rounded half up; -1 * -1 gives INT32_MAX. */
static inline int32_t math_multiply_q31(int32_t a, int32_t b) {
    int32_t product = (int32_t)(((int64_t)a * b + 0x40000000) >> 31);
    return a == INT32_MIN && b == INT32_MIN ? INT32_MAX : product;
}

static inline int32_t math_add_saturating(int32_t a, int32_t b) {
    int64_t sum = (int64_t)a + b;
    return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

#endif
