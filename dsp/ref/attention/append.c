/* SPDX-License-Identifier: MIT
 *
 * A token's key and value into the tiles of its page: docs/attention.md, 2. Nothing but the token's own bytes is
 * written, and they depend on it alone.
 */
#include "append.h"

#include "quantise.h"
#include "runtime/libc.h"

/* The floats of a head, and zeros up to n_dims. */
static void read_floats(const uint8_t *from, uint32_t width, uint32_t n_dims, uint32_t *to) {
    memset(to, 0, n_dims * sizeof(*to));
    memcpy(to, from, width * sizeof(*to));
}

/* 256 * log2 of a value's magnitude, at least, and less than 2 too much. */
int32_t ref_value_size(int32_t largest) {
    int32_t x = (largest & 0x7fffff) >> 8; /* of 1 + x, Q15 */
    int32_t curve = 14507 - (x * (8105 - (x * 2730 >> 15)) >> 15);
    int32_t log2 = x + ((x * (32768 - x) >> 15) * curve >> 15);
    return 256 * ((ref_exponent(largest) >> 23) - 127) + (log2 >> 7) + 1;
}

static void store_i16(uint8_t *vector, uint32_t lane, int32_t value) {
    int16_t half = (int16_t)value;
    memcpy(vector + lane * sizeof(half), &half, sizeof(half));
}

static void append_key(const struct phx_cache *cache, const uint32_t *x, int32_t largest, bool is_special,
                       uint32_t position, uint8_t *tile) {
    uint32_t lane = phx_cache_lane(position), token = position % PHX_TILE_ROWS;
    int32_t exponent = ref_exponent(largest);
    store_i16(tile, lane, is_special ? PHX_CACHE_SPECIAL : exponent >> 23);
    uint8_t *at = tile + PHX_VECTOR;
    for (uint32_t block = 0; block < cache->n_blocks; block++) {
        int8_t q[PHX_BLOCK];
        int32_t scale = ref_quantise(x + block * PHX_BLOCK, exponent, q);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            at[(i / 4 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4] = (uint8_t)(q[i] + 128);
        }
        store_i16(at + 16 * PHX_VECTOR, lane, (scale + 1) >> 1);
        at += 17 * PHX_VECTOR;
    }
}

static void append_value(const struct phx_cache *cache, const uint32_t *x, int32_t largest, uint32_t position,
                         uint8_t *tile) {
    uint32_t lane = phx_cache_lane(position);
    store_i16(tile, lane, ref_value_size(largest));
    uint8_t *codes = tile + (1 + cache->n_blocks) * PHX_VECTOR;
    for (uint32_t block = 0; block < cache->n_blocks; block++) {
        int8_t q[PHX_BLOCK];
        int32_t scale = ref_quantise(x + block * PHX_BLOCK, ref_exponent(largest), q);
        store_i16(tile + (1 + block) * PHX_VECTOR, lane, scale);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            codes[(block * 16 + lane / 4) * PHX_VECTOR + i * 4 + lane % 4] = (uint8_t)(q[i] + 128);
        }
    }
}

void ref_append(const struct phx_cache *cache, const struct phx_token *token) {
    uint32_t x[PHX_CACHE_MAX_DIMS], width = token->width;
    int32_t largest_k = ref_largest((const void *)token->k, width),
            largest_v = ref_largest((const void *)token->v, width);
    bool is_special = largest_k >= MATH_INFINITY || largest_v >= REF_VALUE_LIMIT;
    if (is_special) { /* whoever sees it is NaN: nothing else matters of it */
        largest_k = largest_v = 0;
        width = 0;
    }
    read_floats(token->k, width, cache->n_dims, x);
    append_key(cache, x, largest_k, is_special, token->position, token->tiles);
    read_floats(token->v, width, cache->n_dims, x);
    append_value(cache, x, largest_v, token->position, token->tiles + cache->tile_bytes);
}
