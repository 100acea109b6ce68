/* SPDX-License-Identifier: MIT
 *
 * SOFT_MAX per row: docs/math.md, SOFT_MAX.
 */
#ifndef PHX_REF_SOFT_MAX_H
#define PHX_REF_SOFT_MAX_H

#include <stdbool.h>

#include "ops/op.h"

#define REF_SOFT_MAX_MASKED INT32_MIN /* logit of a masked element; all others are within +-2^30 */

/* A factor that converts numbers to logits. */
struct ref_factor {
    uint32_t bits;    /* as float32 */
    int32_t mantissa; /* times log2(e), in Q30: 2^30 up to 2^31; or 0 */
    int32_t base;     /* a 31-bit product is shifted right by base minus the number's exponent field */
    int32_t limit;    /* larger magnitudes are clamped to it */
};

struct ref_factor ref_soft_max_factor(uint32_t bits);

/* The operands of a row. */
struct ref_soft_max_row {
    const uint32_t *x;
    const void *mask; /* NULL: no mask */
    uint32_t n;
    bool is_f16; /* type of the mask */
    bool has_sink;
    uint32_t sink;
    struct ref_factor scale, slope;
};

struct ref_soft_max_row ref_soft_max_row_at(const struct phx_call *call, struct phx_at at, struct ref_factor scale);

/* Computes a row by definition, with any numbers. dst must not overlap the operands. */
void ref_soft_max(uint32_t *dst, const struct ref_soft_max_row *row);

/* Returns a finite sink as a logit. */
int32_t ref_soft_max_sink(uint32_t sink);

/* Added to the largest logit, so that the upper half of a distance from it is the shift of 2^16 w in a sum. */
#define REF_SOFT_MAX_TERM_SHIFT 3

/* Returns w / 2^15 / 2^k of an exponential in Q28: k + 3 is the upper half of the distance. */
uint32_t ref_soft_max_term(int32_t distance, int32_t *w);

/* A sum as a mantissa of 2^30 up to 2^31 times a power of two, and the number from which k + 3 is subtracted to give a
 * result's exponent field minus 1. */
struct ref_soft_max_sum {
    int32_t mantissa;
    int32_t exponent;
};

static inline struct ref_soft_max_sum ref_soft_max_normal(uint64_t sum) {
    int32_t leading = __builtin_clzll(sum);
    /* 1 / sum is 2^(leading - 35) / mantissa; for 1/2 up to 1, the exponent field is 126 */
    return (struct ref_soft_max_sum){(int32_t)(sum << leading >> 33), 126 + leading - 35 + REF_SOFT_MAX_TERM_SHIFT - 1};
}

#endif
