/* SPDX-License-Identifier: MIT
 *
 * A row of NORM beside its vectors: docs/math.md, 18. dsp/hvx uses these too.
 *
 * A row goes through its result: first x as integers relative to the row's largest, then what comes of these.
 */
#ifndef PHX_REF_NORM_H
#define PHX_REF_NORM_H

#include <stdbool.h>

#include "math/bits.h"
#include "rms_norm.h"

#define REF_NORM_CUT 2 /* bits of to_i32(x, E) */

/* sum / n to the nearest integer, half up. |sum| is at most n * 2^29. */
int32_t ref_norm_mean(int64_t sum, const struct ref_norm *norm);

/* What makes a number of an integer: |v - mean| << shift, times a weight's mantissa and `scale`, has this exponent with
 * that of the weight added. */
struct ref_normed {
    int32_t mean;
    int32_t shift;    /* makes the largest distance 2^30 or more */
    int32_t scale;    /* Q31 */
    int32_t exponent; /* of pack_parts() in Q29; a number, not in its place */
};

/* By how much distances can be shifted to the left; anything will do where all are 0. */
static inline int32_t ref_norm_shift(uint32_t largest) {
    return largest ? __builtin_clz(largest) - 1 : REF_NORM_CUT;
}

/* The distance of an integer from the mean, shifted. It wraps round if the host changes the result meanwhile. */
static inline int32_t ref_norm_distance(uint32_t v, const struct ref_normed *normed) {
    return (int32_t)((v - (uint32_t)normed->mean) << normed->shift);
}

/* sum: of the squares of round(distance << shift >> 16). False where 0 / 0 is to come. */
bool ref_norm_scale(struct ref_normed *normed, uint64_t sum, const struct ref_norm *norm, int32_t exponent);

/* What goes with a row. A step is 1, or 0 for one element. */
struct ref_affine {
    const uint32_t *weight, *bias; /* bias may be NULL */
    uint32_t weight_step, bias_step;
};

/* Makes a number, without the bias, of the integer that dst[i] holds. */
void ref_norm_element(uint32_t *dst, uint32_t i, const struct ref_affine *affine, const struct ref_normed *normed);

/* A whole row by the definition. dst may be x. */
void ref_norm_row(uint32_t *dst, const uint32_t *x, const struct ref_affine *affine, const struct ref_norm *norm);

/* Adds the bias where it or dst is NaN or infinite, and nowhere else. */
void ref_norm_special_biases(uint32_t *dst, uint32_t n, const struct ref_affine *affine);

/* NaN. */
void ref_norm_fill(uint32_t *dst, uint32_t n);

#endif
