/* SPDX-License-Identifier: MIT
 *
 * The passes of attention in HVX, and the data between them. R is the number of heads of a block, NB the number of
 * blocks of 32 dims of a head: compile-time constants where a pass is unrolled.
 */
#ifndef PHX_HVX_ATTENTION_H
#define PHX_HVX_ATTENTION_H

#include "math/hvx/hvx.h"
#include "math/hvx/exp2.h"
#include "math/hvx/float32.h"
#include "math/hvx/reciprocal.h"
#include "ops/attention/attention.h"
#include "runtime/fetch.h"

#define MAX_HEADS PHX_HEADS_PER_BLOCK
#define MAX_BLOCKS PHX_CACHE_MAX_BLOCKS
#define TOKENS PHX_TILE_ROWS
#define INVISIBLE INT32_MIN

#define AHEAD (PHX_FETCHES - 1) /* tiles from the one that is read to the one that is prefetched */
#define CHUNK 8                 /* blocks of a head that are prepared at once */

/* q of a block, prepared for pass 1. */
struct query {
    union {
        struct chunk {
            int32_t words[CHUNK][MAX_HEADS][8]; /* int8, 4 to a word; one vector per 32 dims */
            HVX_Vector vbias[CHUNK][MAX_HEADS]; /* 8 minus 128 times their sum; Q4_0: -8 times the sum */
            int32_t scales[CHUNK][MAX_HEADS];   /* twice in a word */
        } chunks[MAX_BLOCKS / CHUNK];
        /* F16: two words for each two dims: their high bytes, twice; then their low bytes, twice */
        uint64_t halves[MAX_HEADS][MAX_BLOCKS * PHX_BLOCK / 2];
    };
    int32_t exponent;
    int32_t is_special; /* one bit per head */
} __attribute__((aligned(HVX_BYTES)));

/* Minimums of a tile: the least k of head h in k[8 * h], n in n[8 * h] (docs/attention.md, 4). */
struct least {
    int16_t k[HVX_LANES_I32], n[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

/* Accumulates over tiles. */
struct gathered {
    HVX_Vector vlargest[MAX_HEADS];
    HVX_Vector vspecial; /* largest exponent of a visible token's key */
    HVX_Vector vweights[MAX_HEADS];
    HVX_Vector vleast; /* for the tiles' struct least */
};

/* The tiles of a block: tile i is at tiles + pages[i]. */
struct tiles {
    const uint8_t *keys;
    const uint8_t *values;
    const uint32_t *pages;
    uint32_t n;       /* at least one */
    uint32_t fetches; /* pass 3: not 0 if it prefetches tiles */
};

/* Prefetches a box of each of the first AHEAD tiles; returns the entry of `pages` that the loop prefetches next. */
HVX_INLINE const uint32_t *hvx_fetch_first(const uint8_t *from, uint64_t box, const uint32_t *pages,
                                           const uint32_t *last) {
    HVX_UNROLL
    for (int i = 0; i < AHEAD; i++) {
        pages = phx_fetch_next(from + *pages, box, pages, last);
    }
    return pages;
}

/* 2^(-i / 256) in Q15; steps[256] is 16384. */
struct steps {
    int16_t at[257];
};
extern const struct steps hvx_steps;

HVX_INLINE HVX_Vector hvx_min_pairs_i16(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = Q6_W_vdeal_VVR(vb, va, -2);
    return Q6_Vh_vmin_VhVh(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* Returns the sizes of a tile's values, with the minimum for tokens that are not visible, so that those have weight 0.
 * logits: of any head; the magnitude of a visible token's logit is below 2^29. */
HVX_INLINE HVX_Vector hvx_visible_sizes(const uint8_t *values, const HVX_Vector *logits) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(logits[1], logits[0]);
    HVX_VectorPred qseen = Q6_Q_vcmp_gt_VhVh(vhigh, hvx_splat_i16(INVISIBLE >> 17));
    return Q6_V_vmux_QVV(qseen, *(const HVX_Vector *)values, hvx_splat_i16(INT16_MIN));
}

/* k, key and fraction of each token of a tile, for one unit: a head, or a tile. */
struct unit {
    HVX_Vector vk, vkey, vfraction;
};

/* Returns the least k and key of each unit: unit u's in lanes 8 * u and 32 + 8 * u. */
HVX_INLINE HVX_Vector hvx_least_of(const HVX_Vector *v, const int U) {
    HVX_Vector vtop = hvx_splat_i16(INT16_MAX);
    HVX_Vector v01 = hvx_min_pairs_i16(v[0], U > 1 ? v[1] : vtop);
    return U > 2 ? hvx_min_pairs_i16(v01, hvx_min_pairs_i16(v[2], U > 3 ? v[3] : vtop)) : hvx_min_pairs_i16(v01, vtop);
}

HVX_INLINE HVX_Vector hvx_find_least(const int U, const struct unit *units) {
    HVX_Vector vks[MAX_HEADS], vkeys[MAX_HEADS];
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        vks[u] = units[u].vk;
        vkeys[u] = units[u].vkey;
    }
    HVX_Vector v = hvx_min_pairs_i16(hvx_least_of(vks, U), hvx_least_of(vkeys, U));
    v = Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 8));
    v = Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 4));
    return Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 2));
}

/* Returns n of the least keys, which are in the upper half of a vector. */
HVX_INLINE HVX_Vector hvx_n_of_key(HVX_Vector vleast) {
    HVX_Vector vless = Q6_V_vmux_QVV(Q6_Q_vsetq_R(HVX_BYTES / 2), Q6_V_vzero(), hvx_splat_i16(3));
    return Q6_Vh_vsub_VhVh(vleast, vless);
}

/* Returns the exponents of a tile's tokens, as words 0..31 and 32..63. */
HVX_INLINE HVX_VectorPair hvx_exponents_of(const uint8_t *keys) {
    HVX_Vector v = *(const HVX_Vector *)keys;
    return Q6_W_vcombine_VV(Q6_Vw_vasr_VwR(v, 16), Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(v, 16), 16));
}

HVX_INLINE HVX_Vector hvx_clamp_i32(HVX_Vector v, HVX_Vector vleast, HVX_Vector vmost) {
    return Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(v, vleast), vmost);
}

bool hvx_translate_pages(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets);
void hvx_append(const struct phx_cache *cache, const struct phx_tokens *tokens);
/* appends one of them with the reference function */
void hvx_append_special(const struct phx_cache *cache, const struct phx_tokens *tokens, uint32_t i);
void hvx_prepare(const struct phx_attention *op, const struct phx_heads *heads, struct query *query);
void hvx_prepare_part(const struct phx_attention *op, const struct phx_heads *heads, struct query *query,
                      uint32_t index, uint32_t n); /* as one of n threads; not for F16 caches */

/* Pass 1: computes the logits of n tiles, 2 vectors per head and tile. is_large: the logits may overflow. A caller that
 * did not set it must check gathered->vspecial, and run the pass again with it if needed. */
void hvx_logits(const struct phx_attention *op, const struct query *query, uint32_t n_heads, const struct tiles *tiles,
                bool is_large, HVX_Vector *logits, struct gathered *gathered);

/* Adjusts a tile whose first token is `start`: applies options to the logits, hides tokens that are not visible, and
 * gathers. */
void hvx_adjust(const struct phx_attention *op, const struct phx_heads *heads, uint32_t start, const uint8_t *keys,
                HVX_Vector *logits, struct gathered *gathered);

/* hvx_adjust() without options: only hides tokens. */
void hvx_hide(const struct phx_heads *heads, uint32_t start, const uint8_t *keys, HVX_Vector *logits,
              struct gathered *gathered);

/* Pass 2: weights as bytes. Returns the vectors per head and tile. */
static inline uint32_t hvx_weight_vectors(const struct phx_cache *cache) {
    return cache->dtype == PHX_F16 ? 1 : (cache->n_blocks + 1) / 2;
}

void hvx_weights(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *largest,
                 const struct steps *steps, uint32_t up, const HVX_Vector *logits, HVX_Vector *bytes,
                 struct least *least, struct gathered *gathered);

/* Pass 3: adds to `sums`, one vector per head and block of dims, and to `biases`, one per 2 blocks. */
void hvx_products(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *reference,
                  const struct steps *steps, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                  HVX_Vector *biases);

/* The results of a block's passes. */
struct result {
    const HVX_Vector *vweights, *vsums, *vbiases;
    const int32_t *reference;
    int32_t up;
};

/* Writes the rows. Heads in the bit mask `special` become NaN. */
void hvx_finish(const struct phx_attention *op, const struct phx_heads *heads, const struct result *result,
                uint32_t special);

/* The corresponding functions for F16 caches: halves.c. */
void hvx_append_halves(const struct phx_cache *cache, const struct phx_tokens *tokens);
void hvx_prepare_halves(const struct phx_attention *op, const struct phx_heads *heads, struct query *query);
void hvx_weights_halves(uint32_t n_heads, const struct tiles *tiles, const int32_t *largest, uint32_t up,
                        const HVX_Vector *logits, HVX_Vector *bytes, struct least *least, struct gathered *gathered);
void hvx_products_halves(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles,
                         const int32_t *reference, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                         HVX_Vector *biases);

#endif
