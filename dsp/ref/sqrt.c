/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"

REF_ELEMENTWISE(sqrt)

uint32_t ref_sqrt(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    uint32_t sign = a & MATH_SIGN;
    if (math_exponent(a) == 0) {
        return sign;
    }
    if (sign || math_is_special(a)) {
        return a == MATH_INFINITY ? a : MATH_NAN;
    }
    int32_t exponent = math_exponent(a) >> 23;
    int32_t number = math_mantissa_q30(a) >> (exponent & 1); /* Q29, 1 up to 4, of an even power of two */
    int32_t root = math_multiply_q31(number, math_reciprocal_square_root_q31(number)); /* Q29, 1 to 2 */
    return math_pack_parts((uint32_t)root, 29, ((exponent + 127) >> 1) * MATH_EXPONENT_ONE, 0, 0);
}
