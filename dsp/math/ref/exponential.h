/* SPDX-License-Identifier: MIT
 *
 * 2^-t and functions built on it, in 31 bits: docs/math.md, 13.
 */
#ifndef PHX_MATH_REF_EXPONENTIAL_H
#define PHX_MATH_REF_EXPONENTIAL_H

#include "float32.h"
#include "reciprocal.h"

#define MATH_Q23_MAX (1 << 30) /* 2^7 in Q23: beyond it e^x is 0 or infinite */

/* Returns |x| * log2(e) in Q23, at most 2^7. */
static inline int32_t math_log2e_q23(uint32_t x) {
    int32_t product = math_multiply_q31(math_mantissa_q30(x), 1549082005); /* Q29 */
    int32_t shift = 133 - (math_exponent(x) >> 23);
    product = shift < 0 ? MATH_Q23_MAX : product >> (shift > 31 ? 31 : shift);
    return product < MATH_Q23_MAX ? product : MATH_Q23_MAX;
}

/* Returns 2^-f in Q31, 1/2 to 1. f in Q31, 0 up to 1. */
static inline int32_t math_exp2_negative_q31(int32_t f) {
    int32_t y = 2743347 - math_multiply_q31(f, 236084);
    y = 20577642 - math_multiply_q31(f, y);
    y = 119168798 - math_multiply_q31(f, y);
    y = 515878638 - math_multiply_q31(f, y);
    y = 1488522040 - math_multiply_q31(f, y);
    return INT32_MAX - math_multiply_q31(f, y);
}

/* 2^-t as significand * 2^-shift; the significand in Q31, 1/2 to 1. t in Q23. */
struct math_power {
    int32_t significand;
    int32_t shift;
};

static inline struct math_power math_power_of(int32_t t) {
    return (struct math_power){math_exp2_negative_q31((int32_t)((uint32_t)t << 8 & MATH_MAGNITUDE)), t >> 23};
}

/* Returns the power as a number in Q31. */
static inline int32_t math_power_q31(struct math_power power) {
    return power.significand >> (power.shift < 31 ? power.shift : 31);
}

/* Returns ln(1 + w) / w in Q31. w in Q31. */
static inline int32_t math_log1p_over_q31(int32_t w) {
    int32_t y = 64659244 - math_multiply_q31(w, 11561279);
    y = 170098101 - math_multiply_q31(w, y);
    y = 295201785 - math_multiply_q31(w, y);
    y = 411136120 - math_multiply_q31(w, y);
    y = 533712428 - math_multiply_q31(w, y);
    y = 715548869 - math_multiply_q31(w, y);
    y = 1073732213 - math_multiply_q31(w, y);
    return 2147483593 - math_multiply_q31(w, y);
}

/* Returns tanh(x) / x in Q31, for |x| below 1/4. */
static inline int32_t math_tanh_over_q31(uint32_t x) {
    int32_t shift = 126 - (math_exponent(x) >> 23);
    int32_t number = math_mantissa_q30(x) >> (shift < 2 ? 2 : shift > 31 ? 31 : shift); /* Q31 */
    int32_t square = math_multiply_q31(number, number);
    int32_t y = 286136352 - math_multiply_q31(square, 110451449);
    y = 715825891 - math_multiply_q31(square, y);
    return INT32_MAX - math_multiply_q31(square, y);
}

#endif
