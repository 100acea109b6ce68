/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"

REF_ELEMENTWISE(mul)

uint32_t ref_mul(uint32_t a, uint32_t b, const void *params) {
    (void)params;
    return math_multiply_f32(a, b);
}
