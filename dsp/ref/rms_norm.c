/* SPDX-License-Identifier: MIT
 *
 * RMS_NORM: dst = x / sqrt(mean of x^2 + eps) * weight per row: docs/math.md, 8.
 */
#include "rms_norm.h"

#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(rms_norm)

struct ref_scale ref_rms_norm_reciprocal(uint32_t n) {
    int32_t leading = __builtin_clz(n);
    int32_t mantissa = (int32_t)(n << leading >> 1); /* n = mantissa * 2^(1 - leading) */
    if (mantissa == 1 << 30) {
        return (struct ref_scale){mantissa, leading - 30};
    }
    return (struct ref_scale){math_reciprocal_q31(mantissa), leading - 31};
}

/* Returns v * 2^unit = v / 2^29 * 2^(unit + 29) with an even exponent. */
static struct ref_square square_of(int32_t v, int32_t unit) {
    if ((unit & 1) == 0) {
        bool halve = v >= 1 << 30;
        v = halve ? v >> 1 : v << 1;
        unit += halve ? 1 : -1;
    }
    return (struct ref_square){v, -((unit + 29) >> 1)};
}

struct ref_square ref_rms_norm_mean(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps) {
    int32_t v = 0, unit = -1024; /* mean + eps = v * 2^unit, v 2^29 up to 2^31 */
    if (sum > 0) {
        int32_t leading = __builtin_clzll(sum);
        v = math_multiply_q31((int32_t)(sum << leading >> 33), reciprocal.mantissa);
        unit = 33 - leading + reciprocal.exponent + 2 * ((exponent >> 23) - 141);
        if (v < 1 << 30) {
            v *= 2;
            unit -= 1;
        }
    }
    if (math_exponent(eps) > 0) {
        int32_t eps_unit = (math_exponent(eps) >> 23) - 157, distance = unit - eps_unit;
        int32_t by = distance < 0 ? -distance : distance;
        int32_t large = distance < 0 ? math_mantissa_q30(eps) : v, small = distance < 0 ? v : math_mantissa_q30(eps);
        v = (large >> 1) + (small >> 1 >> (by < 31 ? by : 31));
        unit = (distance < 0 ? eps_unit : unit) + 1;
    }
    return square_of(v, unit);
}

struct ref_square ref_l2_norm_square(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps) {
    int32_t v = 0, unit = -1024;
    (void)reciprocal;
    if (sum > 0) {
        int32_t leading = __builtin_clzll(sum);
        v = (int32_t)(sum << leading >> 33);
        unit = 33 - leading + 2 * ((exponent >> 23) - 141);
    }
    if (math_exponent(eps) > 0) {
        int32_t least = math_multiply_q31(math_mantissa_q30(eps), math_mantissa_q30(eps)); /* Q29 */
        int32_t least_unit = 2 * ((math_exponent(eps) >> 23) - 127) - 29;
        if (least < 1 << 30) {
            least *= 2;
            least_unit -= 1;
        }
        if (least_unit > unit || (least_unit == unit && least > v)) {
            v = least;
            unit = least_unit;
        }
    }
    return square_of(v, unit);
}

/* Returns the row's largest magnitude, which determines the exponent and reveals NaN and infinity. */
static uint32_t largest_magnitude(const uint32_t *x, uint32_t n) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t magnitude = x[i] & MATH_MAGNITUDE;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* Computes a row with NaN or infinity. NaN makes the whole row NaN. Infinity makes the scale 0. */
static void special_row(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step, uint32_t n,
                        bool is_nan) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t w = weight[i * weight_step];
        dst[i] = is_nan || math_is_special(x[i]) || math_is_special(w) ? MATH_NAN : (x[i] ^ w) & MATH_SIGN;
    }
}

static uint32_t scaled(uint32_t x, uint32_t weight, struct ref_scale scale) {
    uint32_t sign = (x ^ weight) & MATH_SIGN;
    if (math_is_special(weight)) {
        return math_multiply_special(x, weight);
    }
    if (math_exponent(x) == 0 || math_exponent(weight) == 0) {
        return sign;
    }
    int32_t product = math_multiply_q31(math_mantissa_q30(x), math_mantissa_q30(weight));
    product = math_multiply_q31(product, scale.mantissa); /* 2^28 up to 2^31 */
    int64_t exponent = (int64_t)math_exponent(x) + math_exponent(weight) +
                       (scale.exponent - 127) * (int64_t)MATH_EXPONENT_ONE;
    return math_pack_parts((uint32_t)product, 29, exponent, sign, sign);
}

void ref_rms_norm_row(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                      const struct ref_norm *norm) {
    uint32_t n = norm->n;
    uint32_t largest = largest_magnitude(x, n);
    if (math_is_special(largest)) {
        special_row(dst, x, weight, weight_step, n, math_is_nan(largest));
        return;
    }
    int32_t exponent = math_exponent(largest);
    exponent = exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t magnitude = math_magnitude_u16(x[i], exponent);
        sum += magnitude * magnitude;
    }
    struct ref_square mean = norm->square(sum, norm->reciprocal, exponent, norm->eps);
    if (mean.square == 0) {
        special_row(dst, x, weight, weight_step, n, true);
        return;
    }
    struct ref_scale scale = {math_reciprocal_square_root_q31(mean.square), mean.exponent};
    for (uint32_t i = 0; i < n; i++) {
        dst[i] = scaled(x[i], weight[i * weight_step], scale);
    }
}

void ref_rms_norm_special_weights(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                                  uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (math_is_special(weight[i * weight_step])) {
            dst[i] = math_multiply_special(x[i], weight[i * weight_step]);
        }
    }
}

void ref_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm) {
    static const uint32_t one = 0x3f800000;
    const struct phx_operand *dst = call->dst[0], *weight = call->src[1];
    uint32_t weight_step = weight && weight->view.nb[0] != 0;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *w = weight ? (const uint32_t *)phx_row(weight, at) : &one;
        ref_rms_norm_row((uint32_t *)phx_row(dst, at), (const uint32_t *)phx_row(call->src[0], at), w, weight_step,
                         norm);
        phx_next(&dst->view, &at);
    }
}

uint32_t phx_rms_norm_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    uint32_t n = call->dst[0]->view.ne[0];
    struct ref_norm norm = {n, *(const uint32_t *)call->params, ref_rms_norm_reciprocal(n), ref_rms_norm_mean};
    (void)work;
    ref_rms_norm_rows(call, slice, &norm);
    return PHX_OK;
}
