/* SPDX-License-Identifier: MIT
 *
 * Prepares q of a block as int8, relative to the largest magnitude of all its heads.
 */
#include "quantise.h"

/* q of a block; heads with NaN or infinity are read as zeros. */
struct source {
    const struct phx_heads *heads;
    uint32_t width;
    int32_t kept[MAX_HEADS]; /* bit mask per head: all bits, or none */
};

HVX_INLINE HVX_Vector load_q(const struct source *source, uint32_t head, uint32_t block) {
    const uint8_t *p = source->heads->q + head * source->heads->q_step;
    return Q6_V_vand_VV(load_block(p, block, source->width), Q6_V_vsplat_R(source->kept[head]));
}

/* Returns a block of dims of all heads, y[h], as int8. */
HVX_INLINE HVX_Vector packed(const int R, const HVX_Vector *y) {
    HVX_Vector vz = Q6_V_vzero();
    return Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(R > 3 ? y[3] : vz, R > 2 ? y[2] : vz),
                             Q6_Vh_vpacke_VwVw(R > 1 ? y[1] : vz, y[0]));
}

/* Returns the offsets of products for B (1, 2 or 4) blocks from packed(): that of head h of block b is in lane 32 / B *
 * b + 8 / B * h. */
HVX_INLINE HVX_Vector biases_of(const int B, const struct phx_attention *op, const HVX_Vector *vwords) {
    /* codes have an offset of 8 instead of 128, and their sums are not shifted */
    bool is_q4 = op->cache.dtype == PHX_Q4_0;
    HVX_Vector v[4];
    HVX_UNROLL
    for (int b = 0; b < B; b++) {
        v[b] = Q6_Vw_vrmpyacc_VwVbVb(Q6_V_vzero(), vwords[b], Q6_V_vsplat_R(0x01010101));
    }
    HVX_UNROLL
    for (int n = B / 2; n > 0; n /= 2) {
        HVX_UNROLL
        for (int b = 0; b < n; b++) {
            v[b] = hvx_add_neighbours_i32(v[2 * b], v[2 * b + 1]);
        }
    }
    HVX_UNROLL
    for (int distance = 16 / B; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vadd_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    return Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(is_q4 ? 0 : 8), Q6_Vw_vasl_VwR(v[0], is_q4 ? 3 : 7));
}

/* Stores B blocks from `block` on. */
HVX_INLINE void store_blocks(const int R, const int B, const struct phx_attention *op, struct query *query,
                             uint32_t block, const HVX_Vector *vwords) {
    int32_t biases[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    HVX_Vector v[4 * MAX_HEADS];
    *(HVX_Vector *)biases = biases_of(B, op, vwords);
    HVX_UNROLL
    for (int i = 0; i < R * B; i++) {
        v[i] = Q6_V_vsplat_R(biases[32 / B * (i / R) + 8 / B * (i % R)]);
    }
    HVX_UNROLL
    for (int b = 0; b < B; b++) {
        uint32_t at = block + (uint32_t)b;
        struct chunk *chunk = &query->chunks[at / CHUNK];
        *(HVX_Vector *)chunk->words[at % CHUNK] = vwords[b];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            chunk->vbias[at % CHUNK][h] = v[b * R + h];
        }
    }
}

HVX_INLINE void store_scales(const int R, struct query *query, uint32_t block, const int32_t *scale, uint32_t step) {
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        query->chunks[block / CHUNK].scales[block % CHUNK][h] = (int32_t)Q6_R_combine_RlRl(scale[(uint32_t)h * step],
                                                                                           scale[(uint32_t)h * step]);
    }
}

/* Prepares at most 16 whole blocks. Returns false, with undefined results, if one has NaN or infinity. */
HVX_INLINE bool prepare_whole(const int R, const int NB, const struct phx_attention *op, const struct phx_heads *heads,
                              struct query *query) {
    const int N = R * NB > 8 ? 16 : 8, step = HVX_LANES_I32 / N;
    const uint8_t *q = heads->q;
    uint32_t q_step = heads->q_step;
    HVX_Vector x[16];
    HVX_UNROLL
    for (int i = 0; i < N; i++) {
        x[i] = i < R * NB ? hvx_load_u(q + (uint32_t)(i / NB) * q_step + i % NB * HVX_BYTES) : Q6_V_vzero();
    }
    struct lanes lanes;
    HVX_Vector vlargest = largest_of_all(N, false, x), vall = vlargest;
    fill_exponents(&lanes, vlargest);
    HVX_UNROLL
    for (int i = 0; i < R * NB; i++) {
        x[i] = aligned(x[i], lanes.exponent[step * i]);
    }
    HVX_UNROLL
    for (int distance = HVX_BYTES / 2; distance >= HVX_BYTES / N; distance /= 2) {
        vall = Q6_Vw_vmax_VwVw(vall, Q6_V_vror_VR(vall, distance));
    }
    fill_lanes(&lanes, false, vlargest, exponent_of(vall));
    HVX_Vector vwords[4];
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        HVX_Vector y[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int i = h * NB + b;
            y[h] = quantised(false, x[i], lanes.factor[step * i]);
        }
        vwords[b] = packed(R, y);
    }
    store_blocks(R, NB, op, query, 0, vwords);
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        store_scales(R, query, (uint32_t)b, lanes.scale + step * b, (uint32_t)(step * NB));
    }
    int32_t largest = Q6_R_vextract_VR(vall, 0);
    query->exponent = exponent_of_one(largest) >> 23;
    query->is_special = 0;
    return largest < MATH_INFINITY;
}

_Static_assert(MAX_BLOCKS == 2 * CHUNK, "two heads of any size, or four of a chunk, fill a vector of lanes");

/* The lanes of all heads' blocks: all in the first struct, or, of wide heads, two heads in each. */
struct all_lanes {
    struct lanes of[2];
};

/* Returns the number of a head's first block in all lanes, 32 in each struct. */
HVX_INLINE uint32_t first_lane(const bool is_wide, uint32_t head, uint32_t n_blocks) {
    return is_wide ? head / 2 * HVX_LANES_I32 + head % 2 * n_blocks : head * n_blocks;
}

HVX_INLINE int32_t largest_of(const bool is_wide, const struct source *source, uint32_t n_blocks,
                              struct all_lanes *lanes) {
    HVX_Vector vall = Q6_V_vzero();
    *(HVX_Vector *)lanes->of[0].largest = Q6_V_vzero();
    *(HVX_Vector *)lanes->of[is_wide].largest = Q6_V_vzero();
    for (uint32_t head = 0; head < source->heads->n_heads; head++) {
        uint32_t lane = first_lane(is_wide, head, n_blocks);
        int32_t *to = lanes->of[is_wide ? lane / HVX_LANES_I32 : 0].largest + (is_wide ? lane % HVX_LANES_I32 : lane);
        for (uint32_t first = 0; first < (is_wide ? n_blocks : 1); first += CHUNK) {
            HVX_Vector x[CHUNK];
            HVX_UNROLL
            for (uint32_t i = 0; i < CHUNK; i++) {
                x[i] = first + i < n_blocks ? load_q(source, head, first + i) : Q6_V_vzero();
            }
            int32_t largest[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
            HVX_Vector vlargest = largest_of_all(CHUNK, false, x);
            *(HVX_Vector *)largest = vlargest;
            vall = Q6_Vw_vmax_VwVw(vall, vlargest);
            for (uint32_t i = 0; (!is_wide || i < CHUNK) && first + i < n_blocks; i++) {
                *to++ = largest[4 * i];
            }
        }
    }
    return hvx_max_i32(vall);
}

static __attribute__((noinline)) int32_t find_largest(const struct source *source, uint32_t n_blocks,
                                                      struct all_lanes *lanes) {
    return largest_of(false, source, n_blocks, lanes);
}

static __attribute__((noinline)) int32_t find_largest_of_wide(const struct source *source, uint32_t n_blocks,
                                                              struct all_lanes *lanes) {
    return largest_of(true, source, n_blocks, lanes);
}

/* Prepares one of n threads' parts: every n-th block from `first` on. is_wide: heads have more blocks than a chunk. */
HVX_INLINE void prepare_general(const int R, const bool is_wide, const struct phx_attention *op,
                                const struct phx_heads *heads, struct query *query, uint32_t first, uint32_t n) {
    uint32_t n_blocks = op->cache.n_blocks;
    struct source source = {heads, op->width, {-1, -1, -1, -1}};
    struct all_lanes lanes;
    const struct lanes *own[MAX_HEADS]; /* of each head */
    uint32_t at[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        uint32_t lane = first_lane(is_wide, (uint32_t)h, n_blocks);
        own[h] = &lanes.of[is_wide ? lane / HVX_LANES_I32 : 0];
        at[h] = is_wide ? lane % HVX_LANES_I32 : lane;
    }
    int32_t largest = (is_wide ? find_largest_of_wide : find_largest)(&source, n_blocks, &lanes), special = 0;
    if (largest >= MATH_INFINITY) {
        for (uint32_t i = 0; i < (uint32_t)R * n_blocks; i++) {
            uint32_t h = i / n_blocks;
            if (own[h]->largest[at[h] + i % n_blocks] >= MATH_INFINITY) {
                source.kept[h] = 0;
                special |= 1 << h;
            }
        }
        largest = (is_wide ? find_largest_of_wide : find_largest)(&source, n_blocks, &lanes);
    }
    if (first == 0) {
        query->is_special = special;
        query->exponent = exponent_of_one(largest) >> 23;
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < (is_wide && R > 2 ? 2 : 1); i++) {
        HVX_Vector vlargest = *(const HVX_Vector *)lanes.of[i].largest;
        fill_exponents(&lanes.of[i], vlargest);
        fill_lanes(&lanes.of[i], false, vlargest, Q6_V_vsplat_R(exponent_of_one(largest)));
    }
    for (uint32_t b = first; b < n_blocks; b += n) {
        HVX_Vector y[MAX_HEADS];
        int32_t scale[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            uint32_t i = at[h] + b;
            y[h] = quantised(false, aligned(load_q(&source, (uint32_t)h, b), own[h]->exponent[i]), own[h]->factor[i]);
            scale[h] = own[h]->scale[i];
        }
        HVX_Vector vwords = packed(R, y);
        store_blocks(R, 1, op, query, b, &vwords);
        store_scales(R, query, b, scale, 1);
    }
}

#define PREPARE_ANY(R, is_wide, name)                                                                                  \
    static __attribute__((noinline)) void name##_##R(const struct phx_attention *op, const struct phx_heads *heads,    \
                                                     struct query *query, uint32_t first, uint32_t n) {                \
        prepare_general(R, is_wide, op, heads, query, first, n);                                                       \
    }
#define PREPARE(R, NB)                                                                                                 \
    static __attribute__((noinline)) bool prepare_##R##_##NB(const struct phx_attention *op,                           \
                                                             const struct phx_heads *heads, struct query *query) {     \
        return prepare_whole(R, NB, op, heads, query);                                                                 \
    }
PREPARE_ANY(1, false, prepare_general)
PREPARE_ANY(2, false, prepare_general)
PREPARE_ANY(3, false, prepare_general)
PREPARE_ANY(4, false, prepare_general)
PREPARE_ANY(1, true, prepare_wide)
PREPARE_ANY(2, true, prepare_wide)
PREPARE_ANY(3, true, prepare_wide)
PREPARE_ANY(4, true, prepare_wide)
PREPARE(1, 2)
PREPARE(2, 2)
PREPARE(3, 2)
PREPARE(4, 2)
PREPARE(1, 4)
PREPARE(2, 4)
PREPARE(3, 4)
PREPARE(4, 4)

static void (*const any[2][MAX_HEADS])(const struct phx_attention *, const struct phx_heads *, struct query *, uint32_t,
                                       uint32_t) = {
    {prepare_general_1, prepare_general_2, prepare_general_3, prepare_general_4},
    {prepare_wide_1, prepare_wide_2, prepare_wide_3, prepare_wide_4}};

void hvx_prepare(const struct phx_attention *op, const struct phx_heads *heads, struct query *query) {
    static bool (*const fast[2][MAX_HEADS])(const struct phx_attention *, const struct phx_heads *, struct query *) = {
        {prepare_1_2, prepare_2_2, prepare_3_2, prepare_4_2}, {prepare_1_4, prepare_2_4, prepare_3_4, prepare_4_4}};
    uint32_t n_blocks = op->cache.n_blocks, at = heads->n_heads - 1;
    if (op->cache.dtype == PHX_F16) {
        hvx_prepare_halves(op, heads, query);
        return;
    }
    bool is_whole = op->width == op->cache.n_dims && (n_blocks == 2 || n_blocks == 4);
    if (!is_whole || !fast[n_blocks / 4][at](op, heads, query)) {
        any[n_blocks > CHUNK][at](op, heads, query, 0, 1);
    }
}

void hvx_prepare_part(const struct phx_attention *op, const struct phx_heads *heads, struct query *query,
                      uint32_t index, uint32_t n) {
    any[op->cache.n_blocks > CHUNK][heads->n_heads - 1](op, heads, query, index, n);
}
