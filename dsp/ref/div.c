/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"

REF_ELEMENTWISE(div)

uint32_t ref_div(uint32_t a, uint32_t b, const void *params) {
    (void)params;
    uint32_t sign = (a ^ b) & MATH_SIGN;
    if (math_is_nan(a) || math_is_nan(b) || (math_is_special(a) && math_is_special(b))) {
        return MATH_NAN;
    }
    if (math_is_special(a)) {
        return sign | MATH_INFINITY;
    }
    if (math_exponent(a) == 0 || math_is_special(b)) {
        return math_exponent(b) == 0 ? MATH_NAN : sign;
    }
    if (math_exponent(b) == 0) {
        return sign | MATH_INFINITY;
    }
    int32_t quotient = math_multiply_q31(math_mantissa_q30(a),
                                         math_reciprocal_short_q31(math_mantissa_q30(b))); /* Q30 */
    int64_t exponent = (int64_t)math_exponent(a) - math_exponent(b) + 127 * MATH_EXPONENT_ONE;
    return math_pack_parts((uint32_t)quotient, 30, exponent, sign, sign);
}
