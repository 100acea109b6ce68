/* SPDX-License-Identifier: MIT
 *
 * The seam between the ops that read and write a cache of keys and values, and their kernels in dsp/ref/attention and
 * dsp/hvx/attention. docs/attention.md has the arithmetic.
 *
 * The bytes of a cache, and the floats, are arbitrary: a kernel must neither fault nor reach outside whatever they are.
 */
#ifndef PHX_ATTENTION_H
#define PHX_ATTENTION_H

#include "cache.h"

#define PHX_HEADS_AT_ONCE 4u
#define PHX_APPENDS_WORTH_A_THREAD 32u /* tokens times heads: about 5,000 packets */

#define PHX_LOGIT_LIMIT (1 << 29)          /* 8192 powers of two */
#define PHX_DISTANCE_LIMIT ((1 << 21) - 1) /* tokens; farther ones count as that far for slopes */
#define PHX_LOG2E_Q30 1549082005

/* cap * tanh(logit / cap): docs/attention.md, 9. */
struct phx_softcap {
    int32_t reciprocal, shift; /* of the cap: Q31, a half to one; and how far twice a logit times it is from Q23 */
    int32_t factor, down;      /* cap * log2 e likewise, and how far a product with it is from Q16. factor 0: no cap */
};

/* What all rows of an op share. */
struct phx_attention {
    struct phx_cache cache;
    uint32_t width;      /* floats of a head: n_dims of the cache, or up to 31 less */
    int32_t multiplier;  /* of sums, to logits */
    int32_t logit_shift; /* less the exponents of q and of a key: what a product is shifted to the right by */
    int32_t tiles_log2;  /* so many tiles' products may be added before they are shifted */
    int32_t factor;      /* of results, Q31 */
    int32_t exponent;    /* of results whose sums are not shifted */
    struct phx_softcap softcap;
};

/* What follows from the cache's type and the scale, which is finite and not negative. */
void phx_attention_set_scale(struct phx_attention *op, float scale);

/* cap is within PHX_SOFTCAP_LEAST and _MOST, or 0: none. */
#define PHX_SOFTCAP_LEAST 0x1p-10f
#define PHX_SOFTCAP_MOST 4096.0f
void phx_attention_set_softcap(struct phx_attention *op, float cap);

/* A float as a logit: Q16, in powers of two, limited to 2^29. */
int32_t phx_logit_of(uint32_t bits);

/* What a sink adds to the sums of weights, and the larger of two logits, rounded up to a whole number. */
int32_t phx_sink_weight(int32_t sink, int32_t largest, uint32_t up);
int32_t phx_larger_logit(int32_t sink, int32_t largest);

/* A block: heads of one token that share a KV head. */
struct phx_heads {
    const uint8_t *q; /* floats, aligned to 4 bytes, not more */
    uint32_t q_step;  /* bytes from head to head */
    uint8_t *dst;
    uint32_t dst_step;
    uint32_t n_heads;      /* 1..PHX_HEADS_AT_ONCE */
    const int32_t *sinks;  /* logits that count without a value, one for each head; or NULL */
    uint32_t special;      /* a bit for each head whose result is NaN whatever it sees */
    const uint8_t *tiles;  /* of the KV head in page 0 */
    const uint32_t *pages; /* where the sequence's pages lie from there */
    uint32_t first, end;   /* the positions that it sees: at least one */
    uint32_t position;     /* its own */
    const uint8_t *mask;   /* a number for each position, which is added to its logits; or NULL */
    bool mask_is_f16;
    const uint32_t *slopes; /* finite floats, one for each head: of distances, or of the mask; or NULL */
};

/* Whether logits are changed before the largest is sought. */
static inline bool phx_has_options(const struct phx_attention *op, const struct phx_heads *heads) {
    return op->softcap.factor || heads->mask || heads->slopes;
}

/* Tiles that the block sees any token of: its first, and how many. */
static inline uint32_t phx_first_tile(const struct phx_heads *heads) {
    return heads->first / PHX_TILE_ROWS;
}

static inline uint32_t phx_n_tiles_seen(const struct phx_heads *heads) {
    return (heads->end + PHX_TILE_ROWS - 1) / PHX_TILE_ROWS - phx_first_tile(heads);
}

/* What sums over many tiles are shifted by, if 2^log2 tiles need none: they stay within 32 bits. Of the row's own tiles,
 * not of the call's. */
static inline int32_t phx_tiles_shift(uint32_t n_tiles, int32_t log2) {
    int32_t own = n_tiles > 1 ? 32 - __builtin_clz(n_tiles - 1) : 0;
    return own > log2 ? own - log2 : 0;
}

/* Sums of weights are of 22 bits a tile: what those of a row are shifted to the left by. */
static inline int32_t phx_weights_up(uint32_t n_tiles) {
    return 6 - phx_tiles_shift(n_tiles, 8);
}

/* Of an F16 cache, 16 bits of a sum of products are kept below those that are left of the product of two high bytes. */
static inline int32_t phx_halves_up(uint32_t n_blocks) {
    return n_blocks > 4 ? 1 : n_blocks > 2 ? 2 : 3;
}

/* The largest n of a tile of an F16 cache: of one of which nothing is seen, weights are 0 then. */
#define PHX_HALVES_MOST_N 16384

/* A token of one KV head, to be put into its tiles. */
struct phx_token {
    const uint8_t *k, *v; /* floats, aligned to 4 bytes, not more */
    uint32_t width;
    uint8_t *tiles; /* of its page and head */
    uint32_t position;
};

/* Where a token goes. */
struct phx_place {
    uint32_t page; /* PHX_NO_PAGE: nowhere */
    uint32_t position;
};

/* Tokens of one KV head. */
struct phx_tokens {
    const uint8_t *k, *v; /* of the first one: floats, aligned to 4 bytes, not more */
    uint32_t k_step, v_step;
    uint32_t width;
    uint8_t *tiles; /* of the head in page 0 */
    const struct phx_place *places;
    uint32_t n;
};

static inline struct phx_token phx_token(const struct phx_tokens *tokens, uint32_t i) {
    return (struct phx_token){tokens->k + i * tokens->k_step, tokens->v + i * tokens->v_step, tokens->width,
                              tokens->tiles + tokens->places[i].page, tokens->places[i].position};
}

/* What one of n threads has that share a block, and `work`: in each pass over tiles those from starts[pass][0] to
 * starts[pass][1] - 1, counted from the block's first. */
#define PHX_ATTENTION_PASSES 3u
#define PHX_PARTS_OF_A_THREAD 2u /* at most: the last of a block, the first of the next */
struct phx_part {
    const struct phx_heads *heads;
    void *work;
    uint32_t index, n;
    const uint32_t *starts[PHX_ATTENTION_PASSES];
};

struct phx_attention_kernel {
    uint32_t kernels; /* enum phx_kernels: for the record */

    void (*append)(const struct phx_cache *cache, const struct phx_tokens *tokens);

    /* Looks up n numbers of a table, side by side: phx_page_offset() of each. Returns whether one is no page. */
    bool (*look_up)(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets);

    /* Bytes of `work` for a block that sees up to so many tiles, and is cut into so many parts. */
    size_t (*work_bytes)(const struct phx_cache *cache, uint32_t n_tiles, uint32_t n_parts);
    void (*attend)(const struct phx_attention *op, const struct phx_heads *heads, void *work);

    /* The same by threads that share blocks: for each of these one of them prepares q, which needs no pages, or n do, each
     * a part, but of an F16 cache; then each attends to its parts. meet() returns when all threads have called it,
     * PHX_ATTENTION_PASSES times. NULL: blocks are not cut. */
    void (*prepare)(const struct phx_attention *op, const struct phx_heads *heads, void *work, uint32_t index,
                    uint32_t n);
    void (*attend_parts)(const struct phx_attention *op, const struct phx_part *parts, uint32_t n_parts,
                         void (*meet)(void *argument), void *argument);
};

/* Of enum phx_kernels, the most that may be used. */
const struct phx_attention_kernel *phx_attention_kernel(uint32_t kernels);

extern const struct phx_attention_kernel phx_attention_ref;
extern const struct phx_attention_kernel phx_attention_hvx; /* only in builds that compile dsp/hvx (PHX_HVX) */

#endif
