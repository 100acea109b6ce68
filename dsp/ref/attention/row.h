/* SPDX-License-Identifier: MIT
 *
 * What dsp/ref/attention/attend.c asks of a kind of cache: codes.c and halves.c answer.
 */
#ifndef PHX_REF_ATTENTION_ROW_H
#define PHX_REF_ATTENTION_ROW_H

#include "ops/attention/attention.h"
#include "runtime/libc.h"

/* A row: one head. */
struct ref_row {
    const struct phx_attention *op;
    const struct phx_heads *heads;
    uint32_t head; /* of those */
    int16_t q[PHX_CACHE_MAX_DIMS];
    int32_t q_scale[PHX_CACHE_MAX_BLOCKS];
    int32_t exponent; /* of q, biased */
    uint32_t first_tile, n_tiles;
    int32_t *logits; /* 64 for each tile */
};

/* A token's weight is w * 2^-k, w Q15; t is what its logit is below the largest, Q16. */
struct ref_weight {
    int32_t t, k, w;
    bool is_seen;
};

/* Of a tile. */
struct ref_least {
    int32_t k, n;
};

/* Sums of products over tiles, of a block of 32 dims; biases are what codes have too much. */
struct ref_sums {
    uint32_t products[PHX_BLOCK], biases[16];
};

struct ref_kind {
    bool is_rounded;    /* weights, before they are added */
    int32_t fraction;   /* bits of n below a power of two */
    int32_t most_n;     /* a tile of which nothing is seen must not have more */
    int32_t least_less; /* what n is below the least key */

    /* x: the floats of a head; exponent: of the largest of its block. */
    void (*read_query)(struct ref_row *row, const uint32_t *x, int32_t exponent);
    /* Of q with a token's key, before the scale. */
    int32_t (*product)(const struct ref_row *row, const uint8_t *tile, uint32_t token);
    int32_t (*key)(struct ref_weight weight, int32_t size);
    /* Adds what the 64 tokens of a tile give to a block of dims. */
    void (*add_products)(const struct phx_cache *cache, const uint8_t *values, uint32_t block,
                         const struct ref_weight *weights, int32_t n, int32_t reference, struct ref_sums *sums);
};

extern const struct ref_kind ref_kind_of_codes, ref_kind_of_halves;

/* 2^(-i / 256), Q15; i up to 256. */
int32_t ref_step_down(int32_t i);

static inline int16_t ref_lane(const uint8_t *vector, uint32_t lane) {
    int16_t half;
    memcpy(&half, vector + lane * sizeof(half), sizeof(half));
    return half;
}

static inline int32_t ref_saturated_i16(int64_t x) {
    return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : (int32_t)x;
}

#endif
