/* SPDX-License-Identifier: MIT
 *
 * What is read of a unit: one GGUF block, or 32 floats. The types' scales and codes, each a small function that repack.c
 * takes into a loop of its own.
 */
#ifndef PHX_NATIVE_UNITS_H
#define PHX_NATIVE_UNITS_H

#include <math.h>
#include <string.h>
#include "formats/tiles.h"

#define ROWS PHX_TILE_ROWS
#define LANES (ROWS / 2) /* words of a vector */
#define UNIT_INLINE static inline __attribute__((always_inline))

/* The rows of idl/types.h, here as constants, so that what they say is known when a type's loop is compiled. */
#define TYPE(name, ...) static const struct phx_weight_type type_##name __attribute__((unused)) = {__VA_ARGS__};
#include "../idl/types.h"
#undef TYPE

typedef uint32_t words[ROWS];   /* a word of every row */
typedef uint32_t vector[LANES]; /* 128 bytes of a tile */

/* The scale of a unit, or what its small ones multiply, and its minimum where the type has minimums. */
typedef void scales_function(const uint8_t *block, double *d, double *m);
/* Its codes: of all rows at once. d has a scale for each row of a float type, 0 where the row has NaN or infinity. */
typedef void codes_function(const uint8_t *const block[ROWS], const double *d, vector *out);

UNIT_INLINE uint16_t load16(const uint8_t *at) {
    uint16_t half;
    memcpy(&half, at, sizeof(half));
    return half;
}

UNIT_INLINE uint32_t load32(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

UNIT_INLINE float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* A float16. No arithmetic on subnormal numbers, which CPUs take a hundred cycles for. */
UNIT_INLINE float half_of(uint16_t half) {
    uint32_t magnitude = half & 0x7fff, bias = 112u << 23; /* what the exponents' biases differ by */
    uint32_t bits = (magnitude << 13) + bias + (magnitude >= 0x7c00 ? bias : 0);
    float x = magnitude < 0x400 ? (float)magnitude * 0x1p-24f : float_of(bits);
    return half & 0x8000 ? -x : x;
}

/* To the nearest integer, ties to even; |x| < 2^51. */
UNIT_INLINE int32_t rounded(double x) {
    return (int32_t)((x + 0x1.8p52) - 0x1.8p52);
}

UNIT_INLINE void floats_of_f16(const uint8_t *block, float *x) {
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        x[i] = half_of(load16(block + 2 * i));
    }
}

UNIT_INLINE void floats_of_bf16(const uint8_t *block, float *x) {
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        x[i] = float_of((uint32_t)load16(block + 2 * i) << 16);
    }
}

/* round(x / d) of 32 floats, d being a power of two or 0. */
UNIT_INLINE void round_floats(const float *x, double d, int16_t *codes) {
    double inverse = d != 0 ? 1 / d : 0;
    if (d == 0) { /* and what is multiplied may be NaN */
        memset(codes, 0, PHX_BLOCK * sizeof(*codes));
    } else if (inverse < 0x1p127) {
        float factor = (float)inverse;
        for (uint32_t i = 0; i < PHX_BLOCK; i++) { /* exact: what underflows rounds to 0 anyway */
            codes[i] = (int16_t)(int32_t)((x[i] * factor + 0x1.8p23f) - 0x1.8p23f);
        }
    } else {
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            codes[i] = (int16_t)rounded(x[i] * inverse);
        }
    }
}

/* `count` words from byte `first` on of each row's unit. */
UNIT_INLINE void gather(const uint8_t *const block[ROWS], uint32_t first, uint32_t count, words *out) {
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t j = 0; j < count; j++) {
            out[j][row] = load32(block[row] + first + 4 * j);
        }
    }
}

#endif
