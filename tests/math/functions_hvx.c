/* SPDX-License-Identifier: MIT
 *
 * Processes two vectors of 32-bit numbers at a time; functions of int16 lanes receive them packed, and their results
 * are unpacked.
 */
#include "math/hvx/exp2.h"
#include "math/hvx/exponential.h"
#include "math/hvx/fixed.h"
#include "math/hvx/float16.h"
#include "math/hvx/float32.h"
#include "math/hvx/reciprocal.h"
#include "math/hvx/sigmoid.h"
#include "math/hvx/sine_cosine.h"
#include "functions.h"

static HVX_Vector apply_words(uint32_t function, HVX_Vector va, HVX_Vector vb) {
    HVX_Vector vsine, vcosine;
    switch (function) {
    case FUNCTION_multiply_q31:
        return math_multiply_q31(va, vb);
    case FUNCTION_reciprocal_q31:
        return math_reciprocal_q31(va);
    case FUNCTION_reciprocal_square_root_q31:
        return math_reciprocal_square_root_q31(va);
    case FUNCTION_sine_q30:
        math_sine_cosine_q30(va, &vsine, &vcosine);
        return vsine;
    case FUNCTION_cosine_q30:
        math_sine_cosine_q30(va, &vsine, &vcosine);
        return vcosine;
    case FUNCTION_exponent:
        return math_exponent(va);
    case FUNCTION_mantissa_q30:
        return math_mantissa_q30(va);
    case FUNCTION_pack:
        return math_pack(va, vb);
    case FUNCTION_to_i32:
        return math_to_i32(va, vb);
    case FUNCTION_multiply_f32:
        return math_multiply_f32(va, vb);
    case FUNCTION_add_f32:
        return math_add_f32(va, vb);
    case FUNCTION_order:
        return math_order(va);
    case FUNCTION_f16_to_f32:
        return Q6_V_lo_W(math_f16_to_f32(Q6_Vh_vpacke_VwVw(va, va)));
    case FUNCTION_f32_to_f16:
        return Q6_V_lo_W(Q6_Wuw_vunpack_Vuh(math_f32_to_f16(va, va)));
    case FUNCTION_exp2_negative_q31:
        return math_exp2_negative_q31(va);
    case FUNCTION_log2e_q15:
        return math_log2e_q15(va);
    case FUNCTION_log2e_q23:
        return math_log2e_q23(va);
    case FUNCTION_gelu_q15:
        return math_gelu_q15(va);
    default:
        return Q6_V_vzero();
    }
}

/* The even lanes belong to the first vector, the odd ones to the second. */
static HVX_Vector apply_halves(uint32_t function, const HVX_Vector *a, const HVX_Vector *b) {
    HVX_Vector va = hvx_interleave_low_i16(a[0], a[1]), vb = hvx_interleave_low_i16(b[0], b[1]);
    switch (function) {
    case FUNCTION_multiply_q15:
        return math_multiply_q15(va, vb);
    case FUNCTION_exp2_negative_q15:
        return math_exp2_negative_q15(va);
    case FUNCTION_reciprocal_q15:
        return math_reciprocal_q15(va);
    case FUNCTION_sigmoid_q15:
        return math_sigmoid_q15(a, b).vsignificands;
    case FUNCTION_to_i16:
        return math_to_i16(a[0], a[1], b[0]);
    default:
        return math_magnitude_u16(a[0], a[1], b[0]);
    }
}

static int is_halves(uint32_t function) {
    return function == FUNCTION_multiply_q15 || function == FUNCTION_exp2_negative_q15 ||
           function == FUNCTION_reciprocal_q15 || function == FUNCTION_sigmoid_q15 || function == FUNCTION_to_i16 ||
           function == FUNCTION_magnitude_u16;
}

void apply_hvx(uint32_t function, const uint32_t *a, const uint32_t *b, uint32_t *to, uint32_t n) {
    const HVX_Vector *va = (const HVX_Vector *)a, *vb = (const HVX_Vector *)b;
    HVX_Vector *vto = (HVX_Vector *)to;
    for (uint32_t i = 0; i < n / 32; i += 2) {
        if (is_halves(function)) {
            HVX_Vector v = apply_halves(function, va + i, vb + i);
            int is_unsigned = function == FUNCTION_magnitude_u16;
            vto[i] = is_unsigned ? math_mask(v, 0xffff) : Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(v, 16), 16);
            vto[i + 1] = is_unsigned ? Q6_Vuw_vlsr_VuwR(v, 16) : Q6_Vw_vasr_VwR(v, 16);
        } else {
            vto[i] = apply_words(function, va[i], vb[i]);
            vto[i + 1] = apply_words(function, va[i + 1], vb[i + 1]);
        }
    }
}
