/* SPDX-License-Identifier: MIT
 *
 * The interface between the ops on a KV cache and their kernels in dsp/ref/attention and dsp/hvx/attention.
 * docs/attention.md has the arithmetic.
 *
 * The bytes of a cache and the floats are arbitrary: whatever they are, a kernel must neither fault nor access memory
 * outside its operands.
 */
#ifndef PHX_ATTENTION_H
#define PHX_ATTENTION_H

#include "cache.h"

#define PHX_HEADS_PER_BLOCK 4u
#define PHX_MIN_APPENDS_PER_THREAD 32u /* tokens times heads that pay for waking a thread: about 5,000 packets */

#define PHX_LOGIT_LIMIT (1 << 29)          /* 8192 powers of two, the clamp of logits */
#define PHX_DISTANCE_LIMIT ((1 << 21) - 1) /* tokens; ALiBi clamps longer distances to it */
#define PHX_LOG2E_Q30 1549082005

/* Parameters of cap * tanh(logit / cap): docs/attention.md, 9. */
struct phx_softcap {
    int32_t reciprocal, shift; /* 1 / cap: Q31, a half to one; shift of (2 * logit) * (1 / cap) to Q23 */
    int32_t factor, down;      /* cap * log2(e) in the same form; shift of a product with it to Q16. factor 0: no cap */
};

/* Parameters shared by all rows of an op. */
struct phx_attention {
    struct phx_cache cache;
    uint32_t width;      /* floats of a head: n_dims of the cache, or up to 31 fewer */
    int32_t multiplier;  /* converts sums to logits */
    int32_t logit_shift; /* right shift of a product, before subtracting the exponents of q and of the key */
    int32_t tiles_log2;  /* log2 of the number of tiles whose products may be added without a shift */
    int32_t factor;      /* converts sums to results, Q31 */
    int32_t exponent;    /* of results whose sums are not shifted */
    struct phx_softcap softcap;
    uint32_t key_vectors; /* of a tile, which pass 1 prefetches; 0: kernels prefetch nothing */
};

/* Sets the constants that follow from the cache's type and the scale, which is finite and not negative. */
void phx_attention_set_scale(struct phx_attention *op, float scale);

/* Sets whether kernels prefetch tiles of the cache. */
void phx_attention_set_fetching(struct phx_attention *op, bool is_fetching);

/* Sets the softcap. cap is PHX_SOFTCAP_MIN..PHX_SOFTCAP_MAX, or 0 for none. */
#define PHX_SOFTCAP_MIN 0x1p-10f
#define PHX_SOFTCAP_MAX 4096.0f
void phx_attention_set_softcap(struct phx_attention *op, float cap);

/* Converts a float to a logit: Q16, in powers of two, clamped to 2^29. */
int32_t phx_logit_of(uint32_t bits);

/* phx_sink_weight() returns what an attention sink adds to a sum of weights that are relative to `largest`;
 * phx_larger_logit() returns the larger of two logits, rounded up to a whole number. */
int32_t phx_sink_weight(int32_t sink, int32_t largest, uint32_t up);
int32_t phx_larger_logit(int32_t sink, int32_t largest);

/* A block: up to PHX_HEADS_PER_BLOCK query heads of one token that share a KV head. */
struct phx_heads {
    const uint8_t *q; /* floats, aligned to 4 bytes only */
    uint32_t q_step;  /* bytes between heads */
    uint8_t *dst;
    uint32_t dst_step;
    uint32_t n_heads;      /* 1..PHX_HEADS_PER_BLOCK */
    const int32_t *sinks;  /* logits of attention sinks, one per head; or NULL */
    uint32_t special;      /* one bit per head whose result is NaN regardless of the keys */
    const uint8_t *tiles;  /* of the KV head, in page 0 */
    const uint32_t *pages; /* offsets of the sequence's pages from `tiles` */
    uint32_t first, end;   /* range of visible positions, at least one */
    uint32_t position;     /* position of the token itself */
    const uint8_t *mask;   /* a number per position, added to its logits; or NULL */
    bool mask_is_f16;
    const uint32_t *slopes; /* finite floats, one per head: factor of distances, or of the mask; or NULL */
};

/* Returns whether logits are modified before the maximum is computed. */
static inline bool phx_has_options(const struct phx_attention *op, const struct phx_heads *heads) {
    return op->softcap.factor || heads->mask || heads->slopes;
}

/* The range of tiles with visible tokens: the first one, and their number. */
static inline uint32_t phx_first_tile(const struct phx_heads *heads) {
    return heads->first / PHX_TILE_ROWS;
}

static inline uint32_t phx_n_visible_tiles(const struct phx_heads *heads) {
    return (heads->end + PHX_TILE_ROWS - 1) / PHX_TILE_ROWS - phx_first_tile(heads);
}

/* Returns the shift that keeps a sum over n_tiles tiles within 32 bits, if 2^log2 tiles need none. It depends on the
 * tiles of this row only, not of the whole call, for batch invariance. */
static inline int32_t phx_tiles_shift(uint32_t n_tiles, int32_t log2) {
    int32_t own = n_tiles > 1 ? 32 - __builtin_clz(n_tiles - 1) : 0;
    return own > log2 ? own - log2 : 0;
}

/* Returns the left shift of a row's sums of weights, which take 22 bits per tile. */
static inline int32_t phx_weights_up(uint32_t n_tiles) {
    return 6 - phx_tiles_shift(n_tiles, 8);
}

/* F16 caches: returns the left shift of sums with q's high bytes. Sums with its low bytes are shifted right by 8 minus
 * this. */
static inline int32_t phx_halves_up(uint32_t n_blocks) {
    return n_blocks > 8 ? 0 : n_blocks > 4 ? 1 : n_blocks > 2 ? 2 : 3;
}

/* Q8_0 and Q4_0 caches: returns the right shift of the sums of four blocks each before they are added. */
static inline int32_t phx_codes_down(uint32_t n_blocks) {
    return n_blocks > 8 ? 2 : n_blocks > 4 ? 1 : 0;
}

/* Upper bound of n of an F16 tile; a tile without visible tokens has it, and its weights are 0. */
#define PHX_HALVES_MAX_N 16384

/* A token of one KV head, to be written to its tiles. */
struct phx_token {
    const uint8_t *k, *v; /* floats, aligned to 4 bytes only */
    uint32_t width;
    uint8_t *tiles; /* tiles of its page and head */
    uint32_t position;
};

/* The destination of a token. */
struct phx_slot {
    uint32_t page; /* PHX_NO_PAGE: the row is skipped */
    uint32_t position;
};

/* Tokens of one KV head. */
struct phx_tokens {
    const uint8_t *k, *v; /* of the first one: floats, aligned to 4 bytes only */
    uint32_t k_step, v_step;
    uint32_t width;
    uint8_t *tiles; /* of the head, in page 0 */
    const struct phx_slot *slots;
    uint32_t n;
};

static inline struct phx_token phx_token(const struct phx_tokens *tokens, uint32_t i) {
    return (struct phx_token){tokens->k + i * tokens->k_step, tokens->v + i * tokens->v_step, tokens->width,
                              tokens->tiles + tokens->slots[i].page, tokens->slots[i].position};
}

/* The part of one of n threads that share a block and its `work`: in each pass over tiles, the tiles starts[pass][0] to
 * starts[pass][1] - 1, relative to the block's first. */
#define PHX_ATTENTION_PASSES 3u
#define PHX_PARTS_OF_A_THREAD 2u /* at most: the end of one block and the start of the next */
struct phx_part {
    const struct phx_heads *heads;
    void *work;
    uint32_t index, n;
    const uint32_t *starts[PHX_ATTENTION_PASSES];
};

struct phx_pool;

struct phx_attention_kernel {
    uint32_t kernels; /* enum phx_kernels: for the record */

    void (*append)(const struct phx_cache *cache, const struct phx_tokens *tokens);

    /* Translates n consecutive page numbers of a table with phx_page_offset(). Returns whether any of them is
     * invalid. */
    bool (*translate)(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets);

    /* Returns the bytes of `work` for a block of up to n_tiles visible tiles that is split into n_parts parts. */
    size_t (*work_bytes)(const struct phx_cache *cache, uint32_t n_tiles, uint32_t n_parts);
    void (*attend)(const struct phx_attention *op, const struct phx_heads *heads, void *work);

    /* Attention by threads that share blocks. For each block one thread prepares q, which needs no pages, or n threads
     * prepare a part each (not for F16 caches). Then every thread runs its parts and waits for all of them between the
     * passes, PHX_ATTENTION_PASSES times. NULL: blocks are not split. */
    void (*prepare)(const struct phx_attention *op, const struct phx_heads *heads, void *work, uint32_t index,
                    uint32_t n);
    void (*attend_parts)(const struct phx_attention *op, const struct phx_part *parts, uint32_t n_parts,
                         struct phx_pool *pool, uint32_t thread);
};

/* Returns the kernels up to the given enum phx_kernels. */
const struct phx_attention_kernel *phx_attention_kernel(uint32_t kernels);

extern const struct phx_attention_kernel phx_attention_ref;
extern const struct phx_attention_kernel phx_attention_hvx; /* only in builds that compile dsp/hvx (PHX_HVX) */

#endif
