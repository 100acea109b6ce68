/* SPDX-License-Identifier: MIT
 *
 * 1 / (1 + 2^-t) and its parts: docs/math.md, 11. t is a magnitude in Q15, below 2^8, with a separate sign.
 */
#ifndef PHX_MATH_REF_SIGMOID_H
#define PHX_MATH_REF_SIGMOID_H

#include "exp2.h"
#include "float32.h"
#include "reciprocal.h"

#define MATH_T_MAX 0x7fffff /* just below 2^8 in Q15: larger values are clamped to it */

/* Returns magnitude / 2^shift. A shift below `least` is clamped to it; t exceeds the limit there anyway. */
static inline uint32_t math_t_of(uint32_t magnitude, int32_t shift, int32_t least) {
    shift = shift < least ? least : shift > 31 ? 31 : shift;
    magnitude >>= shift;
    return magnitude < MATH_T_MAX ? magnitude : MATH_T_MAX;
}

/* Returns |x| * log2(e). */
static inline uint32_t math_log2e_q15(uint32_t x) {
    uint32_t product = (uint32_t)((uint64_t)math_mantissa_q30(x) * 47274 >> 16); /* Q29 */
    return math_t_of(product, 141 - (math_exponent(x) >> 23), 6);
}

/* Returns |x| * scale * log2(e). log2e_scale is scale * log2(e) as a float32, and must not be 0, which has no
 * mantissa. */
static inline uint32_t math_scaled_log2e_q15(uint32_t x, uint32_t log2e_scale) {
    if (math_exponent(log2e_scale) == 0) {
        return 0;
    }
    int32_t product = math_multiply_q31(math_mantissa_q30(x), math_mantissa_q30(log2e_scale)); /* Q29 */
    int32_t shift = 268 - ((math_exponent(x) + (int64_t)math_exponent(log2e_scale)) >> 23);
    return math_t_of((uint32_t)product, shift, 5);
}

/* Returns 2 sqrt(2 / pi) * (|x| + 0.044715 |x|^3) * log2(e). */
static inline uint32_t math_gelu_q15(uint32_t x) {
    int32_t shift = 131 - (math_exponent(x) >> 23);
    int32_t magnitude = math_mantissa_q30(x) >> (shift < 0 ? 0 : shift > 31 ? 31 : shift); /* Q26 */
    int32_t square = math_multiply_q31(magnitude, magnitude);                              /* Q21 */
    int32_t factor = 38624644 + (int32_t)((int64_t)square * 53972 >> 16);                  /* Q24 */
    return math_t_of((uint32_t)math_multiply_q31(magnitude, factor), 4, 4);                /* of Q19 */
}

/* A sigmoid as significand * 2^-shift; the significand in Q15, 1/4 to 1. */
struct math_sigmoid {
    uint32_t significand;
    int32_t shift;
};

static inline struct math_sigmoid math_sigmoid_q15(uint32_t t, int is_negative) {
    int32_t power = math_exp2_negative_q15((int32_t)(t & 0x7fff)), k = (int32_t)(t >> 15);
    int32_t reciprocal = math_reciprocal_q15(16384 + (power >> (k < 14 ? k + 1 : 15)));
    return is_negative ? (struct math_sigmoid){(uint32_t)math_multiply_q15(reciprocal, power), k}
                       : (struct math_sigmoid){(uint32_t)reciprocal, 0};
}

/* Returns x * sigmoid for finite x. */
static inline uint32_t math_times_sigmoid(uint32_t x, struct math_sigmoid sigmoid) {
    uint32_t sign = x & MATH_SIGN;
    uint32_t product = (uint32_t)((uint64_t)math_mantissa_q30(x) * sigmoid.significand >> 16); /* Q29 */
    int64_t exponent = math_exponent(x) - (int64_t)sigmoid.shift * MATH_EXPONENT_ONE;
    return math_exponent(x) == 0 ? sign : math_pack_parts(product, 29, exponent, sign, sign);
}

/* Returns x * y * sigmoid for finite x and y. */
static inline uint32_t math_product_times_sigmoid(uint32_t x, uint32_t y, struct math_sigmoid sigmoid) {
    uint32_t sign = (x ^ y) & MATH_SIGN;
    int32_t both = math_multiply_q31(math_mantissa_q30(x), math_mantissa_q30(y)); /* Q29 */
    uint32_t product = (uint32_t)((uint64_t)both * sigmoid.significand >> 16);    /* Q28 */
    int64_t exponent = (int64_t)math_exponent(x) + math_exponent(y) -
                       (127 + sigmoid.shift) * (int64_t)MATH_EXPONENT_ONE;
    return math_exponent(x) == 0 || math_exponent(y) == 0 ? sign : math_pack_parts(product, 28, exponent, sign, sign);
}

#endif
