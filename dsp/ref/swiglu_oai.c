/* SPDX-License-Identifier: MIT */
#include "elementwise.h"
#include "math/ref/sigmoid.h"

REF_ELEMENTWISE(swiglu_oai)

/* Returns |x| * |alpha| * log2(e) in Q15. Halves the largest alphas and doubles x, since their product with log2(e)
 * would be infinite. */
static uint32_t t_of(uint32_t x, uint32_t alpha) {
    uint32_t doubling = math_exponent(alpha) == MATH_INFINITY - MATH_EXPONENT_ONE ? MATH_EXPONENT_ONE : 0;
    return math_scaled_log2e_q15(x + doubling, math_multiply_f32(alpha - doubling, MATH_LOG2E));
}

/* Returns x * sigmoid(alpha * x) for an infinite x. */
static uint32_t infinite_gate(uint32_t x, uint32_t alpha) {
    return math_exponent(alpha) == 0 || (int32_t)(x ^ alpha) < 0 ? MATH_NAN : x;
}

/* Returns the smaller of x and limit. */
static uint32_t at_most(uint32_t x, uint32_t limit) {
    return math_order(x) < math_order(limit) ? x : limit;
}

uint32_t ref_swiglu_oai(uint32_t a, uint32_t b, const void *params) {
    const uint32_t *words = params; /* struct phx_swiglu_oai_params: alpha, limit */
    uint32_t alpha = words[0], limit = words[1];
    if (math_is_nan(a) || math_is_nan(b) || math_is_special(alpha) || math_is_nan(limit)) {
        return MATH_NAN;
    }
    uint32_t x = at_most(a, limit), y = at_most(b, limit);
    y = at_most(y ^ MATH_SIGN, limit) ^ MATH_SIGN;
    struct math_sigmoid sigmoid = math_sigmoid_q15(t_of(x, alpha), (x ^ alpha) >> 31);
    uint32_t factor = math_add_f32(y, MATH_ONE);
    if (math_is_special(x) || math_is_special(factor)) {
        uint32_t gate = math_is_special(x) ? infinite_gate(x, alpha) : math_times_sigmoid(x, sigmoid);
        return math_multiply_f32(gate, factor);
    }
    return math_product_times_sigmoid(x, factor, sigmoid);
}
