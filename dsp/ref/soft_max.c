/* SPDX-License-Identifier: MIT
 *
 * SOFT_MAX: dst = exp(x * scale + mask * slope - largest) / sum per row: docs/math.md, SOFT_MAX.
 */
#include "soft_max.h"

#include "math/ref/exp2.h"
#include "math/ref/float16.h"
#include "math/ref/reciprocal.h"
#include "runtime/libc.h"

PHX_DECLARE_KERNELS(soft_max)

#define LOG2E_Q30 1549082005

struct ref_factor ref_soft_max_factor(uint32_t bits) {
    struct ref_factor factor = {bits, 0, 256, MATH_INFINITY - 1}; /* 0: shifts below 2 must not occur either */
    if (math_exponent(bits) == 0 || math_is_special(bits)) {
        return factor;
    }
    int32_t mantissa = math_multiply_q31(math_mantissa_q30(bits), LOG2E_Q30), exponent = math_exponent(bits) >> 23;
    bool is_large = mantissa >= 1 << 30; /* Q29 */
    factor.mantissa = is_large ? mantissa : mantissa * 2;
    factor.base = 140 - (exponent - 127) - is_large;
    factor.base = factor.base > 31 ? factor.base : 31;
    if (factor.base - 1 < 255) { /* a shift of 2 is the smallest */
        factor.limit = (factor.base - 1) * MATH_EXPONENT_ONE - 1;
    }
    return factor;
}

/* Returns a finite number times a factor, in Q16. */
static int32_t logit_of(uint32_t x, const struct ref_factor *factor) {
    int32_t magnitude = (int32_t)(x & MATH_MAGNITUDE);
    magnitude = magnitude < factor->limit ? magnitude : factor->limit;
    int32_t shift = factor->base - (magnitude >> 23);
    if (magnitude < MATH_EXPONENT_ONE) {
        return 0;
    }
    int32_t product = math_multiply_q31(math_mantissa_q30((uint32_t)magnitude), factor->mantissa);
    product >>= shift < 31 ? shift : 31;
    return (x ^ factor->bits) & MATH_SIGN ? -product : product;
}

int32_t ref_soft_max_sink(uint32_t sink) {
    struct ref_factor one = ref_soft_max_factor(0x3f800000);
    return logit_of(sink, &one);
}

/* Returns a product with NaN or infinity; 0 if there is none. */
static uint32_t special_product(uint32_t a, uint32_t b) {
    return math_is_special(a) || math_is_special(b) ? math_multiply_special(a, b) : 0;
}

/* Computes a logit. Returns false if it is NaN or infinity. */
static bool find_logit(const struct ref_soft_max_row *row, uint32_t i, int32_t *logit) {
    uint32_t mask = !row->mask    ? 0
                    : row->is_f16 ? math_f16_to_f32(((const uint16_t *)row->mask)[i])
                                  : ((const uint32_t *)row->mask)[i];
    uint32_t special = special_product(row->x[i], row->scale.bits);
    if (row->mask) {
        special = math_add_special(special, special_product(mask, row->slope.bits));
    }
    if (math_is_special(special)) {
        *logit = REF_SOFT_MAX_MASKED;
        return special == (MATH_INFINITY | MATH_SIGN);
    }
    *logit = logit_of(row->x[i], &row->scale) + (row->mask ? logit_of(mask, &row->slope) : 0);
    return true;
}

uint32_t ref_soft_max_term(int32_t distance, int32_t *w) {
    uint32_t k = (uint32_t)(distance >> 16); /* not negative, unless the host changes dst meanwhile */
    *w = math_exp2_negative_q15(distance >> 1 & 0x7fff);
    return (uint32_t)*w << 16 >> (k < 31 ? k : 31);
}

/* Returns 1 / sum in Q15: 16384..32767. */
static int32_t reciprocal_of(struct ref_soft_max_sum sum) {
    int32_t mantissa = (int32_t)(((uint32_t)math_reciprocal_q31(sum.mantissa) + 0x8000) >> 16);
    return mantissa < INT16_MAX ? mantissa : INT16_MAX;
}

static uint32_t probability(int32_t distance, struct ref_soft_max_sum sum, int32_t reciprocal) {
    int32_t w;
    (void)ref_soft_max_term(distance, &w);
    int32_t mantissa = math_multiply_q15(w, reciprocal); /* 1/4 up to 1 */
    bool is_low = mantissa < 16384;
    int32_t exponent = sum.exponent - (distance >> 16) - is_low;
    return exponent < 0 ? 0 : ((uint32_t)exponent << 23) + ((uint32_t)mantissa << (is_low ? 10 : 9));
}

static bool find_logits(int32_t *logits, const struct ref_soft_max_row *row) {
    for (uint32_t i = 0; i < row->n; i++) {
        if (!find_logit(row, i, &logits[i])) {
            return false;
        }
    }
    return !row->has_sink || !math_is_special(row->sink) || row->sink == (MATH_INFINITY | MATH_SIGN);
}

void ref_soft_max(uint32_t *dst, const struct ref_soft_max_row *row) {
    int32_t *logits = (int32_t *)dst, largest = REF_SOFT_MAX_MASKED, w;
    bool is_good = find_logits(logits, row), has_sink = row->has_sink && !math_is_special(row->sink);
    for (uint32_t i = 0; i < row->n && is_good; i++) {
        largest = logits[i] > largest ? logits[i] : largest;
    }
    int32_t sink = has_sink ? ref_soft_max_sink(row->sink) : REF_SOFT_MAX_MASKED;
    largest = sink > largest ? sink : largest;
    if (!is_good || largest == REF_SOFT_MAX_MASKED) {
        for (uint32_t i = 0; i < row->n; i++) {
            dst[i] = MATH_NAN;
        }
        return;
    }
    /* saturates, since the host may change dst meanwhile */
    largest = math_add_saturating(largest, REF_SOFT_MAX_TERM_SHIFT << 16);
    uint64_t sum = has_sink ? ref_soft_max_term(math_add_saturating(largest, -sink), &w) : 0;
    for (uint32_t i = 0; i < row->n; i++) {
        logits[i] = math_add_saturating(largest, logits[i] == INT32_MIN ? INT32_MAX : -logits[i]);
        sum += ref_soft_max_term(logits[i], &w);
    }
    struct ref_soft_max_sum normal = ref_soft_max_normal(sum);
    int32_t reciprocal = reciprocal_of(normal);
    for (uint32_t i = 0; i < row->n; i++) {
        dst[i] = probability(logits[i], normal, reciprocal);
    }
}

struct ref_soft_max_row ref_soft_max_row_at(const struct phx_call *call, struct phx_at at, struct ref_factor scale) {
    const struct phx_operand *mask = call->src[1], *sinks = call->src[2], *slopes = call->src[3];
    struct ref_soft_max_row row = {.x = (const uint32_t *)phx_row(call->src[0], at), .n = call->dst[0]->view.ne[0]};
    row.scale = scale;
    if (mask) {
        row.mask = phx_row(mask, at);
        row.is_f16 = mask->view.dtype == PHX_F16;
        row.slope = ref_soft_max_factor(slopes ? *(const uint32_t *)phx_row(slopes, at) : 0x3f800000);
    }
    if (sinks) {
        row.has_sink = true;
        row.sink = *(const uint32_t *)phx_row(sinks, at);
    }
    return row;
}

uint32_t phx_soft_max_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0];
    struct ref_factor scale = ref_soft_max_factor(*(const uint32_t *)call->params);
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    for (uint32_t i = slice->first_row; i < slice->end_row; i++) {
        struct ref_soft_max_row row = ref_soft_max_row_at(call, at, scale);
        ref_soft_max((uint32_t *)phx_row(dst, at), &row);
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
