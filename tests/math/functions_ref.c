/* SPDX-License-Identifier: MIT */
#include "math/ref/exp2.h"
#include "math/ref/exponential.h"
#include "math/ref/fixed.h"
#include "math/ref/float16.h"
#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "math/ref/sigmoid.h"
#include "math/ref/sine_cosine.h"
#include "functions.h"

static uint32_t apply(uint32_t function, uint32_t a, uint32_t b) {
    int32_t sine, cosine;
    switch (function) {
    case FUNCTION_multiply_q15:
        return (uint32_t)math_multiply_q15((int32_t)a, (int32_t)b);
    case FUNCTION_multiply_q31:
        return (uint32_t)math_multiply_q31((int32_t)a, (int32_t)b);
    case FUNCTION_exp2_negative_q15:
        return (uint32_t)math_exp2_negative_q15((int32_t)a);
    case FUNCTION_reciprocal_q15:
        return (uint32_t)math_reciprocal_q15((int32_t)a);
    case FUNCTION_reciprocal_q31:
        return (uint32_t)math_reciprocal_q31((int32_t)a);
    case FUNCTION_reciprocal_square_root_q31:
        return (uint32_t)math_reciprocal_square_root_q31((int32_t)a);
    case FUNCTION_sine_q30:
        math_sine_cosine_q30(a, &sine, &cosine);
        return (uint32_t)sine;
    case FUNCTION_cosine_q30:
        math_sine_cosine_q30(a, &sine, &cosine);
        return (uint32_t)cosine;
    case FUNCTION_exponent:
        return (uint32_t)math_exponent(a);
    case FUNCTION_mantissa_q30:
        return (uint32_t)math_mantissa_q30(a);
    case FUNCTION_pack:
        return math_pack((int32_t)a, (int32_t)b);
    case FUNCTION_to_i32:
        return (uint32_t)math_to_i32(a, (int32_t)b);
    case FUNCTION_to_i16:
        return (uint32_t)math_to_i16(a, (int32_t)b);
    case FUNCTION_magnitude_u16:
        return math_magnitude_u16(a, (int32_t)b);
    case FUNCTION_multiply_f32:
        return math_multiply_f32(a, b);
    case FUNCTION_add_f32:
        return math_add_f32(a, b);
    case FUNCTION_order:
        return (uint32_t)math_order(a);
    case FUNCTION_f16_to_f32:
        return math_f16_to_f32(a);
    case FUNCTION_f32_to_f16:
        return math_f32_to_f16(a);
    case FUNCTION_exp2_negative_q31:
        return (uint32_t)math_exp2_negative_q31((int32_t)a);
    case FUNCTION_log2e_q15:
        return math_log2e_q15(a);
    case FUNCTION_log2e_q23:
        return (uint32_t)math_log2e_q23(a);
    case FUNCTION_gelu_q15:
        return math_gelu_q15(a);
    case FUNCTION_sigmoid_q15:
        return math_sigmoid_q15(a, b >> 31).significand;
    default:
        return 0;
    }
}

void apply_ref(uint32_t function, const uint32_t *a, const uint32_t *b, uint32_t *to, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        to[i] = apply(function, a[i], b[i]);
    }
}
