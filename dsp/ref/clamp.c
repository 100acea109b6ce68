/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"

REF_ELEMENTWISE(clamp)

uint32_t ref_clamp(uint32_t a, uint32_t b, const void *params) {
    const uint32_t *words = params; /* struct phx_clamp_params: min, max */
    int32_t least = math_order(words[0]), most = math_order(words[1]), x = math_order(a);
    (void)b;
    if (math_is_nan(a) || math_is_nan(words[0]) || math_is_nan(words[1])) {
        return MATH_NAN;
    }
    x = x < most ? x : most;
    x = x > least ? x : least;
    uint32_t bits = (uint32_t)math_order((uint32_t)x);
    return math_exponent(bits) ? bits : bits & MATH_SIGN;
}
