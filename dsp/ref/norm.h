/* SPDX-License-Identifier: MIT
 *
 * NORM per row: docs/math.md, 18. dsp/hvx uses these functions, too.
 *
 * The result row first holds x as integers relative to the row's largest magnitude, then the results computed from
 * them.
 */
#ifndef PHX_REF_NORM_H
#define PHX_REF_NORM_H

#include <stdbool.h>

#include "math/bits.h"
#include "rms_norm.h"

#define REF_NORM_CUT 2 /* low bits of to_i32(x, E) that are dropped */

/* Returns sum / n, rounded to the nearest integer, half up. |sum| is at most n * 2^29. */
int32_t ref_norm_mean(int64_t sum, const struct ref_norm *norm);

/* Converts integers to numbers: |v - mean| << shift, times a weight's mantissa and `scale`, has this exponent plus that
 * of the weight. */
struct ref_normed {
    int32_t mean;
    int32_t shift;    /* makes the largest distance at least 2^30 */
    int32_t scale;    /* Q31 */
    int32_t exponent; /* of math_pack_parts() in Q29; a plain number, not in bits 23..30 */
};

/* Returns the left shift of distances; any result is valid if all distances are 0. */
static inline int32_t ref_norm_shift(uint32_t largest) {
    return largest ? __builtin_clz(largest) - 1 : REF_NORM_CUT;
}

/* Returns the shifted distance of an integer from the mean. It wraps if the host changes the result meanwhile. */
static inline int32_t ref_norm_distance(uint32_t v, const struct ref_normed *normed) {
    return (int32_t)((v - (uint32_t)normed->mean) << normed->shift);
}

/* Computes the scale. sum: of the squares of round(distance << shift >> 16). Returns false for 0 / 0. */
bool ref_norm_scale(struct ref_normed *normed, uint64_t sum, const struct ref_norm *norm, int32_t exponent);

/* Weight and bias of a row. A step is 1, or 0 to broadcast one element. */
struct ref_affine {
    const uint32_t *weight, *bias; /* bias may be NULL */
    uint32_t weight_step, bias_step;
};

/* Converts the integer in dst[i] to a number, without the bias. */
void ref_norm_element(uint32_t *dst, uint32_t i, const struct ref_affine *affine, const struct ref_normed *normed);

/* Computes a whole row by definition, with any numbers. dst may be x. */
void ref_norm_row(uint32_t *dst, const uint32_t *x, const struct ref_affine *affine, const struct ref_norm *norm);

/* Adds the bias where the bias or dst is NaN or infinite, and nowhere else. */
void ref_norm_special_biases(uint32_t *dst, uint32_t n, const struct ref_affine *affine);

/* Fills a row with NaN. */
void ref_norm_fill(uint32_t *dst, uint32_t n);

#endif
