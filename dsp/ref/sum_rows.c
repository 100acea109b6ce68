/* SPDX-License-Identifier: MIT
 *
 * SUM_ROWS: dst = sum of x per row: docs/math.md, SUM_ROWS.
 */
#include "sum_rows.h"

#include "math/ref/float32.h"

PHX_DECLARE_KERNELS(sum_rows)

uint32_t ref_sum_rows_pack(int64_t sum, int32_t exponent, const struct ref_scale *reciprocal) {
    if (sum == 0) {
        return 0;
    }
    uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    int32_t leading = __builtin_clzll(magnitude), field = (exponent >> 23) - leading + 36;
    int32_t mantissa = (int32_t)(magnitude << leading >> 33); /* Q30 */
    if (reciprocal) {
        mantissa = math_multiply_q31(mantissa, reciprocal->mantissa);
        field += reciprocal->exponent;
    }
    uint32_t sign = sum < 0 ? MATH_SIGN : 0;
    return math_pack_parts((uint32_t)mantissa, 30, field * (int64_t)MATH_EXPONENT_ONE, sign, sign);
}

uint32_t ref_sum_row(const uint32_t *x, uint32_t n, const struct ref_scale *reciprocal) {
    int32_t exponent = MATH_ROW_EXPONENT_MIN;
    uint32_t special = 0;
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        exponent = math_exponent(x[i]) > exponent ? math_exponent(x[i]) : exponent;
        special = math_is_special(x[i]) ? math_add_special(special, x[i]) : special;
    }
    if (math_is_special(special)) {
        return special;
    }
    for (uint32_t i = 0; i < n; i++) {
        sum += math_to_i32(x[i], exponent) >> 3;
    }
    return ref_sum_rows_pack(sum, exponent, reciprocal);
}

void ref_sum_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_scale *reciprocal) {
    const struct phx_operand *dst = call->dst[0], *x = call->src[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        *(uint32_t *)phx_row(dst, at) = ref_sum_row((const uint32_t *)phx_row(x, at), x->view.ne[0], reciprocal);
        phx_next(&dst->view, &at);
    }
}

uint32_t phx_sum_rows_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    ref_sum_rows(call, slice, NULL);
    return PHX_OK;
}
