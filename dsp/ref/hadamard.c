/* SPDX-License-Identifier: MIT
 *
 * HADAMARD: blocks of a row, each times a Hadamard matrix: docs/math.md, HADAMARD.
 */
#include "math/ref/float32.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(hadamard)

#define MOST 256
#define SQRT_HALF 0x5a82799a /* sqrt(1/2), Q31 */

/* Returns math_to_i32() shifted right by `bits`, so that n = 2^bits of them can be added. */
static int32_t part_of(uint32_t x, int32_t exponent, uint32_t bits) {
    uint32_t shift = math_shift_to(x, exponent, 31) + bits;
    int32_t magnitude = math_mantissa_q30(x) >> (shift < 31 ? shift : 31);
    return x & MATH_SIGN ? -magnitude : magnitude;
}

static void transform(uint32_t *dst, const uint32_t *x, uint32_t n) {
    uint32_t bits = (uint32_t)__builtin_ctz(n);
    int32_t exponent = MATH_ROW_EXPONENT_MIN, v[MOST];
    for (uint32_t i = 0; i < n; i++) {
        exponent = math_exponent(x[i]) > exponent ? math_exponent(x[i]) : exponent;
    }
    for (uint32_t i = 0; i < n; i++) {
        v[i] = part_of(x[i], exponent, bits);
    }
    for (uint32_t half = 1; half < n; half *= 2) {
        for (uint32_t i = 0; i < n; i++) {
            if (!(i & half)) {
                int32_t a = v[i], b = v[i + half];
                v[i] = a + b;
                v[i + half] = a - b;
            }
        }
    }
    int32_t unit = exponent - (30 - (int32_t)(bits + 1) / 2) * MATH_EXPONENT_ONE;
    for (uint32_t i = 0; i < n; i++) {
        int32_t sum = bits % 2 ? math_multiply_q31(v[i], SQRT_HALF) : v[i];
        dst[i] = exponent == MATH_INFINITY ? MATH_NAN : math_pack(sum, unit);
    }
}

uint32_t phx_hadamard_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    uint32_t n = ((const struct phx_hadamard_params *)call->params)->n;
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        for (uint32_t i = 0; i < call->dst[0]->view.ne[0]; i += n) {
            transform((uint32_t *)phx_row(call->dst[0], at) + i, (const uint32_t *)phx_row(call->src[0], at) + i, n);
        }
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
