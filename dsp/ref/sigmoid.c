/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/exponential.h"

REF_ELEMENTWISE(sigmoid)

uint32_t ref_sigmoid(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    if (math_is_special(a)) {
        return math_is_nan(a) ? MATH_NAN : a & MATH_SIGN ? 0 : MATH_ONE;
    }
    /* w = e^-|x|: 1 / (1 + w), the sum in Q30, the reciprocal in Q31; below 0 times w, as significand * 2^-shift. */
    struct math_power power = math_power_of(math_log2e_q23(a));
    int32_t result = math_reciprocal_short_q31((1 << 30) + (math_power_q31(power) >> 1));
    int64_t exponent = 127 * (int64_t)MATH_EXPONENT_ONE;
    if (a & MATH_SIGN) {
        result = math_multiply_q31(result, power.significand);
        exponent -= power.shift * (int64_t)MATH_EXPONENT_ONE;
    }
    return math_pack_parts((uint32_t)result, 31, exponent, 0, 0);
}
