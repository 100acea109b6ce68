/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/sigmoid.h"

REF_DECLARE(silu)
REF_ELEMENTWISE(swiglu)

uint32_t ref_swiglu(uint32_t a, uint32_t b, const void *params) {
    if (math_is_special(a) || math_is_special(b)) {
        return math_multiply_f32(ref_silu(a, 0, params), b);
    }
    return math_product_times_sigmoid(a, b, math_sigmoid_q15(math_log2e_q15(a), a >> 31));
}
