/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/attention/attend.c in three passes over a block's tiles. At most two tiles are seen in part: the first and the
 * last. Only these take the time to mask.
 */
#include "attention.h"
#include "runtime/libc.h"

/* Working memory: this, then of each tile its logits, its bytes and its least. */
struct work {
    struct query query;
    struct gathered gathered;
    struct gathered unused; /* what is gathered of logits that are not final */
    HVX_Vector vsums[MAX_HEADS * MAX_BLOCKS];
    HVX_Vector vbiases[MAX_HEADS * MAX_BLOCKS / 2];
    int32_t largest[MAX_HEADS], reference[MAX_HEADS];
    int32_t largest_exponent; /* of the keys that are seen */
};

static size_t work_bytes(const struct phx_cache *cache, uint32_t n_tiles) {
    size_t tile_vectors = MAX_HEADS * (2 + hvx_weight_vectors(cache));
    return sizeof(struct work) + n_tiles * (tile_vectors * HVX_BYTES + sizeof(struct least)) + HVX_BYTES;
}

/* A block's tiles by number, in parts. */
struct parts {
    const struct phx_heads *heads;
    const struct phx_attention *op;
    uint32_t first_tile;
    HVX_Vector *logits, *bytes;
    struct least *least;
};

static struct tiles tiles_of(const struct parts *parts, uint32_t first, uint32_t n) {
    const struct phx_heads *heads = parts->heads;
    return (struct tiles){heads->tiles, heads->tiles + parts->op->cache.tile_bytes,
                          heads->pages + parts->first_tile + first, n};
}

static bool is_partial(const struct parts *parts, uint32_t tile) {
    uint32_t start = (parts->first_tile + tile) * TOKENS;
    return parts->heads->first > start || parts->heads->end < start + TOKENS;
}

/* The next tiles from `first` on that are all seen in full, or one that is not: with a mask, any. */
static uint32_t next_part(const struct parts *parts, uint32_t first, uint32_t end, bool *partial) {
    *partial = parts->heads->mask || is_partial(parts, first);
    if (*partial) {
        return 1;
    }
    return end - first - (is_partial(parts, end - 1) ? 1 : 0);
}

static void start_largest(struct gathered *gathered) {
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        gathered->vlargest[h] = Q6_V_vsplat_R(UNSEEN);
    }
    gathered->vspecial = Q6_V_vzero();
}

/* base: NULL, or what to subtract exponents from if logits may be too large. */
static void find_logits(const struct parts *parts, const struct query *query, uint32_t first, uint32_t end,
                        const int32_t *base, struct gathered *gathered, struct gathered *unused) {
    const struct phx_heads *heads = parts->heads;
    uint32_t n_heads = heads->n_heads, n;
    bool are_adjusted = base || phx_has_options(parts->op, heads);
    for (bool partial; first < end; first += n) {
        n = next_part(parts, first, end, &partial);
        struct tiles tiles = tiles_of(parts, first, n);
        HVX_Vector *logits = parts->logits + first * 2 * n_heads;
        bool is_adjusted = partial || are_adjusted;
        hvx_logits(parts->op, query, n_heads, &tiles, base != NULL, logits, is_adjusted ? unused : gathered);
        if (partial && !are_adjusted) {
            hvx_hide(heads, (parts->first_tile + first) * TOKENS, tiles.keys + tiles.pages[0], logits, gathered);
        }
        for (uint32_t i = 0; are_adjusted && i < n; i++) {
            hvx_adjust(parts->op, heads, (parts->first_tile + first + i) * TOKENS, tiles.keys + tiles.pages[i], base,
                       logits + i * 2 * n_heads, gathered);
        }
    }
}

/* The largest of each head, rounded up to a whole number. */
static void find_largest(const struct gathered *gathered, uint32_t n_heads, int32_t *largest) {
    HVX_Vector v[MAX_HEADS];
    HVX_UNROLL
    for (uint32_t h = 0; h < MAX_HEADS; h++) {
        v[h] = gathered->vlargest[h < n_heads ? h : 0];
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
        largest[h] = (lanes[8 * h] + 0xffff) & ~0xffff;
    }
}

static void add_sinks(const struct phx_heads *heads, uint32_t up, struct work *work) {
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        work->largest[h] = phx_larger_logit(heads->sinks[h], work->largest[h]);
        int32_t weight = phx_sink_weight(heads->sinks[h], work->largest[h], up);
        work->gathered.vweights[h] = Q6_V_vand_QR(Q6_Q_vsetq_R(4), weight);
    }
}

static void attend(const struct phx_attention *op, const struct phx_heads *heads, void *memory) {
    struct work *work = memory;
    uint32_t n_tiles = phx_n_tiles_seen(heads), n_heads = heads->n_heads;
    HVX_Vector *logits = (HVX_Vector *)((uint8_t *)memory + (sizeof(*work) + HVX_BYTES - 1) / HVX_BYTES * HVX_BYTES);
    HVX_Vector *bytes = logits + n_tiles * 2 * n_heads;
    struct parts parts = {heads,  op,    phx_first_tile(heads),
                          logits, bytes, (struct least *)(bytes + n_tiles * hvx_weight_vectors(&op->cache) * n_heads)};
    int32_t up = phx_weights_up(n_tiles), fraction = op->cache.dtype == PHX_F16 ? 0 : 8;
    hvx_prepare(op, heads, &work->query);
    int32_t base = op->logit_shift - work->query.exponent;
    start_largest(&work->gathered);
    find_logits(&parts, &work->query, 0, n_tiles, NULL, &work->gathered, &work->unused);
    work->largest_exponent = hvx_max_i32(work->gathered.vspecial);
    if (work->largest_exponent >= base) { /* logits may have been too large */
        start_largest(&work->gathered);
        find_logits(&parts, &work->query, 0, n_tiles, &base, &work->gathered, &work->unused);
    }
    find_largest(&work->gathered, n_heads, work->largest);
    if (work->largest[0] == UNSEEN) { /* the mask hides all */
        for (uint32_t h = 0; h < n_heads; h++) {
            memset(heads->dst + h * heads->dst_step, 0, op->width * sizeof(float));
        }
        return;
    }
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        work->gathered.vweights[h] = Q6_V_vzero();
    }
    work->gathered.vleast = hvx_splat_i16(INT16_MAX);
    if (heads->sinks) {
        add_sinks(heads, (uint32_t)up, work);
    }
    struct tiles tiles = tiles_of(&parts, 0, n_tiles);
    hvx_weights(op, n_heads, &tiles, work->largest, &hvx_steps, (uint32_t)up, logits, bytes, parts.least,
                &work->gathered);
    HVX_Vector vleast = work->gathered.vleast;
    if (n_heads == 1) { /* of several tiles */
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 32));
        vleast = Q6_Vh_vmin_VhVh(vleast, Q6_V_vror_VR(vleast, 16));
    }
    struct least of_all;
    *(HVX_Vector *)&of_all = vleast;
    int32_t less = phx_tiles_shift(n_tiles, op->tiles_log2);
    for (uint32_t h = 0; h < n_heads; h++) {
        work->reference[h] = (of_all.n[8 * h] >> fraction) - less;
    }
    hvx_products(op, n_heads, &tiles, work->reference, &hvx_steps, bytes, parts.least, work->vsums, work->vbiases);
    uint32_t special = work->largest_exponent >= PHX_CACHE_SPECIAL ? 15
                                                                   : (uint32_t)work->query.is_special | heads->special;
    hvx_finish(op, heads, &(struct result){work->gathered.vweights, work->vsums, work->vbiases, work->reference, up},
               special);
}

const struct phx_attention_kernel phx_attention_hvx = {PHX_KERNELS_HVX, hvx_append, work_bytes, attend};
