/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/exponential.h"

REF_ELEMENTWISE(tanh)

uint32_t ref_tanh(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    uint32_t sign = a & MATH_SIGN;
    if (math_is_special(a)) {
        return math_is_nan(a) ? MATH_NAN : sign | MATH_ONE;
    }
    if (math_exponent(a) == 0) {
        return sign;
    }
    /* Below 1/4: |x| * P(x^2), Q30 * Q31 = Q30 at the exponent of x. */
    if (math_exponent(a) < 125 * MATH_EXPONENT_ONE) {
        int32_t product = math_multiply_q31(math_mantissa_q30(a), math_tanh_over_q31(a));
        return math_pack_parts((uint32_t)product, 30, math_exponent(a), sign, sign);
    }
    /* w = e^-2|x|: (1 - w) / (1 + w), the difference in Q31, the sum in Q30, its reciprocal and the result in Q31. */
    int32_t power = math_power_q31(math_power_of(math_log2e_q23(a + MATH_EXPONENT_ONE)));
    int32_t result = math_multiply_q31(INT32_MAX - power, math_reciprocal_short_q31((1 << 30) + (power >> 1)));
    return math_pack_parts((uint32_t)result, 30, 126 * MATH_EXPONENT_ONE, sign, sign);
}
