/* SPDX-License-Identifier: MIT
 *
 * Writes a token's key and value to the tiles of its page: docs/attention.md, 2. Modifies only the bytes of the token,
 * which depend on the token alone.
 */
#include "append.h"

#include "quantise.h"
#include "runtime/libc.h"

/* Reads the floats of a head, zero-padded to n_dims. */
static void read_floats(const uint8_t *from, uint32_t width, uint32_t n_dims, uint32_t *to) {
    memset(to, 0, n_dims * sizeof(*to));
    memcpy(to, from, width * sizeof(*to));
}

static void store_i16(uint8_t *vector, uint32_t lane, int32_t value) {
    int16_t half = (int16_t)value;
    memcpy(vector + lane * sizeof(half), &half, sizeof(half));
}

/* Stores one of the two codes of a byte. */
static void store_nibble(uint8_t *at, uint32_t shift, int32_t code) {
    *at = (uint8_t)((*at & ~(15u << shift)) | (uint32_t)code << shift);
}

static int32_t quantise(bool is_q4, const uint32_t *x, int32_t exponent, int8_t *q) {
    return is_q4 ? ref_quantise_4(x, exponent, q) : ref_quantise(x, exponent, q);
}

static uint32_t largest_is_positive(const uint32_t *x) {
    return ~(uint32_t)ref_largest_signed(x, PHX_BLOCK) & 1;
}

static void append_key_codes(const struct phx_cache *cache, const uint32_t *x, int32_t largest, uint32_t position,
                             uint8_t *tile) {
    uint32_t lane = phx_cache_lane(position), token = position % PHX_TILE_ROWS;
    uint32_t n_vectors = phx_cache_block_vectors(cache->dtype);
    bool is_q4 = cache->dtype == PHX_Q4_0;
    for (uint32_t block = 0; block < cache->n_blocks; block++) {
        int8_t q[PHX_BLOCK];
        uint8_t *at = tile + (1 + n_vectors * block) * PHX_VECTOR;
        int32_t scale = quantise(is_q4, x + block * PHX_BLOCK, ref_exponent(largest), q);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            if (is_q4) {
                store_nibble(at + (i / 8 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4, i / 4 % 2 * 4, q[i]);
            } else {
                at[(i / 4 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4] = (uint8_t)(q[i] + 128);
            }
        }
        store_i16(at + (n_vectors - 1) * PHX_VECTOR, lane, (scale + 1) >> 1);
    }
}

static void append_value_codes(const struct phx_cache *cache, const uint32_t *x, int32_t largest, uint32_t position,
                               uint8_t *tile) {
    uint32_t lane = phx_cache_lane(position), n_vectors = phx_cache_block_vectors(cache->dtype) - 1;
    bool is_q4 = cache->dtype == PHX_Q4_0;
    store_i16(tile, lane, ref_value_size(largest, ref_exponent(largest)));
    for (uint32_t block = 0; block < cache->n_blocks; block++) {
        int8_t q[PHX_BLOCK];
        uint8_t *codes = tile + (1 + cache->n_blocks + n_vectors * block) * PHX_VECTOR;
        int32_t scale = quantise(is_q4, x + block * PHX_BLOCK, ref_exponent(largest), q), turn = 0;
        if (is_q4) { /* weights, which are unsigned, are multiplied by these scales */
            uint32_t is_turned = largest_is_positive(x + block * PHX_BLOCK);
            turn = is_turned ? 15 : 0;
            scale = (int32_t)(((uint32_t)(scale < 0 ? -scale : scale) & ~1u) | is_turned);
        }
        store_i16(tile + (1 + block) * PHX_VECTOR, lane, scale);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            if (is_q4) {
                store_nibble(codes + lane / 8 * PHX_VECTOR + i * 4 + lane % 4, lane / 4 % 2 * 4, q[i] ^ turn);
            } else {
                codes[lane / 4 * PHX_VECTOR + i * 4 + lane % 4] = (uint8_t)(q[i] + 128);
            }
        }
    }
}

static void append_halves(const struct phx_cache *cache, const uint32_t *k, const uint32_t *v, int32_t largest_k,
                          int32_t largest_v, const struct phx_token *token) {
    uint32_t number = token->position % PHX_TILE_ROWS, lane = phx_cache_lane(token->position);
    uint8_t *keys = token->tiles, *values = token->tiles + cache->tile_bytes;
    uint8_t *codes = values + (1 + lane / 4 * 2) * PHX_VECTOR + lane % 4;
    store_i16(values, lane, ref_exponent(largest_v) >> 23);
    for (uint32_t i = 0; i < cache->n_dims; i++) {
        store_i16(keys + (1 + i / 2 * 2 + number / 32) * PHX_VECTOR, number % 32 * 2 + i % 2,
                  ref_half(k[i], ref_exponent(largest_k), 16));
        int32_t code = ref_half(v[i], ref_exponent(largest_v), 16) + 32768;
        uint8_t *at = codes + i / 32 * 32 * PHX_VECTOR + i % 32 * 4;
        at[0] = (uint8_t)(code >> 8);
        at[PHX_VECTOR] = (uint8_t)code;
    }
}

void ref_append_token(const struct phx_cache *cache, const struct phx_token *token) {
    uint32_t k[PHX_CACHE_MAX_DIMS], v[PHX_CACHE_MAX_DIMS], width = token->width;
    int32_t largest_k = ref_largest((const void *)token->k, width),
            largest_v = ref_largest((const void *)token->v, width);
    bool is_special = largest_k >= MATH_INFINITY || largest_v >= REF_VALUE_LIMIT;
    if (is_special) { /* rows that attend to this token are NaN, so its other bytes do not matter */
        largest_k = largest_v = 0;
        width = 0;
    }
    read_floats(token->k, width, cache->n_dims, k);
    read_floats(token->v, width, cache->n_dims, v);
    store_i16(token->tiles, phx_cache_lane(token->position),
              is_special ? PHX_CACHE_SPECIAL : ref_exponent(largest_k) >> 23);
    if (cache->dtype == PHX_F16) {
        append_halves(cache, k, v, largest_k, largest_v, token);
    } else {
        append_key_codes(cache, k, largest_k, token->position, token->tiles);
        append_value_codes(cache, v, largest_v, token->position, token->tiles + cache->tile_bytes);
    }
}

void ref_append(const struct phx_cache *cache, const struct phx_tokens *tokens) {
    for (uint32_t i = 0; i < tokens->n; i++) {
        if (tokens->slots[i].page != PHX_NO_PAGE) {
            struct phx_token token = phx_token(tokens, i);
            ref_append_token(cache, &token);
        }
    }
}
