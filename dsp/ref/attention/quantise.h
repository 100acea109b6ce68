/* SPDX-License-Identifier: MIT
 *
 * Quantizes 32 floats to int8 and a scale: docs/attention.md, 2.
 */
#ifndef PHX_REF_ATTENTION_QUANTISE_H
#define PHX_REF_ATTENTION_QUANTISE_H

#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "runtime/contract.h"

/* Returns the largest magnitude, as bits. */
static inline int32_t ref_largest(const uint32_t *x, uint32_t n) {
    int32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t magnitude = (int32_t)(x[i] & MATH_MAGNITUDE);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* Returns the exponent to which numbers up to `largest` are relative. */
static inline int32_t ref_exponent(int32_t largest) {
    int32_t exponent = largest & MATH_INFINITY;
    return exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
}

/* Returns x * 2^(158 - bits - E), E that of `exponent`, rounded half up: 32 - bits bits. */
static inline int32_t ref_half(uint32_t x, int32_t exponent, int32_t bits) {
    int64_t half = ((int64_t)math_to_i32(x, exponent) + (1 << (bits - 1))) >> bits;
    return half > INT16_MAX ? INT16_MAX : (int32_t)half;
}

/* Returns the scale of a block relative to E, that of `exponent`: 16384..32767 if the block has that exponent
 * itself. */
static inline int32_t ref_scale(int32_t largest, int32_t exponent) {
    if ((largest & MATH_INFINITY) < MATH_ROW_EXPONENT_MIN) {
        return 0;
    }
    uint32_t distance = (uint32_t)(exponent - ref_exponent(largest)) >> 23, shift = distance < 31 ? distance : 31;
    int32_t scale = (((math_mantissa_q30((uint32_t)largest) >> 15) >> shift) + 1) >> 1;
    return scale < INT16_MAX ? scale : INT16_MAX;
}

/* Quantizes x[i] to about q[i] * scale * 2^(E - 141) / 127. All x are finite, and none is above E. Returns the
 * scale. */
static inline int32_t ref_quantise(const uint32_t *x, int32_t exponent, int8_t *q) {
    int32_t largest = ref_largest(x, PHX_BLOCK), own = ref_exponent(largest);
    int32_t mantissa = math_mantissa_q30((uint32_t)largest);
    int32_t factor = math_multiply_q31(math_reciprocal_q31(mantissa), 127 << 24);
    for (int i = 0; i < PHX_BLOCK; i++) {
        q[i] = (int8_t)((math_multiply_q31(math_to_i32(x[i], own), factor) + (1 << 22)) >> 23);
    }
    return ref_scale(largest, exponent);
}

/* Returns the bits of the number with the largest magnitude, with its sign in the last bit. Of two that differ only
 * there, the negative one wins. */
static inline int32_t ref_largest_signed(const uint32_t *x, uint32_t n) {
    int32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        int32_t own = (int32_t)((x[i] & (MATH_MAGNITUDE ^ 1)) | x[i] >> 31);
        largest = own > largest ? own : largest;
    }
    return largest;
}

/* Quantizes x[i] to about (q[i] - 8) * scale * 2^(E - 141) / 8. The code of the largest magnitude is 0, whatever its
 * sign. Returns the scale, which has the opposite sign. */
static inline int32_t ref_quantise_4(const uint32_t *x, int32_t exponent, int8_t *q) {
    int32_t largest = ref_largest_signed(x, PHX_BLOCK), own = ref_exponent(largest), sign = largest & 1 ? 1 : -1;
    int32_t factor = sign * math_reciprocal_q31(math_mantissa_q30((uint32_t)largest));
    for (int i = 0; i < PHX_BLOCK; i++) {
        int32_t code = (math_multiply_q31(math_to_i32(x[i], own), factor) + (1 << 26)) >> 27;
        q[i] = (int8_t)(8 + (code < 7 ? code : 7));
    }
    return sign * ref_scale(largest, exponent);
}

#endif
