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
#define UNSEEN INT32_MIN

/* q of a block: what logits want of it. */
struct query {
    union {
        struct {
            int32_t words[MAX_BLOCKS][MAX_HEADS][8]; /* int8, 4 to a word: a vector for each 32 dims */
            HVX_Vector vbias[MAX_BLOCKS][MAX_HEADS]; /* 8 less 128 times their sum; Q4_0: -8 times it */
            int32_t scales[MAX_BLOCKS][MAX_HEADS];   /* twice in a word */
        };
        /* F16: of two dims the high bytes, twice in a word, and the low bytes likewise */
        uint64_t halves[MAX_HEADS][MAX_BLOCKS * PHX_BLOCK / 2];
    };
    int32_t exponent;
    int32_t is_special; /* a bit for each head */
} __attribute__((aligned(HVX_BYTES)));

/* Of a tile: the least k of head h in k[8 * h], n in n[8 * h] (docs/attention.md, 4). */
struct least {
    int16_t k[HVX_LANES_I32], n[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

/* What the passes gather over tiles. */
struct gathered {
    HVX_Vector vlargest[MAX_HEADS];
    HVX_Vector vspecial; /* largest exponent of a seen token's key */
    HVX_Vector vweights[MAX_HEADS];
    HVX_Vector vleast; /* of the tiles' struct least */
};

/* Where a block's tiles are: tile i lies at tiles + pages[i]. */
struct tiles {
    const uint8_t *keys;
    const uint8_t *values;
    const uint32_t *pages;
    uint32_t n;
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

/* Sizes of a tile's values, and the least where they are not seen: whatever lies there, it weighs nothing. logits: of any
 * head. Those that are seen are within 2^29. */
HVX_INLINE HVX_Vector hvx_sizes_seen(const uint8_t *values, const HVX_Vector *logits) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(logits[1], logits[0]);
    HVX_VectorPred qseen = Q6_Q_vcmp_gt_VhVh(vhigh, hvx_splat_i16(UNSEEN >> 17));
    return Q6_V_vmux_QVV(qseen, *(const HVX_Vector *)values, hvx_splat_i16(INT16_MIN));
}

/* k, key and the fraction of each token of a tile, for a unit: a head, or a tile. */
struct unit {
    HVX_Vector vk, vkey, vfraction;
};

/* The least k and key of each unit: unit u's in lanes 8 * u and 32 + 8 * u. */
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

/* n of the least keys: in the upper half of a vector. */
HVX_INLINE HVX_Vector hvx_n_of_key(HVX_Vector vleast) {
    HVX_Vector vless = Q6_V_vmux_QVV(Q6_Q_vsetq_R(HVX_BYTES / 2), Q6_V_vzero(), hvx_splat_i16(3));
    return Q6_Vh_vsub_VhVh(vleast, vless);
}

/* Those of a tile's tokens, of words 0..31 and of words 32..63. */
HVX_INLINE HVX_VectorPair hvx_exponents_of(const uint8_t *keys) {
    HVX_Vector v = *(const HVX_Vector *)keys;
    return Q6_W_vcombine_VV(Q6_Vw_vasr_VwR(v, 16), Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(v, 16), 16));
}

HVX_INLINE HVX_Vector hvx_clamp_i32(HVX_Vector v, HVX_Vector vleast, HVX_Vector vmost) {
    return Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(v, vleast), vmost);
}

bool hvx_look_up(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets);
void hvx_append(const struct phx_cache *cache, const struct phx_tokens *tokens);
void hvx_append_special(const struct phx_cache *cache, const struct phx_tokens *tokens, uint32_t i); /* one of them */
void hvx_prepare(const struct phx_attention *op, const struct phx_heads *heads, struct query *query);
void hvx_prepare_part(const struct phx_attention *op, const struct phx_heads *heads, struct query *query,
                      uint32_t index, uint32_t n); /* by n threads; not of an F16 cache */

/* Pass 1: logits of n tiles to `logits`, 2 vectors for each head and tile. is_large: they may be so; if they may but it is
 * not said, the caller finds that out from gathered->vspecial, and has to say it then. */
void hvx_logits(const struct phx_attention *op, const struct query *query, uint32_t n_heads, const struct tiles *tiles,
                bool is_large, HVX_Vector *logits, struct gathered *gathered);

/* Of a tile whose first token is `start`: applies options to logits, hides what is not seen, and gathers. */
void hvx_adjust(const struct phx_attention *op, const struct phx_heads *heads, uint32_t start, const uint8_t *keys,
                HVX_Vector *logits, struct gathered *gathered);

/* The same where all that is to be done is to hide. */
void hvx_hide(const struct phx_heads *heads, uint32_t start, const uint8_t *keys, HVX_Vector *logits,
              struct gathered *gathered);

/* Pass 2: weights as bytes, so many vectors for each head and tile. */
static inline uint32_t hvx_weight_vectors(const struct phx_cache *cache) {
    return cache->dtype == PHX_F16 ? 1 : (cache->n_blocks + 1) / 2;
}

void hvx_weights(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *largest,
                 const struct steps *steps, uint32_t up, const HVX_Vector *logits, HVX_Vector *bytes,
                 struct least *least, struct gathered *gathered);

/* Pass 3: `sums`, a vector for each head and block of dims, and `biases`, one for each 2 blocks. */
void hvx_products(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *reference,
                  const struct steps *steps, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                  HVX_Vector *biases);

/* What a block's passes have come to. */
struct result {
    const HVX_Vector *vweights, *vsums, *vbiases;
    const int32_t *reference;
    int32_t up;
};

/* Writes the rows; those of `special`, a bit for each head, are NaN. */
void hvx_finish(const struct phx_attention *op, const struct phx_heads *heads, const struct result *result,
                uint32_t special);

/* The same of an F16 cache: halves.c. */
void hvx_append_halves(const struct phx_cache *cache, const struct phx_tokens *tokens);
void hvx_prepare_halves(const struct phx_attention *op, const struct phx_heads *heads, struct query *query);
void hvx_weights_halves(uint32_t n_heads, const struct tiles *tiles, const int32_t *largest, uint32_t up,
                        const HVX_Vector *logits, HVX_Vector *bytes, struct least *least, struct gathered *gathered);
void hvx_products_halves(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles,
                         const int32_t *reference, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                         HVX_Vector *biases);

#endif
