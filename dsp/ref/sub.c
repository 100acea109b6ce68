/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"

REF_ELEMENTWISE(sub)

uint32_t ref_sub(uint32_t a, uint32_t b, const void *params) {
    (void)params;
    return math_add_f32(a, b ^ MATH_SIGN);
}
