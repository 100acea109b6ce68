/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/exponential.h"

REF_ELEMENTWISE(exp)

uint32_t ref_exp(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    if (math_is_special(a)) {
        return math_is_nan(a) ? MATH_NAN : a & MATH_SIGN ? 0 : a;
    }
    /* e^x = 2^-t, t = -x * log2(e) in Q23; the significand of 2^-t in Q31. */
    int32_t t = math_log2e_q23(a);
    struct math_power power = math_power_of(a & MATH_SIGN ? t : -t);
    return math_pack_parts((uint32_t)power.significand, 31, (127 - power.shift) * (int64_t)MATH_EXPONENT_ONE, 0, 0);
}
