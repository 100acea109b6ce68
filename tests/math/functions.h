/* SPDX-License-Identifier: MIT
 *
 * The functions of dsp/math by number, over arrays of 32-bit numbers: the same list for ref and hvx.
 */
#ifndef PHX_TESTS_MATH_FUNCTIONS_H
#define PHX_TESTS_MATH_FUNCTIONS_H

#include <stdint.h>

/* X(name, kind of a, kind of b) */
#define MATH_FUNCTIONS(X)                                                                                              \
    X(multiply_q15, ANY_I16, ANY_I16)                                                                                  \
    X(multiply_q31, ANY, ANY)                                                                                          \
    X(exp2_negative_q15, FRACTION_Q15, NONE)                                                                           \
    X(reciprocal_q15, ONE_TO_TWO_Q14, NONE)                                                                            \
    X(reciprocal_q31, ONE_TO_TWO_Q30, NONE)                                                                            \
    X(reciprocal_square_root_q31, ONE_TO_FOUR_Q29, NONE)                                                               \
    X(sine_q30, ANY, NONE)                                                                                             \
    X(cosine_q30, ANY, NONE)                                                                                           \
    X(exponent, ANY, NONE)                                                                                             \
    X(mantissa_q30, ANY, NONE)                                                                                         \
    X(pack, ANY, UNIT)                                                                                                 \
    X(to_i32, FLOAT, ROW_EXPONENT)                                                                                     \
    X(to_i16, FLOAT, ROW_EXPONENT)                                                                                     \
    X(magnitude_u16, FLOAT, ROW_EXPONENT)                                                                              \
    X(multiply_f32, FLOAT, FLOAT)                                                                                      \
    X(add_f32, FLOAT, FLOAT)                                                                                           \
    X(order, ANY, NONE)                                                                                                \
    X(f16_to_f32, ANY_U16, NONE)                                                                                       \
    X(f32_to_f16, ANY, NONE)                                                                                           \
    X(exp2_negative_q31, FRACTION_Q31, NONE)                                                                           \
    X(log2e_q15, FLOAT, NONE)                                                                                          \
    X(log2e_q23, FLOAT, NONE)                                                                                          \
    X(gelu_q15, FLOAT, NONE)                                                                                           \
    X(sigmoid_q15, T_Q15, ANY)

enum argument {
    NONE,
    ANY,
    ANY_I16,
    ANY_U16,
    FLOAT,        /* finite */
    UNIT,         /* -256..255 << 23, the same in 64 lanes */
    ROW_EXPONENT, /* 31..254 << 23, the same in 64 lanes, not below that of a */
    FRACTION_Q15,
    FRACTION_Q31,
    T_Q15, /* below 2^8 */
    ONE_TO_TWO_Q14,
    ONE_TO_TWO_Q30,
    ONE_TO_FOUR_Q29
};

enum math_function {
#define X(name, a, b) FUNCTION_##name,
    MATH_FUNCTIONS(X)
#undef X
    N_FUNCTIONS
};

/* n: a multiple of 64. Arrays are aligned to 128 bytes. */
void apply_ref(uint32_t function, const uint32_t *a, const uint32_t *b, uint32_t *to, uint32_t n);
void apply_hvx(uint32_t function, const uint32_t *a, const uint32_t *b, uint32_t *to, uint32_t n);

#endif
