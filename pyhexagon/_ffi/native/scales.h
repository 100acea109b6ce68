/* SPDX-License-Identifier: MIT
 *
 * The scales and minimums of GGUF's blocks.
 */
#ifndef PHX_NATIVE_SCALES_H
#define PHX_NATIVE_SCALES_H

#include "units.h"

UNIT_INLINE void scales_half_first(const uint8_t *block, double *d, double *m) {
    (void)m;
    d[0] = half_of(load16(block));
}

/* d * code + m is d * (code - centre) + (m + centre * d). */
UNIT_INLINE void scales_centred(const uint8_t *block, int centre, double *d, double *m) {
    d[0] = half_of(load16(block));
    m[0] = half_of(load16(block + 2)) + centre * d[0];
}

UNIT_INLINE void scales_q4_1(const uint8_t *block, double *d, double *m) {
    scales_centred(block, type_Q4_1.centre, d, m);
}

UNIT_INLINE void scales_q5_1(const uint8_t *block, double *d, double *m) {
    scales_centred(block, type_Q5_1.centre, d, m);
}

UNIT_INLINE void scales_q2_k(const uint8_t *block, double *d, double *m) {
    d[0] = half_of(load16(block + 80));
    m[0] = half_of(load16(block + 82));
}

UNIT_INLINE void scales_q3_k(const uint8_t *block, double *d, double *m) {
    (void)m;
    d[0] = half_of(load16(block + 108));
}

/* Minimums are added to what the DSP sums. */
UNIT_INLINE void scales_q4_k(const uint8_t *block, double *d, double *m) {
    d[0] = half_of(load16(block));
    m[0] = -half_of(load16(block + 2));
}

UNIT_INLINE void scales_q6_k(const uint8_t *block, double *d, double *m) {
    (void)m;
    d[0] = half_of(load16(block + 208));
}

/* Half of what the byte says, since MXFP4's table is doubled. */
UNIT_INLINE void scales_mxfp4(const uint8_t *block, double *d, double *m) {
    (void)m;
    uint64_t bits = (uint64_t)(1023 - 128 + block[0]) << 52;
    memcpy(d, &bits, sizeof(bits));
}

/* 2^(W - 12) with W the frexp exponent of the largest magnitude, whose bits are given; not finite if that is not. */
UNIT_INLINE double scale_of_top(uint32_t bits) {
    if (bits >= 0x7f800000) {
        return INFINITY;
    }
    int exponent = (int)(bits >> 23) - 126;
    if (bits < 0x00800000) {
        frexpf(float_of(bits), &exponent);
    }
    uint64_t power = (uint64_t)(1023 + exponent - 12) << 52;
    double scale;
    memcpy(&scale, &power, sizeof(scale));
    return bits ? scale : 0.0;
}

/* That, or a half or a quarter of it: as small as lets no sum of products with activations leave int32. */
UNIT_INLINE double scale_of_floats(const float *x, uint32_t top) {
    double d = scale_of_top(top);
    if (top >= 0x7f800000) {
        return d;
    }
    int16_t codes[PHX_BLOCK];
    int32_t sum = 0;
    round_floats(x, d, codes);
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        sum += codes[i] < 0 ? -codes[i] : codes[i];
    }
    return sum <= 32768 - 32 ? d / 4 : sum <= 65536 - 32 ? d / 2 : d;
}

/* Largest magnitudes are found on the bits, where NaN is above infinity. */

UNIT_INLINE void scales_f32(const uint8_t *block, double *d, double *m) {
    float x[PHX_BLOCK];
    int32_t top = 0;
    (void)m;
    memcpy(x, block, sizeof(x));
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        int32_t bits = (int32_t)(load32(block + 4 * i) & 0x7fffffff);
        top = bits > top ? bits : top;
    }
    d[0] = scale_of_floats(x, (uint32_t)top);
}

UNIT_INLINE uint16_t top_of_halves(const uint8_t *block) {
    int16_t top = 0;
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        int16_t bits = (int16_t)(load16(block + 2 * i) & 0x7fff);
        top = bits > top ? bits : top;
    }
    return (uint16_t)top;
}

UNIT_INLINE void scales_f16(const uint8_t *block, double *d, double *m) {
    float x[PHX_BLOCK], top = half_of(top_of_halves(block));
    uint32_t bits;
    (void)m;
    floats_of_f16(block, x);
    memcpy(&bits, &top, sizeof(bits));
    d[0] = scale_of_floats(x, bits);
}

UNIT_INLINE void scales_bf16(const uint8_t *block, double *d, double *m) {
    float x[PHX_BLOCK];
    (void)m;
    floats_of_bf16(block, x);
    d[0] = scale_of_floats(x, (uint32_t)top_of_halves(block) << 16);
}

#endif
