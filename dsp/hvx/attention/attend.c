/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/attention/attend.c in three passes over a block's tiles, and the result: four steps, of which each needs what
 * the one before has found of all tiles. So threads may share a block, each with some of its tiles: in all that goes from
 * step to step largest numbers are sought or integers added, whose order does not matter.
 *
 * At most two tiles are seen in part: the first and the last. Only these take the time to mask.
 */
#include "attention.h"
#include "runtime/libc.h"

/* What a thread finds of its tiles. */
struct part {
    struct query query;
    struct gathered gathered;
    struct gathered unused; /* what is gathered of logits that are not final */
    struct totals {
        HVX_Vector vsums[MAX_HEADS * MAX_BLOCKS], vbiases[MAX_HEADS * MAX_BLOCKS / 2];
    } totals, of_all; /* of its tiles; of all tiles, one head */
    int32_t largest[MAX_HEADS], reference[MAX_HEADS];
    int32_t largest_exponent; /* of the keys that are seen */
    bool is_hidden;           /* the mask hides all */
};

/* Working memory: the parts, then of each tile its logits, its bytes and its least. */
static size_t work_bytes(const struct phx_cache *cache, uint32_t n_tiles, uint32_t n_parts) {
    size_t tile_vectors = MAX_HEADS * (2 + hvx_weight_vectors(cache));
    return n_parts * sizeof(struct part) + n_tiles * (tile_vectors * HVX_BYTES + sizeof(struct least));
}

/* A block as one of the threads sees it that share it. */
struct block {
    const struct phx_attention *op;
    const struct phx_heads *heads;
    struct part *parts, *part; /* all; its own */
    uint32_t index, n_parts;
    uint32_t first_tile, n_tiles; /* of the block */
    uint32_t start, end;          /* own tiles, counted from the block's first */
    HVX_Vector *logits, *bytes;
    struct least *least;
};

static struct block block_of(const struct phx_attention *op, const struct phx_heads *heads, const struct phx_part *part,
                             void *work) {
    uint32_t n_tiles = phx_n_tiles_seen(heads), n_heads = heads->n_heads;
    struct block block = {.op = op,
                          .heads = heads,
                          .parts = work,
                          .part = (struct part *)work + part->index,
                          .index = part->index,
                          .n_parts = part->n,
                          .first_tile = phx_first_tile(heads),
                          .n_tiles = n_tiles,
                          .start = part->start,
                          .end = part->end};
    block.logits = (HVX_Vector *)(block.parts + part->n);
    block.bytes = block.logits + n_tiles * 2 * n_heads;
    block.least = (struct least *)(block.bytes + n_tiles * hvx_weight_vectors(&op->cache) * n_heads);
    return block;
}

static struct tiles tiles_of(const struct block *block, uint32_t first, uint32_t n) {
    const struct phx_heads *heads = block->heads;
    return (struct tiles){heads->tiles, heads->tiles + block->op->cache.tile_bytes,
                          heads->pages + block->first_tile + first, n};
}

static bool is_partial(const struct block *block, uint32_t tile) {
    uint32_t start = (block->first_tile + tile) * TOKENS;
    return block->heads->first > start || block->heads->end < start + TOKENS;
}

/* The next tiles from `first` on that are all seen in full, or one that is not: with a mask, any. */
static uint32_t next_tiles(const struct block *block, uint32_t first, bool *partial) {
    *partial = block->heads->mask || is_partial(block, first);
    if (*partial) {
        return 1;
    }
    return block->end - first - (is_partial(block, block->end - 1) ? 1 : 0);
}

/* --- Logits --- */

static void find_logits_of_size(const struct block *block, bool is_large) {
    const struct phx_heads *heads = block->heads;
    struct gathered *gathered = &block->part->gathered;
    uint32_t n_heads = heads->n_heads, n;
    bool has_options = phx_has_options(block->op, heads), partial;
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        gathered->vlargest[h] = Q6_V_vsplat_R(UNSEEN);
    }
    gathered->vspecial = Q6_V_vzero();
    for (uint32_t first = block->start; first < block->end; first += n) {
        n = next_tiles(block, first, &partial);
        struct tiles tiles = tiles_of(block, first, n);
        HVX_Vector *logits = block->logits + first * 2 * n_heads;
        hvx_logits(block->op, &block->part->query, n_heads, &tiles, is_large, logits,
                   partial || has_options ? &block->part->unused : gathered);
        if (partial && !has_options) {
            hvx_hide(heads, (block->first_tile + first) * TOKENS, tiles.keys + tiles.pages[0], logits, gathered);
        }
        for (uint32_t i = 0; has_options && i < n; i++) {
            hvx_adjust(block->op, heads, (block->first_tile + first + i) * TOKENS, tiles.keys + tiles.pages[i],
                       logits + i * 2 * n_heads, gathered);
        }
    }
    block->part->largest_exponent = hvx_max_i32(gathered->vspecial);
}

/* Logits may be too large from `base` on. What the first tile's keys say is mostly what all say; if not, there is more to
 * do, but the bits are the same. */
static void find_logits(const struct block *block) {
    hvx_prepare(block->op, block->heads, &block->part->query);
    struct tiles tiles = tiles_of(block, block->start, 1);
    HVX_VectorPair wexponents = hvx_exponents_of(tiles.keys + tiles.pages[0]);
    int32_t base = block->op->logit_shift - block->part->query.exponent;
    bool is_large = hvx_max_i32(Q6_Vw_vmax_VwVw(Q6_V_lo_W(wexponents), Q6_V_hi_W(wexponents))) >= base;
    find_logits_of_size(block, is_large);
    if (!is_large && block->part->largest_exponent >= base) {
        find_logits_of_size(block, true);
    }
}

/* --- Weights --- */

/* The largest of each head, rounded up to a whole number. */
static void find_largest(const struct block *block) {
    HVX_Vector v[MAX_HEADS];
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        v[h] = block->parts[0].gathered.vlargest[h];
    }
    for (uint32_t part = 1; part < block->n_parts; part++) {
        HVX_UNROLL
        for (uint32_t h = 0; h < MAX_HEADS; h++) {
            v[h] = Q6_Vw_vmax_VwVw(v[h], block->parts[part].gathered.vlargest[h]);
        }
    }
    v[0] = hvx_max_neighbours_i32(hvx_max_neighbours_i32(v[0], v[1]), hvx_max_neighbours_i32(v[2], v[3]));
    HVX_UNROLL
    for (int distance = 16; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vmax_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    int32_t lanes[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)lanes = v[0];
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        block->part->largest[h] = (lanes[8 * h] + 0xffff) & ~0xffff;
    }
}

/* To the sums of weights only once. */
static void add_sinks(const struct block *block, uint32_t up) {
    const struct phx_heads *heads = block->heads;
    struct part *part = block->part;
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        part->largest[h] = phx_larger_logit(heads->sinks[h], part->largest[h]);
        if (block->start == 0) {
            int32_t weight = phx_sink_weight(heads->sinks[h], part->largest[h], up);
            part->gathered.vweights[h] = Q6_V_vand_QR(Q6_Q_vsetq_R(4), weight);
        }
    }
}

static void find_weights(const struct block *block) {
    struct part *part = block->part;
    uint32_t n_heads = block->heads->n_heads, up = (uint32_t)phx_weights_up(block->n_tiles);
    find_largest(block);
    part->is_hidden = part->largest[0] == UNSEEN;
    if (part->is_hidden) {
        return;
    }
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        part->gathered.vweights[h] = Q6_V_vzero();
    }
    part->gathered.vleast = hvx_splat_i16(INT16_MAX);
    if (block->heads->sinks) {
        add_sinks(block, up);
    }
    struct tiles tiles = tiles_of(block, block->start, block->end - block->start);
    hvx_weights(block->op, n_heads, &tiles, part->largest, &hvx_steps, up, block->logits + block->start * 2 * n_heads,
                block->bytes + block->start * hvx_weight_vectors(&block->op->cache) * n_heads,
                block->least + block->start, &part->gathered);
}

/* --- Products --- */

static void find_references(const struct block *block) {
    uint32_t n_heads = block->heads->n_heads;
    HVX_Vector vleast = block->parts[0].gathered.vleast;
    for (uint32_t i = 1; i < block->n_parts; i++) {
        vleast = Q6_Vh_vmin_VhVh(vleast, block->parts[i].gathered.vleast);
    }
    if (n_heads == 1) { /* of several tiles */
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 32));
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 16));
    }
    struct least of_all;
    *(HVX_Vector *)&of_all = vleast;
    int32_t fraction = block->op->cache.dtype == PHX_F16 ? 0 : 8;
    int32_t less = phx_tiles_shift(block->n_tiles, block->op->tiles_log2);
    for (uint32_t h = 0; h < n_heads; h++) {
        block->part->reference[h] = (of_all.n[8 * h] >> fraction) - less;
    }
}

static void find_products(const struct block *block) {
    struct part *part = block->part;
    uint32_t n_heads = block->heads->n_heads;
    if (part->is_hidden) {
        return;
    }
    find_references(block);
    struct tiles tiles = tiles_of(block, block->start, block->end - block->start);
    hvx_products(block->op, n_heads, &tiles, part->reference, &hvx_steps,
                 block->bytes + block->start * hvx_weight_vectors(&block->op->cache) * n_heads,
                 block->least + block->start, part->totals.vsums, part->totals.vbiases);
}

/* --- The result --- */

/* The sum of a vector of each part: `first` is that of the first one. */
HVX_INLINE HVX_Vector sum_of_parts(const HVX_Vector *first, uint32_t n_parts) {
    HVX_Vector v = *first;
    for (uint32_t i = 1; i < n_parts; i++) {
        first = (const HVX_Vector *)((const uint8_t *)first + sizeof(struct part));
        v = Q6_Vw_vadd_VwVw(v, *first);
    }
    return v;
}

/* A head of which all parts have some. */
static void write_cut_head(const struct block *block, uint32_t head, uint32_t special) {
    uint32_t n_blocks = block->op->cache.n_blocks, n_pairs = (n_blocks + 1) / 2, n_parts = block->n_parts;
    const struct part *parts = block->parts;
    struct totals *totals = &block->part->of_all;
    HVX_Vector vweights[MAX_HEADS];
    vweights[0] = vweights[1] = vweights[2] = vweights[3] = sum_of_parts(&parts->gathered.vweights[head], n_parts);
    for (uint32_t b = 0; b < n_blocks; b++) {
        totals->vsums[b] = sum_of_parts(&parts->totals.vsums[head * n_blocks + b], n_parts);
    }
    for (uint32_t p = 0; p < n_pairs; p++) {
        totals->vbiases[p] = sum_of_parts(&parts->totals.vbiases[head * n_pairs + p], n_parts);
    }
    struct phx_heads own = {.dst = block->heads->dst + head * block->heads->dst_step, .n_heads = 1};
    hvx_finish(block->op, &own,
               &(struct result){vweights, totals->vsums, totals->vbiases, block->part->reference + head,
                                phx_weights_up(block->n_tiles)},
               special >> head & 1);
}

/* Heads whose result is NaN: a bit for each. */
static uint32_t special_of(const struct block *block) {
    int32_t largest_exponent = block->parts[0].largest_exponent;
    for (uint32_t i = 1; i < block->n_parts; i++) {
        int32_t exponent = block->parts[i].largest_exponent;
        largest_exponent = exponent > largest_exponent ? exponent : largest_exponent;
    }
    return largest_exponent >= PHX_CACHE_SPECIAL ? 15 : (uint32_t)block->part->query.is_special | block->heads->special;
}

/* Parts write heads in turn. */
static void write_result(const struct block *block) {
    const struct phx_heads *heads = block->heads;
    struct part *part = block->part;
    uint32_t special = special_of(block);
    if (part->is_hidden) {
        for (uint32_t h = block->index; h < heads->n_heads; h += block->n_parts) {
            memset(heads->dst + h * heads->dst_step, 0, block->op->width * sizeof(float));
        }
    } else if (block->n_parts == 1) {
        hvx_finish(block->op, heads,
                   &(struct result){part->gathered.vweights, part->totals.vsums, part->totals.vbiases, part->reference,
                                    phx_weights_up(block->n_tiles)},
                   special);
    } else {
        for (uint32_t h = block->index; h < heads->n_heads; h += block->n_parts) {
            write_cut_head(block, h, special);
        }
    }
}

/* --- All of it --- */

static void attend(const struct phx_attention *op, const struct phx_heads *heads, void *work) {
    struct block block = block_of(op, heads, &(struct phx_part){0, 1, 0, phx_n_tiles_seen(heads)}, work);
    find_logits(&block);
    find_weights(&block);
    find_products(&block);
    write_result(&block);
}

static void attend_part(const struct phx_attention *op, const struct phx_heads *heads, const struct phx_part *part,
                        uint32_t step, void *work) {
    static void (*const steps[PHX_ATTENTION_STEPS])(const struct block *) = {find_logits, find_weights, find_products,
                                                                             write_result};
    struct block block = block_of(op, heads, part, work);
    steps[step](&block);
}

const struct phx_attention_kernel phx_attention_hvx = {
    PHX_KERNELS_HVX, hvx_append, hvx_look_up, work_bytes, attend, attend_part,
};
