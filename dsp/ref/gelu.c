/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/sigmoid.h"

REF_ELEMENTWISE(gelu)

uint32_t ref_gelu(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    if (math_is_special(a)) { /* -infinity times 0 */
        return a == MATH_INFINITY ? a : MATH_NAN;
    }
    /* x * sigmoid(2 sqrt(2 / pi) * (x + 0.044715 x^3)), the sigmoid as significand * 2^-shift in Q15. */
    return math_times_sigmoid(a, math_sigmoid_q15(math_gelu_q15(a), a >> 31));
}
