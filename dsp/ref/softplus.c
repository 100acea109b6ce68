/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/exponential.h"

REF_ELEMENTWISE(softplus)

uint32_t ref_softplus(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    if (math_is_special(a)) {
        return math_is_nan(a) ? MATH_NAN : a & MATH_SIGN ? 0 : a;
    }
    /* w = e^-|x|: max(x, 0) + ln(1 + w), as w * L(w) with L in Q31; w is significand * 2^-shift, in Q31. */
    struct math_power power = math_power_of(math_log2e_q23(a));
    int32_t product = math_multiply_q31(power.significand, math_log1p_over_q31(math_power_q31(power)));
    uint32_t beyond = math_pack_parts((uint32_t)product, 31, (127 - power.shift) * (int64_t)MATH_EXPONENT_ONE, 0, 0);
    return math_add_f32(a & MATH_SIGN ? 0 : a, beyond);
}
