/* SPDX-License-Identifier: MIT
 *
 * NORM: dst = (x - mean) / sqrt(variance + eps) * weight + bias per row: docs/math.md, 18.
 */
#include "norm.h"

#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(norm)

/* Divides by an estimate and its correction, since the v68 has no division instruction. */
int32_t ref_norm_mean(int64_t sum, const struct ref_norm *norm) {
    uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    int64_t mean = 0, n = norm->n;
    if (magnitude > 0) {
        int32_t leading = __builtin_clzll(magnitude);
        int32_t by = leading - 33 - norm->reciprocal.exponent; /* shift to 31 bits */
        mean = math_multiply_q31((int32_t)(magnitude << leading >> 33), norm->reciprocal.mantissa);
        mean = by < 0 ? mean << -by : mean >> (by < 63 ? by : 63);
        mean = sum < 0 ? -mean : mean;
    }
    int64_t rest = 2 * (sum - mean * n);
    for (; rest >= n; rest -= 2 * n) {
        mean++;
    }
    for (; rest < -n; rest += 2 * n) {
        mean--;
    }
    return (int32_t)mean;
}

bool ref_norm_scale(struct ref_normed *normed, uint64_t sum, const struct ref_norm *norm, int32_t exponent) {
    int32_t of_distances = exponent + (REF_NORM_CUT - normed->shift) * MATH_EXPONENT_ONE;
    struct ref_square variance = norm->square(sum, norm->reciprocal, of_distances, norm->eps);
    if (variance.square == 0) {
        return false;
    }
    normed->scale = math_reciprocal_square_root_q31(variance.square);
    normed->exponent = (exponent >> 23) + variance.exponent - normed->shift + REF_NORM_CUT - 127;
    return true;
}

void ref_norm_element(uint32_t *dst, uint32_t i, const struct ref_affine *affine, const struct ref_normed *normed) {
    uint32_t weight = affine->weight[i * affine->weight_step];
    uint32_t distance = (uint32_t)ref_norm_distance(dst[i], normed);
    uint32_t sign = (distance ^ weight) & MATH_SIGN, result = sign;
    int32_t magnitude = (int32_t)(distance & MATH_SIGN ? 0 - distance : distance);
    if (math_is_special(weight)) {
        result = magnitude == 0 || math_is_nan(weight) ? MATH_NAN : sign | MATH_INFINITY;
    } else if (math_exponent(weight) > 0) {
        int32_t product = math_multiply_q31(magnitude, math_mantissa_q30(weight));
        product = math_multiply_q31(product, normed->scale);
        int64_t exponent = normed->exponent * (int64_t)MATH_EXPONENT_ONE + math_exponent(weight);
        result = math_pack_parts((uint32_t)product, 29, exponent, sign, sign);
    }
    dst[i] = result;
}

void ref_norm_fill(uint32_t *dst, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        dst[i] = MATH_NAN;
    }
}

void ref_norm_row(uint32_t *dst, const uint32_t *x, const struct ref_affine *affine, const struct ref_norm *norm) {
    int32_t exponent = MATH_ROW_EXPONENT_MIN, least = INT32_MAX, most = INT32_MIN;
    uint32_t n = norm->n;
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        exponent = math_exponent(x[i]) > exponent ? math_exponent(x[i]) : exponent;
    }
    if (exponent == MATH_INFINITY) {
        ref_norm_fill(dst, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t v = math_to_i32(x[i], exponent) >> REF_NORM_CUT;
        least = v < least ? v : least;
        most = v > most ? v : most;
        dst[i] = (uint32_t)v;
        sum += v;
    }
    struct ref_normed normed = {.mean = ref_norm_mean(sum, norm)};
    int32_t above = most - normed.mean, below = normed.mean - least;
    normed.shift = ref_norm_shift((uint32_t)(above > below ? above : below));
    uint64_t squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t distance = ((int64_t)ref_norm_distance(dst[i], &normed) + 0x8000) >> 16;
        distance = distance > INT16_MAX ? INT16_MAX : distance;
        squares += (uint64_t)(distance * distance);
    }
    if (!ref_norm_scale(&normed, squares, norm, exponent)) {
        ref_norm_fill(dst, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        ref_norm_element(dst, i, affine, &normed);
        dst[i] = affine->bias ? math_add_f32(dst[i], affine->bias[i * affine->bias_step]) : dst[i];
    }
}

void ref_norm_special_biases(uint32_t *dst, uint32_t n, const struct ref_affine *affine) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bias = affine->bias[i * affine->bias_step];
        if (math_is_special(dst[i]) || math_is_special(bias)) {
            dst[i] = math_add_f32(dst[i], bias);
        }
    }
}

uint32_t phx_norm_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    static const uint32_t one = MATH_ONE;
    const struct phx_operand *dst = call->dst[0], *weight = call->src[1], *bias = call->src[2];
    uint32_t n = dst->view.ne[0];
    struct ref_norm norm = {n, *(const uint32_t *)call->params, ref_rms_norm_reciprocal(n), ref_rms_norm_mean};
    struct ref_affine affine = {&one, NULL, weight && weight->view.nb[0] != 0, bias && bias->view.nb[0] != 0};
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        affine.weight = weight ? (const uint32_t *)phx_row(weight, at) : &one;
        affine.bias = bias ? (const uint32_t *)phx_row(bias, at) : NULL;
        ref_norm_row((uint32_t *)phx_row(dst, at), (const uint32_t *)phx_row(call->src[0], at), &affine, &norm);
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
