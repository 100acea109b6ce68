/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"

REF_ELEMENTWISE(neg)

uint32_t ref_neg(uint32_t a, uint32_t b, const void *params) {
    (void)b, (void)params;
    return a ^ MATH_SIGN;
}
