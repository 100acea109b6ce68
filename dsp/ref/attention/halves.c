/* SPDX-License-Identifier: MIT
 *
 * Attention over an F16 cache: docs/attention.md, 7. Codes are int16 relative to the exponent of a token; those of
 * values are stored as two bytes. q and the weights have 15 bits, as a high and a low byte; weights are doubled.
 */
#include "quantise.h"
#include "row.h"

#define TILE_VECTORS 32 /* per 32 dims */

/* Returns the high byte such that the low byte is -128..127. */
static int32_t high_byte(int32_t x) {
    return (x + 128) >> 8;
}

static int32_t low_byte(int32_t x) {
    return x - 256 * high_byte(x);
}

static void read_query(struct ref_row *row, const uint32_t *x, int32_t exponent) {
    for (uint32_t i = 0; i < row->op->cache.n_dims; i++) {
        row->q[i] = (int16_t)ref_half(x[i], exponent, 17);
    }
}

static int32_t product(const struct ref_row *row, const uint8_t *tile, uint32_t token) {
    uint32_t high = 0, low = 0, n_dims = row->op->cache.n_dims;
    int32_t up = phx_halves_up(row->op->cache.n_blocks);
    for (uint32_t i = 0; i < n_dims; i++) {
        const uint8_t *vector = tile + (1 + i / 2 * 2 + token / 32) * PHX_VECTOR;
        int32_t code = ref_lane(vector, token % 32 * 2 + i % 2);
        high += (uint32_t)(code * high_byte(row->q[i]));
        low += (uint32_t)(code * low_byte(row->q[i]));
    }
    return (int32_t)((high << up) + (uint32_t)((int32_t)low >> (8 - up)));
}

/* Returns how far the weight times the value is below 1, in powers of two. size: the value's exponent. */
static int32_t key(struct ref_weight weight, int32_t size) {
    return weight.is_visible ? ref_saturated_i16(weight.k - size) : INT16_MAX;
}

/* Adds a tile's products. Bytes of codes are unsigned; the biases hold the resulting offset, 16 times. The product of
 * two low bytes is omitted; the biases contain the low byte of a weight times 128, the mean of a code's low byte. */
static void add_products(const struct phx_cache *cache, const uint8_t *values, uint32_t block,
                         const struct ref_weight *weights, int32_t n, int32_t reference, struct ref_sums *sums) {
    const uint8_t *codes = values + (1 + TILE_VECTORS * block) * PHX_VECTOR;
    int32_t high[PHX_BLOCK] = {0}, low[PHX_BLOCK] = {0}, high_weights[16] = {0}, low_weights[16] = {0};
    (void)cache;
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        uint32_t lane = phx_cache_lane(token);
        /* not negative, unless the host changes the cache meanwhile */
        uint32_t shift = (uint32_t)ref_saturated_i16(key(weights[token], ref_lane(values, lane)) - n);
        int32_t weight = ((weights[token].w >> (shift < 15 ? shift : 15)) + 1) & ~1;
        const uint8_t *bytes = codes + lane / 4 * 2 * PHX_VECTOR + lane % 4;
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            int32_t code_high = bytes[4 * i], code_low = bytes[PHX_VECTOR + 4 * i];
            high[i] += code_high * high_byte(weight);
            low[i] += code_high * low_byte(weight) + code_low * high_byte(weight);
        }
        high_weights[lane / 4] += high_byte(weight);
        low_weights[lane / 4] += low_byte(weight);
    }
    int32_t shift = n - reference < 31 ? n - reference : 31;
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        sums->products[i] += (uint32_t)((high[i] * 256 + low[i]) >> shift);
    }
    for (uint32_t i = 0; i < 16; i++) {
        sums->biases[i] += (uint32_t)(high_weights[i] * (1 << 19) >> shift);
        sums->biases[i] += (uint32_t)(low_weights[i] * (255 << 3) >> shift);
    }
}

const struct ref_kind ref_kind_of_halves = {true, 0, PHX_HALVES_MAX_N, 0, read_query, product, key, add_products};
