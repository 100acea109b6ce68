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

/* Sizes of a tile's values, and the least where they are not seen: whatever lies there, it weighs nothing. */
static HVX_Vector sizes_seen(const HVX_Vector *logits, const uint8_t *values) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(logits[1], logits[0]);
    HVX_VectorPred qseen = Q6_Q_vcmp_gt_VhVh(vhigh, hvx_splat_i16(UNSEEN >> 17));
    return Q6_V_vmux_QVV(qseen, *(const HVX_Vector *)values, hvx_splat_i16(INT16_MIN));
}

static void find_weights(const struct parts *parts, const int32_t *largest, const struct steps *steps, uint32_t up,
                         uint32_t first, uint32_t end, struct gathered *gathered) {
    uint32_t n_heads = parts->heads->n_heads, n_vectors = hvx_weight_vectors(&parts->op->cache), n;
    for (bool partial; first < end; first += n) {
        n = next_part(parts, first, end, &partial);
        struct tiles tiles = tiles_of(parts, first, n);
        HVX_Vector vsizes = Q6_V_vzero();
        if (partial) {
            vsizes = sizes_seen(parts->logits + first * 2 * n_heads, tiles.values + tiles.pages[0]);
        }
        hvx_weights(parts->op, n_heads, &tiles, partial ? &vsizes : NULL, largest, steps, up,
                    parts->logits + first * 2 * n_heads, parts->bytes + first * n_vectors * n_heads,
                    parts->least + first, gathered);
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

HVX_INLINE HVX_Vector mean_of_neighbours(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = hvx_w_deal_i32(va, vb);
    return Q6_Vw_vavg_VwVw_rnd(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* Of each head, 64 / 127 over the mean of its weights, as a Q31 mantissa, and leading zeros. */
struct factors {
    int32_t mantissa[HVX_LANES_I32], leading[HVX_LANES_I32]; /* head h's are in lane 8 * h */
} __attribute__((aligned(HVX_BYTES)));

static void find_factors(const HVX_Vector *vweights, int32_t factor, struct factors *factors) {
    HVX_Vector v = mean_of_neighbours(mean_of_neighbours(vweights[0], vweights[1]),
                                      mean_of_neighbours(vweights[2], vweights[3]));
    HVX_UNROLL
    for (int distance = 4; distance <= 16; distance *= 2) {
        v = Q6_Vw_vavg_VwVw_rnd(v, Q6_V_vror_VR(v, distance));
    }
    HVX_Vector vleading = math_add_constant_i32(Q6_Vuw_vcl0_Vuw(v), -1);
    HVX_Vector vmantissa = math_reciprocal_q31(Q6_Vw_vasl_VwVw(v, vleading));
    *(HVX_Vector *)factors->mantissa = math_multiply_q31(vmantissa, Q6_V_vsplat_R(factor));
    *(HVX_Vector *)factors->leading = vleading;
}

/* Sums of neighbours over each half of a vector, in lanes 0 and 16. */
HVX_INLINE HVX_Vector sum_of_halves(HVX_Vector v) {
    HVX_UNROLL
    for (int distance = 32; distance >= 4; distance /= 2) {
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return v;
}

/* Two blocks of dims of all heads: R of them. Stores what there is of the second. */
HVX_INLINE void write_pair(const int R, const struct phx_attention *op, const struct phx_heads *heads,
                           const struct work *restrict work, uint32_t pair, const int32_t *restrict mantissas,
                           const int32_t *restrict exponents) {
    uint32_t n_blocks = op->cache.n_blocks, n_pairs = (n_blocks + 1) / 2, block = 2 * pair;
    uint32_t second = block + 1 < n_blocks ? 1 : 0, n_floats = op->width - block * PHX_BLOCK;
    int32_t biases[MAX_HEADS][HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    HVX_Vector v[2 * MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        *(HVX_Vector *)biases[h] = sum_of_halves(Q6_Vw_vasr_VwR(work->vbiases[(uint32_t)h * n_pairs + pair], 4));
    }
    HVX_UNROLL
    for (int i = 0; i < 2 * R; i++) {
        HVX_Vector vsum = work->vsums[(uint32_t)(i / 2) * n_blocks + block + (i % 2 ? second : 0)];
        vsum = Q6_Vw_vsub_VwVw(vsum, Q6_V_vsplat_R(biases[i / 2][i % 2 * 16]));
        vsum = math_multiply_q31(vsum, Q6_V_vsplat_R(mantissas[8 * (i / 2)]));
        v[i] = math_pack(vsum, Q6_V_vsplat_R(exponents[i / 2]));
    }
    if (n_floats >= 2 * PHX_BLOCK) {
        HVX_UNROLL
        for (int i = 0; i < 2 * R; i++) {
            hvx_store_u(heads->dst + (uint32_t)(i / 2) * heads->dst_step + (block + (uint32_t)i % 2) * HVX_BYTES, v[i]);
        }
        return;
    }
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        uint8_t *to = heads->dst + (uint32_t)h * heads->dst_step + block * HVX_BYTES;
        if (n_floats < PHX_BLOCK) {
            hvx_store_partial_u(to, v[2 * h], n_floats * sizeof(float));
        } else {
            hvx_store_u(to, v[2 * h]);
        }
        if (n_floats > PHX_BLOCK) {
            hvx_store_partial_u(to + HVX_BYTES, v[2 * h + 1], (n_floats - PHX_BLOCK) * sizeof(float));
        }
    }
}

static __attribute__((noinline)) void write_special(const struct phx_attention *op, const struct phx_heads *heads,
                                                    uint32_t special) {
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        uint32_t *to = (uint32_t *)(heads->dst + h * heads->dst_step);
        for (uint32_t i = 0; special >> h & 1 && i < op->width; i++) {
            to[i] = MATH_NAN;
        }
    }
}

HVX_INLINE void finish(const int R, const struct phx_attention *op, const struct phx_heads *heads,
                       const struct work *work, int32_t up) {
    struct factors factors;
    int32_t exponents[MAX_HEADS];
    find_factors(work->gathered.vweights, op->factor, &factors);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        int32_t exponent = factors.leading[8 * h] - work->reference[h] + up - 6 + op->exponent;
        exponents[h] = (exponent > 255 ? 255 : exponent < -256 ? -256 : exponent) * MATH_EXPONENT_ONE;
    }
    for (uint32_t pair = 0; pair < (op->cache.n_blocks + 1) / 2; pair++) {
        write_pair(R, op, heads, work, pair, factors.mantissa, exponents);
    }
    uint32_t special = work->largest_exponent >= PHX_CACHE_SPECIAL ? 15
                                                                   : (uint32_t)work->query.is_special | heads->special;
    if (special) {
        write_special(op, heads, special);
    }
}

#define FINISH(R)                                                                                                      \
    static __attribute__((noinline)) void finish_##R(const struct phx_attention *op, const struct phx_heads *heads,    \
                                                     const struct work *work, int32_t up) {                            \
        finish(R, op, heads, work, up);                                                                                \
    }
FINISH(1)
FINISH(2)
FINISH(3)
FINISH(4)

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
        work->gathered.least_n[h] = INT16_MAX;
    }
    if (heads->sinks) {
        add_sinks(heads, (uint32_t)up, work);
    }
    find_weights(&parts, work->largest, &hvx_steps, (uint32_t)up, 0, n_tiles, &work->gathered);
    for (uint32_t h = 0; h < n_heads; h++) {
        work->reference[h] = (work->gathered.least_n[h] >> fraction) - phx_tiles_shift(n_tiles, op->tiles_log2);
    }
    struct tiles tiles = tiles_of(&parts, 0, n_tiles);
    hvx_products(op, n_heads, &tiles, work->reference, &hvx_steps, bytes, parts.least, work->vsums, work->vbiases);
    static void (*const finishes[MAX_HEADS])(const struct phx_attention *, const struct phx_heads *,
                                             const struct work *, int32_t) = {finish_1, finish_2, finish_3, finish_4};
    finishes[n_heads - 1](op, heads, work, up);
}

const struct phx_attention_kernel phx_attention_hvx = {PHX_KERNELS_HVX, hvx_append, work_bytes, attend};
