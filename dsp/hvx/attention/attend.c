/* SPDX-License-Identifier: MIT
 *
 * Attention in HVX (reference: dsp/ref/attention/attend.c), in three passes over a block's tiles followed by the
 * result. That makes four steps; a step needs the results of the previous step for all tiles. Several threads may share
 * a block: each processes some of its tiles. Only maximums and integer sums pass from step to step, so the order of the
 * threads does not change the result.
 *
 * At most two tiles are partially visible: the first and the last. Only these are masked.
 */
#include "attention.h"
#include "runtime/libc.h"
#include "runtime/pool.h"

/* Keeps loops over the few threads rolled: unrolled they would take more packets, and space. */
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

/* Results of one thread over its tiles of a block, or over all if it shares the block with nobody. In quotes: names of
 * docs/attention.md, 4 and 5. */
struct part {
    struct gathered gathered; /* pass 1: largest logits and exponents; pass 2: sums "W", least k and keys */
    struct gathered unused;   /* a place for maximums of logits before mask and options, which are never read */
    struct totals {           /* pass 3: accumulators of the dims of each head, and their biases */
        HVX_Vector vsums[MAX_HEADS * MAX_BLOCKS], vbiases[MAX_HEADS * MAX_BLOCKS / 2];
    } totals;
    int32_t largest[MAX_HEADS];   /* "top" of each head, over the whole block: the same in all parts */
    int32_t reference[MAX_HEADS]; /* "ref" of each head: totals are in this unit; the same in all parts */
    int32_t largest_exponent;     /* of this part's visible keys */
    bool is_hidden;               /* the mask hides all tokens of the block */
};

/* Returns the bytes of working memory: q, the parts, then for each tile its logits, weight bytes and least keys. */
static size_t work_bytes(const struct phx_cache *cache, uint32_t n_tiles, uint32_t n_parts) {
    size_t tile_vectors = MAX_HEADS * (2 + hvx_weight_vectors(cache));
    return sizeof(struct query) + n_parts * sizeof(struct part) +
           n_tiles * (tile_vectors * HVX_BYTES + sizeof(struct least));
}

/* Identifies a block and the part of one of the n threads that share it. */
struct name {
    const struct phx_attention *op;
    const struct phx_heads *heads;
    struct query *query;
    uint32_t index, n;
    uint32_t start, end; /* the part's tiles, relative to the block's first */
};

/* Values derived from a name. Functions that are not inlined derive them again, which is cheaper than passing them in
 * memory. */
struct block {
    struct name name;
    struct part *parts;           /* of all threads that share the block */
    struct part *part;            /* of this thread */
    uint32_t first_tile, n_tiles; /* of the whole block */
    HVX_Vector *logits, *bytes;
    struct least *least;
};

HVX_INLINE struct block block_of(struct name name) {
    uint32_t n_tiles = phx_n_visible_tiles(name.heads), n_heads = name.heads->n_heads;
    struct part *parts = (struct part *)(name.query + 1);
    struct block block = {.name = name,
                          .parts = parts,
                          .part = parts + name.index,
                          .first_tile = phx_first_tile(name.heads),
                          .n_tiles = n_tiles};
    block.logits = (HVX_Vector *)(parts + name.n);
    block.bytes = block.logits + n_tiles * 2 * n_heads;
    block.least = (struct least *)(block.bytes + n_tiles * hvx_weight_vectors(&name.op->cache) * n_heads);
    return block;
}

HVX_INLINE struct tiles tiles_of(const struct block *block, uint32_t first, uint32_t n) {
    struct tiles tiles;
    tiles.keys = block->name.heads->tiles;
    tiles.values = tiles.keys + block->name.op->cache.tile_bytes;
    tiles.pages = block->name.heads->pages + block->first_tile + first;
    tiles.n = n;
    return tiles;
}

/* --- Pass 1: logits --- */

HVX_INLINE void start_logits(struct gathered *gathered) {
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        gathered->vlargest[h] = Q6_V_vsplat_R(INVISIBLE);
    }
    gathered->vspecial = Q6_V_vzero();
}

/* Computes the logits of a partially visible tile. */
HVX_INLINE void find_hidden_logits(const struct block *block, uint32_t tile, bool is_large) {
    struct tiles tiles = tiles_of(block, tile, 1);
    HVX_Vector *logits = block->logits + tile * 2 * block->name.heads->n_heads;
    hvx_logits(block->name.op, block->name.query, block->name.heads->n_heads, &tiles, is_large, logits,
               &block->part->unused);
    hvx_hide(block->name.heads, (block->first_tile + tile) * TOKENS, tiles.keys + tiles.pages[0], logits,
             &block->part->gathered);
}

static __attribute__((noinline)) void find_logits_with_options(struct name name, bool is_large) {
    struct block block = block_of(name);
    uint32_t start = name.start, n = name.end - start, n_heads = name.heads->n_heads;
    struct tiles tiles = tiles_of(&block, start, n);
    HVX_Vector *logits = block.logits + start * 2 * n_heads;
    start_logits(&block.part->gathered);
    hvx_logits(name.op, name.query, n_heads, &tiles, is_large, logits, &block.part->unused);
    for (uint32_t i = 0; i < n; i++) {
        hvx_adjust(name.op, name.heads, (block.first_tile + start + i) * TOKENS, tiles.keys + tiles.pages[i],
                   logits + i * 2 * n_heads, &block.part->gathered);
    }
}

HVX_INLINE void find_logits_of_size(const struct block *block, bool is_large) {
    const struct phx_heads *heads = block->name.heads;
    uint32_t start = block->name.start, end = block->name.end;
    if (phx_has_options(block->name.op, heads)) {
        find_logits_with_options(block->name, is_large);
        return;
    }
    start_logits(&block->part->gathered);
    if (start < end && heads->first > (block->first_tile + start) * TOKENS) {
        find_hidden_logits(block, start++, is_large);
    }
    bool is_last_partial = start < end && heads->end < (block->first_tile + end) * TOKENS;
    end -= is_last_partial ? 1 : 0;
    if (start < end) {
        struct tiles tiles = tiles_of(block, start, end - start);
        hvx_logits(block->name.op, block->name.query, heads->n_heads, &tiles, is_large,
                   block->logits + start * 2 * heads->n_heads, &block->part->gathered);
    }
    if (is_last_partial) {
        find_hidden_logits(block, end, is_large);
    }
}

static __attribute__((noinline)) void find_large_logits(struct name name) {
    struct block block = block_of(name);
    find_logits_of_size(&block, true);
}

/* Computes the part's logits. Logits may overflow where a key's exponent is above `below`. The first tile's keys
 * predict within one what all keys need; if the prediction fails, the tiles are computed again with the slower loop,
 * and the bits are the same. */
HVX_INLINE void find_logits(const struct block *block) {
    struct tiles tiles = tiles_of(block, block->name.start, 1);
    HVX_VectorPair wexponents = hvx_exponents_of(tiles.keys + tiles.pages[0]);
    int32_t below = block->name.op->logit_shift - block->name.query->exponent - 1;
    HVX_Vector vlargest = Q6_Vw_vmax_VwVw(Q6_V_lo_W(wexponents), Q6_V_hi_W(wexponents));
    bool is_large = hvx_any(Q6_Q_vcmp_gt_VwVw(vlargest, Q6_V_vsplat_R(below - 1)));
    find_logits_of_size(block, is_large);
    if (!is_large && hvx_any(Q6_Q_vcmp_gt_VwVw(block->part->gathered.vspecial, Q6_V_vsplat_R(below)))) {
        find_large_logits(block->name);
    }
}

/* --- Pass 2: weights --- */

/* Computes the maximum of each head, rounded up to a whole number, and the largest exponent of the part's keys. */
HVX_INLINE void find_largest(const struct block *block) {
    HVX_Vector v[MAX_HEADS];
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        v[h] = block->parts[0].gathered.vlargest[h];
    }
    KEEP_ROLLED
    for (uint32_t part = 1; part < block->name.n; part++) {
        HVX_UNROLL
        for (uint32_t h = 0; h < MAX_HEADS; h++) {
            v[h] = Q6_Vw_vmax_VwVw(v[h], block->parts[part].gathered.vlargest[h]);
        }
    }
    v[0] = hvx_max_neighbours_i32(hvx_max_neighbours_i32(v[0], v[1]), hvx_max_neighbours_i32(v[2], v[3]));
    HVX_Vector vspecial = block->part->gathered.vspecial;
    HVX_UNROLL
    for (int distance = 64; distance >= 4; distance /= 2) { /* interleaved */
        vspecial = Q6_Vw_vmax_VwVw(vspecial, Q6_V_vror_VR(vspecial, distance));
        v[0] = distance > 16 ? v[0] : Q6_Vw_vmax_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    int32_t lanes[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)lanes = math_mask(math_add_constant_i32(v[0], 0xffff), 0xffff0000);
    block->part->largest_exponent = Q6_R_vextract_VR(vspecial, 0);
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        block->part->largest[h] = lanes[8 * h];
    }
}

/* Adds the weights of attention sinks, to the sums of one part only. */
static __attribute__((noinline)) void add_sinks(const struct phx_heads *heads, struct part *part, bool is_first,
                                                uint32_t up) {
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        part->largest[h] = phx_larger_logit(heads->sinks[h], part->largest[h]);
        if (is_first) {
            int32_t weight = phx_sink_weight(heads->sinks[h], part->largest[h], up);
            part->gathered.vweights[h] = Q6_V_vand_QR(Q6_Q_vsetq_R(4), weight);
        }
    }
}

HVX_INLINE void find_weights(const struct block *block) {
    struct part *part = block->part;
    uint32_t n_heads = block->name.heads->n_heads, up = (uint32_t)phx_weights_up(block->n_tiles);
    find_largest(block);
    part->is_hidden = part->largest[0] == INVISIBLE;
    if (part->is_hidden) {
        return;
    }
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        part->gathered.vweights[h] = Q6_V_vzero();
    }
    part->gathered.vleast = hvx_splat_i16(INT16_MAX);
    if (block->name.heads->sinks) {
        add_sinks(block->name.heads, part, block->name.index == 0, up);
    }
    struct tiles tiles = tiles_of(block, block->name.start, block->name.end - block->name.start);
    hvx_weights(block->name.op, n_heads, &tiles, part->largest, &hvx_steps, up,
                block->logits + block->name.start * 2 * n_heads,
                block->bytes + block->name.start * hvx_weight_vectors(&block->name.op->cache) * n_heads,
                block->least + block->name.start, &part->gathered);
}

/* --- Pass 3: products --- */

HVX_INLINE void find_references(const struct block *block) {
    uint32_t n_heads = block->name.heads->n_heads;
    HVX_Vector vleast = block->parts[0].gathered.vleast;
    KEEP_ROLLED
    for (uint32_t i = 1; i < block->name.n; i++) {
        vleast = Q6_Vh_vmin_VhVh(vleast, block->parts[i].gathered.vleast);
    }
    if (n_heads == 1) { /* units are tiles */
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 32));
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 16));
    }
    struct least of_all;
    *(HVX_Vector *)&of_all = vleast;
    int32_t fraction = block->name.op->cache.dtype == PHX_F16 ? 0 : 8;
    int32_t less = phx_tiles_shift(block->n_tiles, block->name.op->tiles_log2);
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        block->part->reference[h] = (of_all.n[8 * h] >> fraction) - less;
    }
}

HVX_INLINE void find_products(const struct block *block) {
    struct part *part = block->part;
    uint32_t n_heads = block->name.heads->n_heads;
    if (part->is_hidden) {
        return;
    }
    find_references(block);
    struct tiles tiles = tiles_of(block, block->name.start, block->name.end - block->name.start);
    tiles.fetches = block->name.op->key_vectors;
    hvx_products(block->name.op, n_heads, &tiles, part->reference, &hvx_steps,
                 block->bytes + block->name.start * hvx_weight_vectors(&block->name.op->cache) * n_heads,
                 block->least + block->name.start, part->totals.vsums, part->totals.vbiases);
}

/* --- The result --- */

/* Adds the partial sums of n_others parts to the last part; a part has n vectors. */
HVX_INLINE void add_vectors(HVX_Vector *last, uint32_t n, uint32_t n_others) {
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *other = (const uint8_t *)(last + i);
        HVX_Vector v = last[i];
        HVX_UNROLL
        for (uint32_t part = 0; part < n_others; part++) {
            other -= sizeof(struct part);
            v = Q6_Vw_vadd_VwVw(v, *(const HVX_Vector *)other);
        }
        last[i] = v;
    }
}

HVX_INLINE void add_parts(struct part *last, uint32_t n_heads, uint32_t n_blocks, uint32_t n_others) {
    add_vectors(last->gathered.vweights, n_heads, n_others);
    add_vectors(last->totals.vsums, n_heads * n_blocks, n_others);
    add_vectors(last->totals.vbiases, n_heads * ((n_blocks + 1) / 2), n_others);
}

/* Adds the results of all parts to the last one. */
static __attribute__((noinline)) void add_all_parts(struct part *last, uint32_t n_heads, uint32_t n_blocks,
                                                    uint32_t n_others) {
    if (n_others == 1) {
        add_parts(last, n_heads, n_blocks, 1);
    } else if (n_others == 3) {
        add_parts(last, n_heads, n_blocks, 3);
    } else {
        add_parts(last, n_heads, n_blocks, n_others);
    }
}

/* Returns a bit mask of the heads whose result is NaN. */
HVX_INLINE uint32_t special_of(const struct block *block) {
    int32_t largest_exponent = block->parts[0].largest_exponent;
    KEEP_ROLLED
    for (uint32_t i = 1; i < block->name.n; i++) {
        int32_t exponent = block->parts[i].largest_exponent;
        largest_exponent = exponent > largest_exponent ? exponent : largest_exponent;
    }
    return largest_exponent >= PHX_CACHE_SPECIAL ? 15
                                                 : (uint32_t)block->name.query->is_special | block->name.heads->special;
}

/* The last part writes the rows of all heads, since a single head takes almost as long. */
HVX_INLINE void write_result(const struct block *block) {
    const struct phx_heads *heads = block->name.heads;
    struct part *part = block->part;
    uint32_t n_others = block->name.n - 1;
    if (part->is_hidden) {
        for (uint32_t h = 0; h < heads->n_heads; h++) {
            memset(heads->dst + h * heads->dst_step, 0, block->name.op->width * sizeof(float));
        }
        return;
    }
    if (n_others) {
        add_all_parts(part, heads->n_heads, block->name.op->cache.n_blocks, n_others);
    }
    hvx_finish(block->name.op, heads,
               &(struct result){part->gathered.vweights, part->totals.vsums, part->totals.vbiases, part->reference,
                                phx_weights_up(block->n_tiles)},
               special_of(block));
}

/* --- Entry --- */

static void attend(const struct phx_attention *op, const struct phx_heads *heads, void *work) {
    struct block block = block_of((struct name){op, heads, work, 0, 1, 0, phx_n_visible_tiles(heads)});
    hvx_prepare(op, heads, work);
    find_logits(&block);
    find_weights(&block);
    find_products(&block);
    write_result(&block);
}

static void prepare(const struct phx_attention *op, const struct phx_heads *heads, void *work, uint32_t index,
                    uint32_t n) {
    if (n == 1) {
        hvx_prepare(op, heads, work);
    } else {
        hvx_prepare_part(op, heads, work, index, n);
    }
}

/* Copied field by field, so that unused fields are not loaded and used ones stay in registers. */
HVX_INLINE struct block in_pass(const struct block *block, const struct phx_part *part, uint32_t pass) {
    const struct name *name = &block->name;
    return (struct block){.name = {name->op, name->heads, name->query, name->index, name->n, part->starts[pass][0],
                                   part->starts[pass][1]},
                          .parts = block->parts,
                          .part = block->part,
                          .first_tile = block->first_tile,
                          .n_tiles = block->n_tiles,
                          .logits = block->logits,
                          .bytes = block->bytes,
                          .least = block->least};
}

static void attend_parts(const struct phx_attention *op, const struct phx_part *parts, uint32_t n_parts,
                         struct phx_pool *pool, uint32_t thread) {
    struct block blocks[PHX_PARTS_OF_A_THREAD];
    for (uint32_t i = 0; i < n_parts; i++) {
        const struct phx_part *part = &parts[i];
        blocks[i] = block_of((struct name){op, part->heads, part->work, part->index, part->n, 0, 0});
        struct block block = in_pass(&blocks[i], part, 0);
        find_logits(&block);
    }
    phx_pool_barrier(pool, thread);
    for (uint32_t i = 0; i < n_parts; i++) {
        struct block block = in_pass(&blocks[i], &parts[i], 1);
        find_weights(&block);
    }
    phx_pool_barrier(pool, thread);
    for (uint32_t i = 0; i < n_parts; i++) {
        struct block block = in_pass(&blocks[i], &parts[i], 2);
        find_products(&block);
    }
    phx_pool_barrier(pool, thread);
    for (uint32_t i = 0; i < n_parts; i++) {
        if (parts[i].index + 1 == parts[i].n) {
            struct block block = in_pass(&blocks[i], &parts[i], 2);
            write_result(&block);
        }
    }
}

const struct phx_attention_kernel phx_attention_hvx = {
    PHX_KERNELS_VECTOR, hvx_append, hvx_translate_pages, work_bytes, attend, prepare, attend_parts,
};
