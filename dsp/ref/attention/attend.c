/* SPDX-License-Identifier: MIT
 *
 * Attention of one token's heads over the visible tiles: docs/attention.md, 3 to 6. Each step below is a step of that
 * page.
 */
#include "math/ref/exp2.h"
#include "math/ref/float16.h"
#include "options.h"
#include "quantise.h"
#include "ref/attention/append.h"
#include "row.h"

#define INVISIBLE INT32_MIN /* logit of a token that is not visible */
#define INVISIBLE_K 20480   /* k of such a token is larger, of all others smaller */

/* Return the tile of keys, or of values. */
static const uint8_t *key_tile(const struct ref_row *row, uint32_t tile) {
    return row->heads->tiles + row->heads->pages[row->first_tile + tile];
}

static const uint8_t *value_tile(const struct ref_row *row, uint32_t tile) {
    return key_tile(row, tile) + row->op->cache.tile_bytes;
}

static bool sees(const struct ref_row *row, uint32_t tile, uint32_t token) {
    uint32_t position = (row->first_tile + tile) * PHX_TILE_ROWS + token;
    return position >= row->heads->first && position < row->heads->end;
}

/* --- 3. Logits, Q16 of powers of two --- */

static int32_t logit_of(const struct ref_kind *kind, const struct ref_row *row, uint32_t tile, uint32_t token) {
    const uint8_t *keys = key_tile(row, tile);
    int32_t shift = row->op->logit_shift - row->exponent - ref_lane(keys, phx_cache_lane(token));
    int32_t logit = (int32_t)(((int64_t)kind->product(row, keys, token) * row->op->multiplier) >> 16);
    if (shift > 0) {
        return logit >> (shift < 31 ? shift : 31);
    }
    int32_t left = -shift < 29 ? -shift : 29, limit = PHX_LOGIT_LIMIT >> left;
    return (logit > limit ? limit : logit < -limit ? -limit : logit) * (1 << left);
}

static uint32_t mask_of(const struct phx_heads *heads, uint32_t position) {
    if (heads->mask_is_f16) {
        uint16_t half;
        memcpy(&half, heads->mask + 2 * position, sizeof(half));
        return math_f16_to_f32(half);
    }
    uint32_t bits;
    memcpy(&bits, heads->mask + 4 * position, sizeof(bits));
    return bits;
}

/* Applies softcap, slopes and mask. A token that the mask hides becomes INVISIBLE. */
static int32_t with_options(const struct ref_row *row, uint32_t position, int32_t logit, bool *is_special) {
    const struct phx_heads *heads = row->heads;
    uint32_t slope = heads->slopes ? heads->slopes[row->head] : MATH_ONE;
    logit = row->op->softcap.factor ? ref_capped(&row->op->softcap, logit) : logit;
    if (heads->mask) {
        uint32_t mask = mask_of(heads, position);
        if (mask == (MATH_INFINITY | MATH_SIGN)) {
            return INVISIBLE;
        }
        *is_special |= math_is_special(mask) != 0;
        return ref_limited(logit + ref_mask_bias(slope, mask));
    }
    if (heads->slopes) {
        uint32_t distance = position < heads->position ? heads->position - position : position - heads->position;
        distance = distance < PHX_DISTANCE_LIMIT ? distance : PHX_DISTANCE_LIMIT;
        return ref_limited(logit + ref_distance_bias(slope, (int32_t)distance));
    }
    return logit;
}

/* Computes all logits. Returns the largest one, rounded up to a whole number, or INVISIBLE. Sets *is_special if a
 * visible token has NaN or infinity. */
static int32_t find_logits(const struct ref_kind *kind, const struct ref_row *row, bool *is_special) {
    int32_t largest = INVISIBLE;
    for (uint32_t i = 0; i < row->n_tiles * PHX_TILE_ROWS; i++) {
        uint32_t tile = i / PHX_TILE_ROWS, token = i % PHX_TILE_ROWS;
        row->logits[i] = INVISIBLE;
        if (sees(row, tile, token)) {
            uint32_t position = row->first_tile * PHX_TILE_ROWS + i;
            row->logits[i] = with_options(row, position, logit_of(kind, row, tile, token), is_special);
            *is_special |= row->logits[i] != INVISIBLE &&
                           ref_lane(key_tile(row, tile), phx_cache_lane(token)) >= PHX_CACHE_SPECIAL;
        }
        largest = row->logits[i] > largest ? row->logits[i] : largest;
    }
    return largest == INVISIBLE ? INVISIBLE : (largest + 0xffff) & ~0xffff;
}

/* --- 4. Weights --- */

int32_t ref_step_down(int32_t i) {
    return i < 256 ? math_exp2_negative_q15(128 * i) : 16384;
}

/* Computes the weights of a tile's 64 tokens. */
static void find_weights(const struct ref_row *row, uint32_t tile, int32_t largest, struct ref_weight *weights) {
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        int64_t below = (int64_t)largest - row->logits[tile * PHX_TILE_ROWS + token];
        int32_t t = below > INT32_MAX ? INT32_MAX : (int32_t)below;
        weights[token] = (struct ref_weight){t, t >> 16, math_exp2_negative_q15(t >> 1 & 0x7fff),
                                             t >> 16 <= INVISIBLE_K};
    }
}

static struct ref_least find_least(const struct ref_kind *kind, const struct ref_weight *weights,
                                   const uint8_t *values) {
    struct ref_least least = {INT16_MAX, INT16_MAX};
    for (uint32_t token = 0; token < PHX_TILE_ROWS; token++) {
        int32_t key = kind->key(weights[token], ref_lane(values, phx_cache_lane(token)));
        least.k = weights[token].k < least.k ? weights[token].k : least.k;
        least.n = key < least.n ? key : least.n;
    }
    least.n = (int16_t)(least.n < kind->most_n ? least.n : kind->most_n) - kind->least_less;
    return least;
}

/* Adds a tile's weights to the sums of pairs of tokens: i and 32 + i. */
static void add_weights(const struct ref_kind *kind, const struct ref_weight *weights, struct ref_least least,
                        int32_t up, uint32_t *sums) {
    for (uint32_t i = 0; i < 32; i++) {
        int32_t pair = 0;
        for (uint32_t token = i; token < PHX_TILE_ROWS; token += 32) {
            int32_t shift = weights[token].k - least.k, weight = weights[token].w >> (shift < 15 ? shift : 15);
            pair += kind->is_rounded ? ((weight + 1) >> 1) * 2 : weight;
        }
        sums[i] += (uint32_t)((pair << up) >> (least.k < 31 ? least.k : 31));
    }
}

/* --- 6. The result --- */

/* Returns the mean of 32 numbers, by pairwise reduction of neighbours. */
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

static void write_block(const struct ref_sums *sums, int32_t factor, int32_t exponent, uint32_t n, uint8_t *to) {
    uint32_t bias = 0;
    for (uint32_t i = 0; i < 16; i++) {
        bias += (uint32_t)((int32_t)sums->biases[i] >> 4);
    }
    for (uint32_t i = 0; i < n; i++) {
        int32_t sum = (int32_t)(sums->products[i] - bias);
        uint32_t bits = math_pack(math_multiply_q31(sum, factor), exponent * MATH_EXPONENT_ONE);
        memcpy(to + 4 * i, &bits, sizeof(bits));
    }
}

static void attend_row(const struct ref_kind *kind, struct ref_row *row, struct ref_least *least, const int32_t *sink,
                       uint8_t *to, bool is_special) {
    const struct phx_attention *op = row->op;
    int32_t largest = find_logits(kind, row, &is_special), up = phx_weights_up(row->n_tiles);
    struct ref_weight weights[PHX_TILE_ROWS];
    uint32_t sums_of_weights[32] = {0};
    if (largest == INVISIBLE) { /* the mask hides all tokens */
        memset(to, 0, op->width * sizeof(float));
        return;
    }
    if (sink) {
        largest = phx_larger_logit(*sink, largest);
        sums_of_weights[0] = (uint32_t)phx_sink_weight(*sink, largest, (uint32_t)up);
    }
    int32_t least_n = INT16_MAX;
    for (uint32_t tile = 0; tile < row->n_tiles; tile++) {
        find_weights(row, tile, largest, weights);
        least[tile] = find_least(kind, weights, value_tile(row, tile));
        least_n = least[tile].n < least_n ? least[tile].n : least_n;
        add_weights(kind, weights, least[tile], up, sums_of_weights);
    }
    int32_t reference = (least_n >> kind->fraction) - phx_tiles_shift(row->n_tiles, op->tiles_log2);
    uint32_t mean = (uint32_t)mean_of(sums_of_weights);
    int32_t leading = (mean ? __builtin_clz(mean) : 32) - 1;
    int32_t factor = math_multiply_q31(math_reciprocal_q31((int32_t)(mean << leading)), op->factor);
    int32_t exponent = leading - reference + up - 6 + op->exponent;
    exponent = exponent > 255 ? 255 : exponent < -256 ? -256 : exponent;
    for (uint32_t block = 0; block < op->cache.n_blocks; block++) {
        struct ref_sums sums = {0};
        uint32_t first = block * PHX_BLOCK, n = op->width - first < PHX_BLOCK ? op->width - first : PHX_BLOCK;
        for (uint32_t tile = 0; tile < row->n_tiles; tile++) {
            find_weights(row, tile, largest, weights);
            kind->add_products(&op->cache, value_tile(row, tile), block, weights, least[tile].n, reference, &sums);
        }
        write_block(&sums, factor, exponent, n, to + first * sizeof(float));
    }
    if (is_special) {
        for (uint32_t i = 0; i < op->width; i++) {
            memcpy(to + 4 * i, &(uint32_t){MATH_NAN}, sizeof(uint32_t));
        }
    }
}

/* Reads a head of q, zero-padded to n_dims; all zeros if it has NaN or infinity. Returns the largest magnitude. */
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

static bool translate(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets) {
    bool has_gaps = false;
    for (uint32_t i = 0; i < n; i++) {
        offsets[i] = phx_page_offset(cache, numbers + i * sizeof(uint32_t));
        has_gaps |= offsets[i] == PHX_NO_PAGE;
    }
    return has_gaps;
}

static size_t work_bytes(const struct phx_cache *cache, uint32_t n_tiles, uint32_t n_parts) {
    (void)cache, (void)n_parts;
    return n_tiles * (PHX_TILE_ROWS * sizeof(int32_t) + sizeof(struct ref_least));
}

static void attend(const struct phx_attention *op, const struct phx_heads *heads, void *work) {
    const struct ref_kind *kind = op->cache.dtype == PHX_F16 ? &ref_kind_of_halves : &ref_kind_of_codes;
    struct ref_row row = {.op = op,
                          .heads = heads,
                          .first_tile = phx_first_tile(heads),
                          .n_tiles = phx_n_visible_tiles(heads),
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
        kind->read_query(&row, x, ref_exponent(largest));
        row.head = head;
        attend_row(kind, &row, (struct ref_least *)(row.logits + row.n_tiles * PHX_TILE_ROWS),
                   heads->sinks ? &heads->sinks[head] : NULL, heads->dst + head * heads->dst_step,
                   is_special || heads->special >> head & 1);
    }
}

const struct phx_attention_kernel phx_attention_ref = {PHX_KERNELS_REF, ref_append, translate, work_bytes,
                                                       attend,          NULL,       NULL};
