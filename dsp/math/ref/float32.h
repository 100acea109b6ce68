/* SPDX-License-Identifier: MIT
 *
 * float32 arithmetic on its bits, in integers: docs/math.md, 2 and 3. Denormals count as 0, as arguments and as
 * results.
 */
#ifndef PHX_MATH_REF_FLOAT32_H
#define PHX_MATH_REF_FLOAT32_H

#include "math/bits.h"
#include "fixed.h"

static inline int32_t math_exponent(uint32_t x) {
    return (int32_t)(x & MATH_INFINITY);
}

/* Returns 1.m in Q30: 2^30 up to 2^31. */
static inline int32_t math_mantissa_q30(uint32_t x) {
    return (int32_t)((x << 7 & 0x3fffff80) | 0x40000000);
}

/* Returns magnitude / 2^bit * 2^(E - 127) as a float32, E = exponent >> 23: a magnitude in Q<bit> at an exponent.
 * Rounds half up and adds `sign`; returns infinity on overflow, and `zero` below the smallest normal number. magnitude
 * is at most 2^31, E is -256..255. */
static inline uint32_t math_pack_parts(uint32_t magnitude, int32_t bit, int64_t exponent, uint32_t sign,
                                       uint32_t zero) {
    if (magnitude == 0) {
        return zero;
    }
    int32_t leading = __builtin_clz(magnitude);
    int32_t mantissa = (int32_t)((((uint64_t)magnitude << leading) + 128) >>
                                 8); /* 2^23..2^24: the top bit increments the exponent */
    int64_t bits = exponent + (30 - bit - leading) * MATH_EXPONENT_ONE + mantissa;
    return bits < MATH_EXPONENT_ONE ? zero : sign | (uint32_t)(bits > MATH_INFINITY ? MATH_INFINITY : bits);
}

/* Returns number * 2^(E - 127) as a float32; E is the exponent of a unit. A zero has the number's sign. */
static inline uint32_t math_pack(int32_t number, int32_t exponent) {
    uint32_t sign = (uint32_t)number & MATH_SIGN;
    return math_pack_parts(sign ? 0u - (uint32_t)number : (uint32_t)number, 0, exponent, sign, sign);
}

/* Returns E - e, at most `limit`. exponent must not be below that of x. */
static inline uint32_t math_shift_to(uint32_t x, int32_t exponent, uint32_t limit) {
    uint32_t shift = (uint32_t)(exponent - math_exponent(x)) >> 23;
    return shift < limit ? shift : limit;
}

/* Returns x * 2^(157 - E), E = exponent >> 23, truncated towards 0: below 2^31. math_pack() with E - 30 is its inverse.
 * exponent must be neither below that of x nor below MATH_ROW_EXPONENT_MIN. */
static inline int32_t math_to_i32(uint32_t x, int32_t exponent) {
    int32_t magnitude = math_mantissa_q30(x) >> math_shift_to(x, exponent, 31);
    return x & MATH_SIGN ? -magnitude : magnitude;
}

/* Returns x * 2^(141 - E), truncated towards 0: below 2^15. exponent as for math_to_i32(). */
static inline int32_t math_to_i16(uint32_t x, int32_t exponent) {
    int32_t magnitude = (math_mantissa_q30(x) >> 16) >> math_shift_to(x, exponent, 15);
    return x & MATH_SIGN ? -magnitude : magnitude;
}

/* Returns |x| * 2^(141 - E), rounded half up: at most 2^15. exponent as for math_to_i32(). */
static inline uint32_t math_magnitude_u16(uint32_t x, int32_t exponent) {
    uint32_t doubled = (uint32_t)math_mantissa_q30(x) >> 15;
    return ((doubled >> math_shift_to(x, exponent, 16)) + 1) >> 1;
}

static inline int math_is_special(uint32_t x) {
    return (x & MATH_INFINITY) == MATH_INFINITY;
}

static inline int math_is_nan(uint32_t x) {
    return (x & MATH_MAGNITUDE) > MATH_INFINITY;
}

/* Returns a * b if one of them is NaN or infinite. */
static inline uint32_t math_multiply_special(uint32_t a, uint32_t b) {
    if (math_is_nan(a) || math_is_nan(b) || math_exponent(a) == 0 || math_exponent(b) == 0) {
        return MATH_NAN;
    }
    return MATH_INFINITY | ((a ^ b) & MATH_SIGN);
}

/* Returns a * b with an error of at most 0.51 units in the last place. */
static inline uint32_t math_multiply_f32(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & MATH_SIGN;
    if (math_is_special(a) || math_is_special(b)) {
        return math_multiply_special(a, b);
    }
    if (math_exponent(a) == 0 || math_exponent(b) == 0) {
        return sign;
    }
    int32_t product = math_multiply_q31(math_mantissa_q30(a), math_mantissa_q30(b)); /* Q29: 2^29 up to 2^31 */
    int64_t exponent = (int64_t)math_exponent(a) + math_exponent(b) - 127 * MATH_EXPONENT_ONE;
    return math_pack_parts((uint32_t)product, 29, exponent, sign, sign);
}

/* Returns a + b if one of them is NaN or infinite. */
static inline uint32_t math_add_special(uint32_t a, uint32_t b) {
    if (math_is_nan(a) || math_is_nan(b) || (math_is_special(a) && math_is_special(b) && a != b)) {
        return MATH_NAN;
    }
    return math_is_special(a) ? a : b;
}

/* Returns a + b. Truncates bits of the smaller number below 2^-6 units in the last place of the larger one, then rounds
 * half up. Exact zeros are +0 unless both numbers are negative. */
static inline uint32_t math_add_f32(uint32_t a, uint32_t b) {
    if (math_is_special(a) || math_is_special(b)) {
        return math_add_special(a, b);
    }
    uint32_t large = a, small = b;
    if ((a & MATH_MAGNITUDE) < (b & MATH_MAGNITUDE)) {
        large = b;
        small = a;
    }
    int32_t sum = math_mantissa_q30(large) >> 1; /* Q29 */
    int32_t other = math_exponent(small) == 0
                        ? 0
                        : (math_mantissa_q30(small) >> 1) >> math_shift_to(small, math_exponent(large), 31);
    uint32_t sign = large & MATH_SIGN, zero = a & b & MATH_SIGN;
    if (math_exponent(large) == 0) {
        return zero;
    }
    sum += (int32_t)(a ^ b) < 0 ? -other : other;
    return math_pack_parts((uint32_t)sum, 29, math_exponent(large), sign, zero);
}

/* Maps floats to integers in the same order; -0 is below +0, NaN outside the infinities. The map is its own inverse. */
static inline int32_t math_order(uint32_t x) {
    return (int32_t)(x & MATH_SIGN ? x ^ MATH_MAGNITUDE : x);
}

#endif
