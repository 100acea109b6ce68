/* SPDX-License-Identifier: MIT
 *
 * RMS_NORM per row: docs/math.md, 8. dsp/hvx uses these functions, too, since a row has a single scale.
 */
#ifndef PHX_REF_RMS_NORM_H
#define PHX_REF_RMS_NORM_H

#include <stdint.h>

/* mantissa * 2^exponent, the mantissa in Q31, 2^30..2^31 - 1. */
struct ref_scale {
    int32_t mantissa;
    int32_t exponent;
};

/* Returns 1 / n for rows of n elements; exact for powers of two. */
struct ref_scale ref_rms_norm_reciprocal(uint32_t n);

/* A mean or sum of squares whose root is taken: square in Q29, 2^29 up to 2^31, times 2^(-2 * exponent). */
struct ref_square {
    int32_t square;
    int32_t exponent;
};

/* Returns sum / n + eps. sum: of the squares of math_magnitude_u16(x, exponent). eps: the bits of a float32, finite and
 * not negative. The square is 0 if both are 0; the result is then 0 / 0. */
struct ref_square ref_rms_norm_mean(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);

/* Returns the larger of sum and eps^2, for L2_NORM. Ignores reciprocal. */
struct ref_square ref_l2_norm_square(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);

/* Parameters common to all rows of a call. `square` computes the square from a row's sum. */
struct ref_norm {
    uint32_t n;
    uint32_t eps;
    struct ref_scale reciprocal;
    struct ref_square (*square)(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);
};

/* Computes a whole row by definition, with any numbers. weight_step: 1, or 0 to broadcast one element. dst may be x. */
void ref_rms_norm_row(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                      const struct ref_norm *norm);

/* Computes rows of RMS_NORM or L2_NORM. */
struct phx_call;
struct phx_slice;
void ref_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

/* Computes the elements with NaN or infinite weights in a row of finite numbers, and leaves all others unchanged. */
void ref_rms_norm_special_weights(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                                  uint32_t n);

#endif
