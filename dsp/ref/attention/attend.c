/* SPDX-License-Identifier: MIT
 *
 * Attention of one token's heads over the tiles that it sees: docs/attention.md, 3 to 6. Each step below is a step of
 * that page.
 */
#include "append.h"
#include "math/ref/exp2.h"
#include "quantise.h"
#include "runtime/libc.h"

#define LOGIT_LIMIT (1 << 29)
#define UNSEEN INT32_MIN /* logit of a token that the row does not see */
#define UNSEEN_K 20480   /* k of such a token is above, of others below */

/* A row: one head. */
struct row {
    const struct phx_attention *op;
    const struct phx_heads *heads;
    int8_t q[PHX_CACHE_MAX_DIMS];
    int32_t q_scale[PHX_CACHE_MAX_BLOCKS];
    int32_t exponent; /* of q, biased */
    uint32_t first_tile, n_tiles;
    int32_t *logits; /* 64 for each tile */
};

/* What is read of a tile. */
static int16_t lane_of(const uint8_t *vector, uint32_t lane) {
    int16_t half;
    memcpy(&half, vector + lane * sizeof(half), sizeof(half));
    return half;
}

static const uint8_t *key_tile(const struct row *row, uint32_t tile) {
    return row->heads->tiles + row->heads->pages[row->first_tile + tile];
}

static const uint8_t *value_tile(const struct row *row, uint32_t tile) {
    return key_tile(row, tile) + row->op->cache.tile_bytes;
}

static bool sees(const struct row *row, uint32_t tile, uint32_t token) {
    uint32_t position = (row->first_tile + tile) * PHX_TILE_ROWS + token;
    return position >= row->heads->first && position < row->heads->end;
}

/* --- 3. Logits, Q16 of powers of two --- */

static int32_t logit_of(const struct row *row, const uint8_t *tile, uint32_t token) {
    const struct phx_attention *op = row->op;
    uint32_t lane = phx_cache_lane(token), sums[2] = {0, 0};
    for (uint32_t block = 0; block < op->cache.n_blocks; block++) {
        const uint8_t *at = tile + (1 + 17 * block) * PHX_VECTOR;
        int32_t sum = 8;
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            int32_t code = at[(i / 4 * 2 + token / 32) * PHX_VECTOR + token % 32 * 4 + i % 4];
            sum += (code - 128) * row->q[block * PHX_BLOCK + i];
        }
        int32_t scale = math_multiply_q15(lane_of(at + 16 * PHX_VECTOR, lane), row->q_scale[block]);
        sums[block / 4] += (uint32_t)((sum >> 4) * scale);
    }
    int32_t sum = (int32_t)sums[0];
    if (op->cache.n_blocks > 4) {
        sum = (int32_t)((uint32_t)(sum >> 1) + (uint32_t)((int32_t)sums[1] >> 1));
    }
    int32_t shift = op->logit_shift - row->exponent - lane_of(tile, lane);
    int32_t logit = (int32_t)(((int64_t)sum * op->multiplier) >> 16);
    if (shift > 0) {
        return logit >> (shift < 31 ? shift : 31);
    }
    int32_t left = -shift < 29 ? -shift : 29, limit = LOGIT_LIMIT >> left;
    return (logit > limit ? limit : logit < -limit ? -limit : logit) * (1 << left);
}

/* All of them; the largest, rounded up to a whole number. *is_special: one of the tokens is. */
static int32_t find_logits(const struct row *row, bool *is_special) {
    int32_t largest = UNSEEN;
    for (uint32_t i = 0; i < row->n_tiles * PHX_TILE_ROWS; i++) {
        uint32_t tile = i / PHX_TILE_ROWS, token = i % PHX_TILE_ROWS;
        row->logits[i] = UNSEEN;
        if (sees(row, tile, token)) {
            row->logits[i] = logit_of(row, key_tile(row, tile), token);
            *is_special |= lane_of(key_tile(row, tile), phx_cache_lane(token)) >= PHX_CACHE_SPECIAL;
        }
        largest = row->logits[i] > largest ? row->logits[i] : largest;
    }
    return (largest + 0xffff) & ~0xffff;
}

/* --- 4. Weights: w * 2^-k, w Q15; and what bytes they become --- */

struct weight {
    int32_t k, w;
    int32_t key; /* -256 * log2 of the weight times the value's size, or 32767 */
};

static int32_t saturated_i16(int64_t x) {
    return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : (int32_t)x;
}

static struct weight weight_of(int32_t logit, int32_t largest, int32_t size) {
    int64_t below = (int64_t)largest - logit;
    int32_t t = below > INT32_MAX ? INT32_MAX : (int32_t)below;
    struct weight weight = {t >> 16, math_exp2_negative_q15(t >> 1 & 0x7fff), INT16_MAX};
    if (weight.k <= UNSEEN_K) {
        weight.key = saturated_i16(saturated_i16(((int64_t)t + 128) >> 8) - size);
    }
    return weight;
}

static int32_t step_down(int32_t i) { /* 2^(-i / 256), Q15 */
    return i < 256 ? math_exp2_negative_q15(128 * i) : 16384;
}

/* x >> shift as HVX has it: the low 5 bits are a signed number. */
static int32_t shifted_u16(int32_t x, int32_t shift) {
    shift = (shift & 31) < 16 ? shift & 31 : (shift & 31) - 32;
    uint32_t bits = (uint16_t)x;
    return (int16_t)(shift < 0 ? bits << -shift : bits >> shift);
}

/* What a tile's bytes are relative to: n / 256 powers of two. */
static uint8_t byte_of(struct weight weight, int32_t n, int32_t size, int32_t scale) {
    int32_t exponent = (int16_t)(size + 255) >> 8;
    int32_t scaled = math_multiply_q15(weight.w, step_down(256 - (n & 255)));
    int32_t shift = saturated_i16(saturated_i16(weight.k - exponent) - ((n >> 8) + 1));
    int32_t x = shifted_u16(math_multiply_q15(scaled, scale), shift < 15 ? shift : 15);
    int32_t rounded = (x + 64) >> 7;
    return (uint8_t)(rounded < 0 ? 0 : rounded > 255 ? 255 : rounded);
}

/* Of a tile: the least k, and n. */
struct least {
    int32_t k, n;
};

static struct least find_least(const struct row *row, uint32_t tile, int32_t largest) {
    struct least least = {INT16_MAX, INT16_MAX};
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        int32_t size = lane_of(value_tile(row, tile), phx_cache_lane(token));
        struct weight weight = weight_of(row->logits[tile * PHX_TILE_ROWS + token], largest, size);
        least.k = weight.k < least.k ? weight.k : least.k;
        least.n = weight.key < least.n ? weight.key : least.n;
    }
    least.n = (int16_t)(least.n - 3);
    return least;
}

/* Adds a tile's weights to the sums of pairs of tokens: i and 32 + i. */
static void add_weights(const struct row *row, uint32_t tile, int32_t largest, struct least least, int32_t up,
                        uint32_t *sums) {
    for (uint32_t i = 0; i < 32; i++) {
        int32_t pair = 0;
        for (uint32_t token = i; token < PHX_TILE_ROWS; token += 32) {
            struct weight weight = weight_of(row->logits[tile * PHX_TILE_ROWS + token], largest, 0);
            int32_t shift = weight.k - least.k;
            pair += weight.w >> (shift < 15 ? shift : 15);
        }
        sums[i] += (uint32_t)((pair << up) >> (least.k < 31 ? least.k : 31));
    }
}

/* --- 5. Products of the bytes with the values, a block of 32 dims --- */

static void add_products(const struct row *row, uint32_t tile, uint32_t block, int32_t largest, struct least least,
                         int32_t reference, uint32_t *sums, uint32_t *biases) {
    const uint8_t *values = value_tile(row, tile);
    const uint8_t *codes = values + (1 + row->op->cache.n_blocks + 16 * block) * PHX_VECTOR;
    uint32_t products[PHX_BLOCK] = {0}, bytes[16] = {0};
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        uint32_t lane = phx_cache_lane(token);
        int32_t size = lane_of(values, lane), scale = lane_of(values + (1 + block) * PHX_VECTOR, lane);
        struct weight weight = weight_of(row->logits[tile * PHX_TILE_ROWS + token], largest, size);
        uint8_t byte = byte_of(weight, least.n, size, scale);
        bytes[lane / 4] += byte;
        for (uint32_t i = 0; i < PHX_BLOCK; i++) {
            products[i] += (uint32_t)byte * codes[lane / 4 * PHX_VECTOR + i * 4 + lane % 4];
        }
    }
    int32_t factor = 2 * step_down(least.n & 255), shift = (least.n >> 8) - reference;
    shift = shift < 31 ? shift : 31;
    for (uint32_t i = 0; i < PHX_BLOCK; i++) {
        sums[i] += (uint32_t)((int32_t)((uint64_t)products[i] * (uint32_t)factor >> 16) >> shift);
    }
    for (uint32_t i = 0; i < 16; i++) { /* 128 times the bytes, and 4 bits more */
        biases[i] += (uint32_t)((int32_t)((uint64_t)(bytes[i] << 11) * (uint32_t)factor >> 16) >> shift);
    }
}

/* --- 6. The result --- */

/* The mean of 32 numbers, by neighbours. */
static int32_t mean_of(const uint32_t *sums) {
    int32_t x[32];
    for (uint32_t i = 0; i < 32; i++) {
        x[i] = (int32_t)sums[i];
    }
    for (uint32_t n = 16; n > 0; n /= 2) {
        for (uint32_t i = 0; i < n; i++) {
            x[i] = (int32_t)(((int64_t)x[2 * i] + x[2 * i + 1] + 1) >> 1);
        }
    }
    return x[0];
}

static void write_block(const uint32_t *sums, const uint32_t *biases, int32_t factor, int32_t exponent, uint32_t n,
                        uint8_t *to) {
    uint32_t bias = 0;
    for (uint32_t i = 0; i < 16; i++) {
        bias += (uint32_t)((int32_t)biases[i] >> 4);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits = math_pack(math_multiply_q31((int32_t)(sums[i] - bias), factor), exponent * MATH_EXPONENT_ONE);
        memcpy(to + 4 * i, &bits, sizeof(bits));
    }
}

static void attend_row(struct row *row, struct least *least, const int32_t *sink, uint8_t *to, bool is_special) {
    const struct phx_attention *op = row->op;
    int32_t largest = find_logits(row, &is_special), tiles_shift = phx_tiles_shift(row->n_tiles);
    uint32_t weights[32] = {0};
    if (sink) {
        largest = phx_larger_logit(*sink, largest);
        weights[0] = (uint32_t)phx_sink_weight(*sink, largest, (uint32_t)(6 - tiles_shift));
    }
    int32_t least_n = INT16_MAX;
    for (uint32_t tile = 0; tile < row->n_tiles; tile++) {
        least[tile] = find_least(row, tile, largest);
        least_n = least[tile].n < least_n ? least[tile].n : least_n;
        add_weights(row, tile, largest, least[tile], 6 - tiles_shift, weights);
    }
    int32_t reference = (least_n >> 8) - tiles_shift;
    uint32_t mean = (uint32_t)mean_of(weights);
    int32_t leading = (mean ? __builtin_clz(mean) : 32) - 1;
    int32_t factor = math_multiply_q31(math_reciprocal_q31((int32_t)(mean << leading)), 1082196484); /* 64 / 127 */
    int32_t exponent = leading - reference - tiles_shift + 99;
    exponent = exponent < 255 ? exponent : 255;
    for (uint32_t block = 0; block < op->cache.n_blocks; block++) {
        uint32_t sums[PHX_BLOCK] = {0}, biases[16] = {0};
        uint32_t first = block * PHX_BLOCK, n = op->width - first < PHX_BLOCK ? op->width - first : PHX_BLOCK;
        for (uint32_t tile = 0; tile < row->n_tiles; tile++) {
            add_products(row, tile, block, largest, least[tile], reference, sums, biases);
        }
        write_block(sums, biases, factor, exponent, n, to + first * sizeof(float));
    }
    if (is_special) {
        for (uint32_t i = 0; i < op->width; i++) {
            memcpy(to + 4 * i, &(uint32_t){MATH_NAN}, sizeof(uint32_t));
        }
    }
}

/* A head of q, zeros up to n_dims; all zeros if it holds a NaN or an infinity. Returns the largest magnitude. */
static int32_t read_head(const struct phx_attention *op, const struct phx_heads *heads, uint32_t head, uint32_t *x,
                         bool *is_special) {
    memset(x, 0, op->cache.n_dims * sizeof(*x));
    memcpy(x, heads->q + head * heads->q_step, op->width * sizeof(*x));
    int32_t largest = ref_largest(x, op->width);
    *is_special = largest >= MATH_INFINITY;
    if (*is_special) {
        memset(x, 0, op->cache.n_dims * sizeof(*x));
        largest = 0;
    }
    return largest;
}

static size_t work_bytes(const struct phx_cache *cache, uint32_t n_tiles) {
    (void)cache;
    return n_tiles * (PHX_TILE_ROWS * sizeof(int32_t) + sizeof(struct least));
}

static void attend(const struct phx_attention *op, const struct phx_heads *heads, void *work) {
    struct row row = {.op = op,
                      .heads = heads,
                      .first_tile = phx_first_tile(heads),
                      .n_tiles = phx_n_tiles_seen(heads),
                      .logits = work};
    uint32_t x[PHX_CACHE_MAX_DIMS];
    bool is_special;
    int32_t largest = 0;
    for (uint32_t head = 0; head < heads->n_heads; head++) {
        int32_t own = read_head(op, heads, head, x, &is_special);
        largest = own > largest ? own : largest;
    }
    row.exponent = ref_exponent(largest) >> 23;
    for (uint32_t head = 0; head < heads->n_heads; head++) {
        read_head(op, heads, head, x, &is_special);
        for (uint32_t block = 0; block < op->cache.n_blocks; block++) {
            row.q_scale[block] = ref_quantise(x + block * PHX_BLOCK, ref_exponent(largest), row.q + block * PHX_BLOCK);
        }
        attend_row(&row, (struct least *)(row.logits + row.n_tiles * PHX_TILE_ROWS),
                   heads->sinks ? &heads->sinks[head] : NULL, heads->dst + head * heads->dst_step,
                   is_special || heads->special >> head & 1);
    }
}

const struct phx_attention_kernel phx_attention_ref = {PHX_KERNELS_REF, ref_append, work_bytes, attend};
