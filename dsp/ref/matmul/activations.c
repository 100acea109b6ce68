/* SPDX-License-Identifier: MIT
 *
 * Quantizes activations to integers with a scale per 32, from the bits of the floats: docs/arithmetic.md, 1. The step
 * numbers below are those of the page. tests/fuzz/test_bounds.py tries every value of `a` against the bounds stated
 * here.
 */
#include "activations.h"

#include "runtime/libc.h"
#include "fixed.h"
#include "tiles.h"

#define EXPONENT_NAN 255 /* NaN and infinity */
#define EXPONENT_MIN 32  /* blocks below 2^-95 count as zero */

/* Loads one block as float bits, zero-padded past the end of the row. */
static void load_block(uint32_t bits[PHX_BLOCK], const uint8_t *x, uint32_t k, uint32_t block) {
    uint32_t first = block * PHX_BLOCK;
    uint32_t n_elems = k - first < PHX_BLOCK ? k - first : PHX_BLOCK;
    if (n_elems < PHX_BLOCK) {
        memset(bits, 0, PHX_BLOCK * sizeof(uint32_t));
    }
    memcpy(bits, x + (size_t)first * sizeof(uint32_t), n_elems * sizeof(uint32_t));
}

static uint32_t largest_exponent(const uint32_t bits[PHX_BLOCK]) {
    uint32_t largest = 0;
    for (int i = 0; i < PHX_BLOCK; i++) {
        uint32_t exponent = bits[i] >> 23 & 0xff;
        largest = exponent > largest ? exponent : largest;
    }
    return largest;
}

/* Step 2: converts to 15 bits and sign, relative to the block's exponent. */
static void align(int32_t xi[PHX_BLOCK], const uint32_t bits[PHX_BLOCK], uint32_t exponent) {
    for (int i = 0; i < PHX_BLOCK; i++) {
        uint32_t shift = exponent - (bits[i] >> 23 & 0xff) + 9;
        int32_t magnitude = (int32_t)(((bits[i] & 0x7fffff) | 0x800000) >> (shift < 31 ? shift : 31));
        xi[i] = bits[i] >> 31 ? -magnitude : magnitude;
    }
}

static int32_t largest_magnitude(const int32_t xi[PHX_BLOCK]) {
    int32_t largest = 0;
    for (int i = 0; i < PHX_BLOCK; i++) {
        int32_t magnitude = xi[i] < 0 ? -xi[i] : xi[i];
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* Step 5: returns R, about 127 * 2^22 / a, for a = 16384..32767. */
static int32_t reciprocal(int32_t a) {
    int32_t z = 23130 - mpyr(a - 24576, 30840);
    for (int step = 0; step < 2; step++) {
        z = sat16(z + mpyr(z, 2 * (16384 - mpyr(a, z))));
    }
    return mpyr(z, 32512);
}

/* Steps 2 to 7 for one block: computes q and da. */
static void quantise_block(const uint32_t bits[PHX_BLOCK], uint32_t row_exponent, int16_t *q, int16_t *da) {
    uint32_t exponent = largest_exponent(bits);
    if (exponent < EXPONENT_MIN) {
        memset(q, 0, PHX_BLOCK * sizeof(int16_t));
        *da = 0;
        return;
    }
    int32_t xi[PHX_BLOCK];
    align(xi, bits, exponent);
    int32_t a = largest_magnitude(xi);
    int32_t r = reciprocal(a);
    for (int i = 0; i < PHX_BLOCK; i++) {
        q[i] = (int16_t)((mpyr(xi[i], r) + 64) >> 7);
    }
    int32_t v = mpyr(a, 16513);
    uint32_t shift = row_exponent - exponent < 31 ? row_exponent - exponent : 31;
    *da = (int16_t)((((v << 1) >> shift) + 1) >> 1);
}

/* For float weights, whose products are shifted: computes q and, in place of da, how far. */
static void quantise_wide_block(const uint32_t bits[PHX_BLOCK], uint32_t row_exponent, uint32_t ds, int16_t *q,
                                int16_t *shift) {
    uint32_t top = row_exponent < EXPONENT_MIN ? PHX_TINY_EXPONENT : row_exponent;
    uint32_t least = top - phx_wide_range(ds), exponent = largest_exponent(bits);
    exponent = exponent > least ? exponent : least;
    int32_t xi[PHX_BLOCK];
    align(xi, bits, exponent);
    for (int i = 0; i < PHX_BLOCK; i++) {
        q[i] = (int16_t)((xi[i] + 2) >> 2);
    }
    *shift = (int16_t)(top - exponent + ds + PHX_WIDE_SHIFT);
}

/* Step 8 for one scale block. */
static int16_t scaled_sum(const int16_t *q, uint32_t n_q, int16_t da) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < n_q; i++) {
        sum += q[i];
    }
    return (int16_t)rsh(da * sum, 11);
}

uint32_t ref_row_form(const struct phx_weight_type *type) {
    return type->is_float ? 0 : type->minimums == PHX_NO_MINIMUMS ? 1 : 1 + type->scales_per_block;
}

_Static_assert(REF_PART_BYTES >= PHX_PART_BLOCKS * (3 + PHX_BLOCK) * sizeof(int16_t), "what a part takes");
_Static_assert(REF_PART_BYTES % PHX_VECTOR == 0, "whole vectors");

/* Returns Et of the whole row. */
static uint32_t find_row_exponent(const struct phx_matmul *mm, const uint8_t *x) {
    uint32_t bits[PHX_BLOCK], row_exponent = 0;
    for (uint32_t block = 0; block < mm->n_blocks; block++) {
        load_block(bits, x, mm->k, block);
        uint32_t exponent = largest_exponent(bits);
        row_exponent = exponent > row_exponent ? exponent : row_exponent;
    }
    return row_exponent;
}

void ref_quantise(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *to) {
    struct ref_row *row = to;
    const struct phx_weight_type *type = &phx_weight_types[mm->dtype];
    uint32_t k_per_scale = PHX_BLOCK / type->scales_per_block;
    uint32_t block = first * PHX_PART_BLOCKS;
    uint32_t end = last * PHX_PART_BLOCKS < mm->n_blocks ? last * PHX_PART_BLOCKS : mm->n_blocks;
    int16_t *da = (int16_t *)(row + 1);
    int16_t *t = da + mm->n_blocks + block * type->scales_per_block;
    int16_t *q = da + 3 * mm->n_blocks + block * PHX_BLOCK;
    uint32_t row_exponent = find_row_exponent(mm, x);
    if (first == 0) {
        row->exponent = (int32_t)row_exponent;
        row->is_nan = row_exponent == EXPONENT_NAN;
    }
    if (row_exponent == EXPONENT_NAN) {
        return;
    }
    for (; block < end; block++) {
        uint32_t bits[PHX_BLOCK];
        load_block(bits, x, mm->k, block);
        if (type->is_float) {
            quantise_wide_block(bits, row_exponent, mm->ds, q, da + block);
        } else {
            quantise_block(bits, row_exponent, q, da + block);
        }
        for (uint32_t k = 0; k < PHX_BLOCK && type->minimums != PHX_NO_MINIMUMS; k += k_per_scale) {
            *t++ = scaled_sum(q + k, k_per_scale, da[block]);
        }
        q += PHX_BLOCK;
    }
}
