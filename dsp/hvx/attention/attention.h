/* SPDX-License-Identifier: MIT
 *
 * The passes of attention in HVX, and what lies between them in memory. R is the number of heads of a block, NB the
 * number of blocks of 32 dims of a head: constants where a pass is unrolled.
 */
#ifndef PHX_HVX_ATTENTION_H
#define PHX_HVX_ATTENTION_H

#include "hvx/hvx.h"
#include "math/hvx/exp2.h"
#include "math/hvx/float32.h"
#include "math/hvx/reciprocal.h"
#include "ops/attention/attention.h"

#define MAX_HEADS PHX_HEADS_AT_ONCE
#define MAX_BLOCKS PHX_CACHE_MAX_BLOCKS
#define TOKENS PHX_TILE_ROWS
#define LOGIT_LIMIT (1 << 29)
#define UNSEEN INT32_MIN
#define UNSEEN_K 20480 /* k of an unseen token is above, of others below */

/* q of a block: what logits want of it. */
struct query {
    int32_t words[MAX_BLOCKS][MAX_HEADS][8]; /* int8, 4 to a word: a vector for each 32 dims */
    HVX_Vector vbias[MAX_BLOCKS][MAX_HEADS]; /* 8 less 128 times their sum */
    int32_t scales[MAX_BLOCKS][MAX_HEADS];   /* twice in a word */
    int32_t exponent;
    int32_t is_special; /* a bit for each head */
} __attribute__((aligned(HVX_BYTES)));

/* Of a tile: for each head the least k, and n (docs/attention.md, 4). */
struct least {
    int16_t k[MAX_HEADS], n[MAX_HEADS];
} __attribute__((aligned(16)));

/* What the passes gather over tiles. */
struct gathered {
    HVX_Vector vlargest[MAX_HEADS];
    HVX_Vector vspecial; /* largest exponent of a seen token's key */
    HVX_Vector vweights[MAX_HEADS];
    int32_t least_n[MAX_HEADS];
};

/* Where a block's tiles are: tile i lies at tiles + pages[i]. */
struct tiles {
    const uint8_t *keys;
    const uint8_t *values;
    const uint32_t *pages;
    uint32_t n;
};

/* What a tile's tokens are seen: lanes of words 0..31, of words 32..63, below 0 where seen. */
struct seen {
    HVX_Vector vlow, vhigh;
};

/* 2^(-i / 256) in Q15; steps[256] is 16384. */
struct steps {
    int16_t at[257];
};
extern const struct steps hvx_steps;

HVX_INLINE HVX_Vector hvx_min_pairs_i16(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = Q6_W_vdeal_VVR(vb, va, -2);
    return Q6_Vh_vmin_VhVh(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

void hvx_append(const struct phx_cache *cache, const struct phx_token *token);
void hvx_prepare(const struct phx_attention *op, const struct phx_heads *heads, struct query *query);

/* Pass 1: logits of n tiles to `logits`, 2 vectors for each head and tile. With seen: with care. Without, all is seen, and
 * the caller finds from gathered->vspecial whether a logit was too large: then it is to be done again, with care. */
void hvx_logits(const struct phx_attention *op, const struct query *query, uint32_t n_heads, const struct tiles *tiles,
                const struct seen *seen, HVX_Vector *logits, struct gathered *gathered);

/* Pass 2: weights as bytes, a vector for each 2 blocks of dims, head and tile. */
void hvx_weights(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, bool is_partial,
                 const int32_t *largest, const struct steps *steps, uint32_t up, const HVX_Vector *logits,
                 HVX_Vector *bytes, struct least *least, struct gathered *gathered);

/* Pass 3: `sums`, a vector for each head and block of dims, and `biases`, one for each 2 blocks. */
void hvx_products(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *reference,
                  const struct steps *steps, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                  HVX_Vector *biases);

#endif
