/* SPDX-License-Identifier: MIT
 *
 * SOFT_MAX, row by row: docs/math.md, SOFT_MAX.
 */
#ifndef PHX_REF_SOFT_MAX_H
#define PHX_REF_SOFT_MAX_H

#include <stdbool.h>

#include "ops/op.h"

#define REF_SOFT_MAX_MASKED INT32_MIN /* the logit of what is masked; all others are within +-2^30 */

/* What numbers are multiplied with to make logits. */
struct ref_factor {
    uint32_t bits;    /* as float32 */
    int32_t mantissa; /* times log2(e), in Q30: 2^30 up to 2^31; or 0 */
    int32_t base;     /* a product of 31 bits is shifted by base less the number's exponent field */
    int32_t limit;    /* larger magnitudes count as this one */
};

struct ref_factor ref_soft_max_factor(uint32_t bits);

/* What a row is made of. */
struct ref_soft_max_row {
    const uint32_t *x;
    const void *mask; /* NULL: there is none */
    uint32_t n;
    bool is_f16; /* the mask */
    bool has_sink;
    uint32_t sink;
    struct ref_factor scale, slope;
};

struct ref_soft_max_row ref_soft_max_row_at(const struct phx_call *call, struct phx_at at, struct ref_factor scale);

/* By the definition. dst is apart from all else. */
void ref_soft_max(uint32_t *dst, const struct ref_soft_max_row *row);

/* A finite sink as a logit. */
int32_t ref_soft_max_sink(uint32_t sink);

/* Added to the largest logit, so that a distance from it has in its upper half by how much 2^16 w is shifted in a sum. */
#define REF_SOFT_MAX_TERM_SHIFT 3

/* w / 2^15 / 2^k of an exponential in Q28: k + 3 is the upper half of the distance. */
uint32_t ref_soft_max_term(int32_t distance, int32_t *w);

/* A sum as mantissa * 2^.., 2^30 up to 2^31; and what k + 3 is subtracted from to give a result's exponent field less 1. */
struct ref_soft_max_sum {
    int32_t mantissa;
    int32_t exponent;
};

static inline struct ref_soft_max_sum ref_soft_max_normal(uint64_t sum) {
    int32_t leading = __builtin_clzll(sum);
    /* 1 / sum is 2^(leading - 35) / mantissa; of what is 1/2 up to 1, the field is 126 */
    return (struct ref_soft_max_sum){(int32_t)(sum << leading >> 33), 126 + leading - 35 + REF_SOFT_MAX_TERM_SHIFT - 1};
}

#endif
