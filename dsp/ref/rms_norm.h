/* SPDX-License-Identifier: MIT
 *
 * A row of RMS_NORM beside its vectors: docs/math.md, 8. dsp/hvx uses these too: a row has one scale.
 */
#ifndef PHX_REF_RMS_NORM_H
#define PHX_REF_RMS_NORM_H

#include <stdint.h>

/* mantissa * 2^exponent, the mantissa in Q31, 2^30..2^31 - 1. */
struct ref_scale {
    int32_t mantissa;
    int32_t exponent;
};

/* 1 / n for rows of n elements; exact for powers of two. */
struct ref_scale ref_rms_norm_reciprocal(uint32_t n);

/* A square to take the root of: square in Q29, 2^29 up to 2^31, times 2^(-2 * exponent). */
struct ref_square {
    int32_t square;
    int32_t exponent;
};

/* sum / n + eps. sum: of the squares of math_magnitude_u16(x, exponent). eps: the bits of a float32, finite and not
 * negative. If both are 0, the square is: 0 / 0 is to come. */
struct ref_square ref_rms_norm_mean(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);

/* Likewise the larger of sum and eps^2: L2_NORM's. reciprocal is not used. */
struct ref_square ref_l2_norm_square(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);

/* What all rows of a call have in common. `square` makes one of a row's sum. */
struct ref_norm {
    uint32_t n;
    uint32_t eps;
    struct ref_scale reciprocal;
    struct ref_square (*square)(uint64_t sum, struct ref_scale reciprocal, int32_t exponent, uint32_t eps);
};

/* A whole row by the definition. weight_step: 1, or 0 for one element. dst may be x. */
void ref_rms_norm_row(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                      const struct ref_norm *norm);

/* Rows of RMS_NORM or L2_NORM. */
struct phx_call;
struct phx_slice;
void ref_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm);

/* The elements of a row of finite numbers whose weights are NaN or infinite; no other is written. */
void ref_rms_norm_special_weights(uint32_t *dst, const uint32_t *x, const uint32_t *weight, uint32_t weight_step,
                                  uint32_t n);

#endif
