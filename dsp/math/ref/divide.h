/* SPDX-License-Identifier: MIT
 *
 * Division of float32 as in IEEE 754, to nearest, ties to even: docs/math.md, 6.
 */
#ifndef PHX_MATH_REF_DIVIDE_H
#define PHX_MATH_REF_DIVIDE_H

#include "math/bits.h"

static inline uint32_t math_mantissa_24(uint32_t x) {
    return (x & 0x7fffff) | MATH_EXPONENT_ONE;
}

/* Returns 1 / |x|. The exponent of x is 1 to 252. */
static inline uint32_t math_reciprocal_f32(uint32_t x) {
    uint32_t divisor = math_mantissa_24(x), rest = MATH_EXPONENT_ONE % divisor, quotient = rest ? 0 : 1;
    for (int bit = 0; bit < 24; bit++) { /* 2^47 / divisor */
        rest *= 2;
        quotient = 2 * quotient + (rest >= divisor);
        rest -= rest >= divisor ? divisor : 0;
    }
    quotient += 2 * rest > divisor;
    return quotient + 252 * MATH_EXPONENT_ONE - (x & MATH_INFINITY);
}

/* Returns |x| / 127. The exponent of x is 8 to 254. */
static inline uint32_t math_divide_by_127(uint32_t x) {
    uint32_t mantissa = math_mantissa_24(x), rest = mantissa % 127, exponent = x & MATH_INFINITY;
    uint32_t quotient = mantissa + mantissa / 127; /* of mantissa * 128 */
    if (quotient < 2 * MATH_EXPONENT_ONE) {
        return exponent - 8 * MATH_EXPONENT_ONE + quotient + (rest > 63);
    }
    uint32_t half = quotient / 2;
    return exponent - 7 * MATH_EXPONENT_ONE + half + (quotient & 1 & (half | (rest > 0)));
}

#endif
