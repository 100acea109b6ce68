/* SPDX-License-Identifier: MIT
 *
 * The interface between dsp/ref/attention/attend.c and the kinds of cache in codes.c and halves.c.
 */
#ifndef PHX_REF_ATTENTION_ROW_H
#define PHX_REF_ATTENTION_ROW_H

#include "ops/attention/attention.h"
#include "runtime/libc.h"

/* A row: one query head. */
struct ref_row {
    const struct phx_attention *op;
    const struct phx_heads *heads;
    uint32_t head; /* index in the block's heads */
    int16_t q[PHX_CACHE_MAX_DIMS];
    int32_t q_scale[PHX_CACHE_MAX_BLOCKS];
    int32_t exponent; /* of q, biased */
    uint32_t first_tile, n_tiles;
    int32_t *logits; /* 64 per tile */
};

/* A token's weight, w * 2^-k, w in Q15. t is the distance of its logit from the largest, Q16. */
struct ref_weight {
    int32_t t, k, w;
    bool is_visible;
};

/* Minimums over a tile. */
struct ref_least {
    int32_t k, n;
};

/* Sums of products over tiles, for a block of 32 dims; biases are the sums of the codes' offsets. */
struct ref_sums {
    uint32_t products[PHX_BLOCK], biases[16];
};

struct ref_kind {
    bool is_rounded;    /* weights are rounded before they are added */
    int32_t fraction;   /* fractional bits of n */
    int32_t most_n;     /* upper bound of n, which a tile without visible tokens has */
    int32_t least_less; /* n is the least key minus this */

    /* Prepares q. x: the floats of a head; exponent: of the largest magnitude of its block. */
    void (*read_query)(struct ref_row *row, const uint32_t *x, int32_t exponent);
    /* Returns the product of q and a token's key, before the scale. */
    int32_t (*product)(const struct ref_row *row, const uint8_t *tile, uint32_t token);
    int32_t (*key)(struct ref_weight weight, int32_t size);
    /* Adds the products of a tile's 64 tokens to a block of dims. */
    void (*add_products)(const struct phx_cache *cache, const uint8_t *values, uint32_t block,
                         const struct ref_weight *weights, int32_t n, int32_t reference, struct ref_sums *sums);
};

extern const struct ref_kind ref_kind_of_codes, ref_kind_of_halves;

/* Returns 2^(-i / 256) in Q15; i is at most 256. */
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
