/* SPDX-License-Identifier: MIT
 *
 * float16 to float32 and back, with denormals, infinities and NaN: docs/math.md, 4.
 */
#ifndef PHX_MATH_REF_FLOAT16_H
#define PHX_MATH_REF_FLOAT16_H

#include "float32.h"

/* Converts the bits of a float16 to those of a float32, exactly. A NaN keeps its payload. */
static inline uint32_t math_f16_to_f32(uint32_t half) {
    uint32_t sign = half << 16 & MATH_SIGN, magnitude = half & 0x7fff;
    if (magnitude == 0) {
        return sign;
    }
    if (magnitude < 0x0400) { /* denormal: magnitude * 2^-24 */
        uint32_t leading = (uint32_t)__builtin_clz(magnitude);
        return sign | ((134 - leading) * MATH_EXPONENT_ONE + (magnitude << (leading - 8) & 0x7fffff));
    }
    uint32_t steps = magnitude < 0x7c00 ? 112 : 224; /* 127 - 15; twice that for infinity and NaN */
    return sign | ((magnitude << 13) + steps * MATH_EXPONENT_ONE);
}

/* Rounds to nearest, ties to even. Overflow gives infinity, NaN gives 0x7e00 with its sign. */
static inline uint32_t math_f32_to_f16(uint32_t x) {
    uint32_t sign = x >> 16 & 0x8000, magnitude = x & MATH_MAGNITUDE, exponent = magnitude >> 23;
    if (magnitude > MATH_INFINITY) {
        return sign | 0x7e00;
    }
    uint32_t shift = exponent > 113 ? 13 : exponent < 95 ? 31 : 126 - exponent; /* more than 13 for denormals */
    uint32_t mantissa = (magnitude & 0x7fffff) | MATH_EXPONENT_ONE;
    uint32_t rounded = (mantissa + (1u << (shift - 1)) - 1 + (mantissa >> shift & 1)) >> shift;
    uint32_t half = rounded + (exponent > 113 ? (exponent - 113) << 10 : 0); /* the mantissa's top bit adds one */
    return sign | (half < 0x7c00 ? half : 0x7c00);
}

#endif
