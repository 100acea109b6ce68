/* SPDX-License-Identifier: MIT
 *
 * Attention over a Q8_0 or a Q4_0 cache: docs/attention.md, 3 to 5 and 8. Codes of 8 or 4 bits, with a scale per 32.
 */
#include "quantise.h"
#include "row.h"

static void read_query(struct ref_row *row, const uint32_t *x, int32_t exponent) {
    for (uint32_t block = 0; block < row->op->cache.n_blocks; block++) {
        int8_t q[PHX_BLOCK];
        row->q_scale[block] = ref_quantise(x + block * PHX_BLOCK, exponent, q);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            row->q[block * PHX_BLOCK + i] = q[i];
        }
    }
}

/* Returns code i of a token in a block of keys. */
static int32_t key_code(const uint8_t *block, bool is_q4, uint32_t token, uint32_t i) {
    if (is_q4) {
        return (block[(i / 8 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4] >> (i / 4 % 2 * 4) & 15) - 8;
    }
    return block[(i / 4 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4] - 128;
}

static int32_t product(const struct ref_row *row, const uint8_t *tile, uint32_t token) {
    uint32_t lane = phx_cache_lane(token), n_blocks = row->op->cache.n_blocks, sums[4] = {0}, total = 0;
    bool is_q4 = row->op->cache.dtype == PHX_Q4_0;
    uint32_t n_vectors = phx_cache_block_vectors(row->op->cache.dtype);
    for (uint32_t block = 0; block < n_blocks; block++) {
        const uint8_t *at = tile + (1 + n_vectors * block) * PHX_VECTOR;
        int32_t sum = is_q4 ? 0 : 8;
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            sum += key_code(at, is_q4, token, i) * row->q[block * PHX_BLOCK + i];
        }
        int32_t scale = math_multiply_q15(ref_lane(at + (n_vectors - 1) * PHX_VECTOR, lane), row->q_scale[block]);
        sums[block / 4] += (uint32_t)((sum >> (is_q4 ? 0 : 4)) * scale);
    }
    for (uint32_t i = 0; i < 4; i++) {
        total += (uint32_t)((int32_t)sums[i] >> phx_codes_down(n_blocks));
    }
    return (int32_t)total;
}

/* Returns -256 * log2 of the weight times the value. */
static int32_t key(struct ref_weight weight, int32_t size) {
    return weight.is_visible ? ref_saturated_i16(ref_saturated_i16(((int64_t)weight.t + 128) >> 8) - size) : INT16_MAX;
}

/* Returns x >> shift as HVX does: the low 5 bits of the shift are a signed number. */
static int32_t shifted_u16(int32_t x, int32_t shift) {
    shift = (shift & 31) < 16 ? shift & 31 : (shift & 31) - 32;
    uint32_t bits = (uint16_t)x;
    return (int16_t)(shift < 0 ? bits << -shift : bits >> shift);
}

static uint8_t byte_of(struct ref_weight weight, int32_t n, int32_t size, int32_t scale) {
    int32_t exponent = (int16_t)(size + 255) >> 8;
    int32_t scaled = math_multiply_q15(weight.w, ref_step_down(256 - (n & 255)));
    int32_t shift = ref_saturated_i16(ref_saturated_i16(weight.k - exponent) - ((n >> 8) + 1));
    int32_t x = shifted_u16(math_multiply_q15(scaled, scale), shift < 15 ? shift : 15);
    int32_t rounded = (x + 64) >> 7;
    return (uint8_t)(rounded < 0 ? 0 : rounded > 255 ? 255 : rounded);
}

/* Returns an unsigned code; a code of 4 bits is multiplied by 16. */
static uint32_t value_code(const uint8_t *block, bool is_q4, uint32_t lane, uint32_t i) {
    if (is_q4) {
        return 16 * (block[lane / 8 * PHX_VECTOR + i * 4 + lane % 4] >> (lane / 4 % 2 * 4) & 15u);
    }
    return block[lane / 4 * PHX_VECTOR + i * 4 + lane % 4];
}

static void add_products(const struct phx_cache *cache, const uint8_t *values, uint32_t block,
                         const struct ref_weight *weights, int32_t n, int32_t reference, struct ref_sums *sums) {
    bool is_q4 = cache->dtype == PHX_Q4_0;
    uint32_t n_vectors = phx_cache_block_vectors(cache->dtype) - 1;
    const uint8_t *codes = values + (1 + cache->n_blocks + n_vectors * block) * PHX_VECTOR;
    /* 16 times the offset of the unsigned codes, times the weight bytes */
    uint32_t products[PHX_BLOCK] = {0}, biases[16] = {0};
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        uint32_t lane = phx_cache_lane(token);
        int32_t size = ref_lane(values, lane), scale = ref_lane(values + (1 + block) * PHX_VECTOR, lane);
        uint8_t byte = byte_of(weights[token], n, size, scale);
        biases[lane / 4] += byte * (is_q4 ? (8 - ((uint32_t)scale & 1)) << 8 : 128u << 4);
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            products[i] += byte * value_code(codes, is_q4, lane, i);
        }
    }
    int32_t factor = 2 * ref_step_down(n & 255), shift = (n >> 8) - reference;
    shift = shift < 31 ? shift : 31;
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        sums->products[i] += (uint32_t)((int32_t)((uint64_t)products[i] * (uint32_t)factor >> 16) >> shift);
    }
    for (uint32_t i = 0; i < 16; i++) {
        sums->biases[i] += (uint32_t)((int32_t)((uint64_t)biases[i] * (uint32_t)factor >> 16) >> shift);
    }
}

const struct ref_kind ref_kind_of_codes = {false, 8, INT16_MAX, 3, read_query, product, key, add_products};
