/* SPDX-License-Identifier: MIT
 *
 * Changes to a logit before the maximum is computed: docs/attention.md, 9. Logits are Q16 of powers of two, within
 * 2^29.
 */
#ifndef PHX_REF_ATTENTION_OPTIONS_H
#define PHX_REF_ATTENTION_OPTIONS_H

#include "math/ref/exponential.h"
#include "ops/attention/attention.h"

static inline int32_t ref_limited(int32_t x) {
    return x > PHX_LOGIT_LIMIT ? PHX_LOGIT_LIMIT : x < -PHX_LOGIT_LIMIT ? -PHX_LOGIT_LIMIT : x;
}

/* Returns x * 2^shift, at most `limit`; x is not negative. */
static inline int32_t ref_shifted(int32_t x, int32_t shift, int32_t limit) {
    int32_t right = shift > 0 ? 0 : shift < -31 ? 31 : -shift, left = shift < 0 ? 0 : shift > 29 ? 29 : shift;
    x >>= right;
    return (x < limit >> left ? x : limit >> left) << left;
}

/* Returns cap * tanh(logit / cap). */
static inline int32_t ref_capped(const struct phx_softcap *cap, int32_t logit) {
    int32_t magnitude = logit < 0 ? -logit : logit;
    int32_t t = ref_shifted(math_multiply_q31(2 * magnitude, cap->reciprocal), cap->shift, MATH_Q23_MAX);
    int32_t power = math_power_q31(math_power_of(t));
    int32_t tanh = math_multiply_q31(INT32_MAX - power, math_reciprocal_q31((power >> 1) + (1 << 30)));
    int32_t result = math_multiply_q31(tanh, cap->factor) >> cap->down;
    return logit < 0 ? -result : result;
}

/* Returns -slope * distance. */
static inline int32_t ref_distance_bias(uint32_t slope, int32_t distance) {
    int32_t product = math_multiply_q31(distance << 10, math_multiply_q31(math_mantissa_q30(slope), PHX_LOG2E_Q30));
    int32_t shift = (math_exponent(slope) >> 23) - 119;
    int32_t bias = math_exponent(slope) == 0 ? 0 : ref_shifted(product, shift, PHX_LOGIT_LIMIT);
    return slope & MATH_SIGN ? bias : -bias;
}

/* Returns slope * mask; both are finite. */
static inline int32_t ref_mask_bias(uint32_t slope, uint32_t mask) {
    int32_t product = math_multiply_q31(math_multiply_q31(math_mantissa_q30(mask), PHX_LOG2E_Q30),
                                        math_mantissa_q30(slope));
    int32_t shift = (math_exponent(mask) >> 23) + (math_exponent(slope) >> 23) - 266;
    int32_t bias = math_exponent(mask) == 0 || math_exponent(slope) == 0 ? 0
                                                                         : ref_shifted(product, shift, PHX_LOGIT_LIMIT);
    return (mask ^ slope) & MATH_SIGN ? -bias : bias;
}

#endif
