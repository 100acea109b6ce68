/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/float32.h"

REF_ELEMENTWISE(scale)

uint32_t ref_scale(uint32_t a, uint32_t b, const void *params) {
    const uint32_t *words = params; /* struct phx_scale_params: scale, bias */
    uint32_t product = math_multiply_f32(a, words[0]);
    (void)b;
    return words[1] & MATH_MAGNITUDE ? math_add_f32(product, words[1]) : product;
}
