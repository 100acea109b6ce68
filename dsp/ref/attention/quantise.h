/* SPDX-License-Identifier: MIT
 *
 * 32 floats as int8 and a scale: docs/attention.md, 2.
 */
#ifndef PHX_REF_ATTENTION_QUANTISE_H
#define PHX_REF_ATTENTION_QUANTISE_H

#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "runtime/contract.h"

/* The largest magnitude, as bits. */
static inline int32_t ref_largest(const uint32_t *x, uint32_t n) {
    int32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t magnitude = (int32_t)(x[i] & MATH_MAGNITUDE);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* The exponent that numbers up to `largest` are relative to. */
static inline int32_t ref_exponent(int32_t largest) {
    int32_t exponent = largest & MATH_INFINITY;
    return exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
}

/* x * 2^(158 - bits - E), E that of `exponent`, rounded half up: 32 - bits bits. */
static inline int32_t ref_half(uint32_t x, int32_t exponent, int32_t bits) {
    int64_t half = ((int64_t)math_to_i32(x, exponent) + (1 << (bits - 1))) >> bits;
    return half > INT16_MAX ? INT16_MAX : (int32_t)half;
}

/* Codes from -127 to 127, or from 1 to 15 for -7 to 7. */
struct ref_codes {
    int32_t most, half, bits;
};
#define REF_CODES_OF_8 ((struct ref_codes){127 << 24, 1 << 22, 23})
#define REF_CODES_OF_4 ((struct ref_codes){7 << 28, (1 << 26) + (1 << 30), 27})

/* x[i] is about q[i] * scale * 2^(E - 141) / most, E that of `exponent`; all x are finite and none is above it.
 * Returns the scale: 16384..32767 in a block with that exponent. */
static inline int32_t ref_quantise(const uint32_t *x, int32_t exponent, struct ref_codes codes, int8_t *q) {
    int32_t largest = ref_largest(x, PHX_BLOCK), own = ref_exponent(largest);
    int32_t mantissa = math_mantissa_q30((uint32_t)largest);
    int32_t factor = math_multiply_q31(math_reciprocal_q31(mantissa), codes.most);
    for (int i = 0; i < PHX_BLOCK; i++) {
        q[i] = (int8_t)((math_multiply_q31(math_to_i32(x[i], own), factor) + codes.half) >> codes.bits);
    }
    if ((largest & MATH_INFINITY) < MATH_ROW_EXPONENT_MIN) {
        return 0;
    }
    uint32_t distance = (uint32_t)(exponent - own) >> 23, shift = distance < 31 ? distance : 31;
    int32_t scale = (((mantissa >> 15) >> shift) + 1) >> 1;
    return scale < INT16_MAX ? scale : INT16_MAX;
}

#endif
