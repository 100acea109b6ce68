/* SPDX-License-Identifier: MIT
 *
 * q of a block as int8, relative to the largest of all its heads.
 */
#include "quantise.h"

/* Heads that hold a NaN or an infinity count as zeros. */
struct source {
    const struct phx_heads *heads;
    uint32_t width;
    int32_t kept[MAX_HEADS]; /* all bits, or none */
};

HVX_INLINE HVX_Vector load_q(const struct source *source, uint32_t head, uint32_t block) {
    const uint8_t *p = source->heads->q + head * source->heads->q_step;
    return Q6_V_vand_VV(load_block(p, block, source->width), Q6_V_vsplat_R(source->kept[head]));
}

/* A block of dims of all heads: y[h] are int8 in words. */
HVX_INLINE void store_block(const int R, const struct phx_attention *op, struct query *query, uint32_t block,
                            const HVX_Vector *y) {
    HVX_Vector vz = Q6_V_vzero();
    HVX_Vector v = Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(R > 3 ? y[3] : vz, R > 2 ? y[2] : vz),
                                     Q6_Vh_vpacke_VwVw(R > 1 ? y[1] : vz, y[0]));
    *(HVX_Vector *)query->words[block] = v;
    HVX_Vector vsum = Q6_Vw_vrmpyacc_VwVbVb(vz, v, Q6_V_vsplat_R(0x01010101));
    HVX_UNROLL
    for (int distance = 16; distance >= 4; distance /= 2) {
        vsum = Q6_Vw_vadd_VwVw(vsum, Q6_V_vror_VR(vsum, distance));
    }
    bool is_q4 = op->cache.dtype == PHX_Q4_0; /* codes have 8 too much, not 128, and their sums are not cut */
    vsum = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(is_q4 ? 0 : 8), Q6_Vw_vasl_VwR(vsum, is_q4 ? 3 : 7));
    int32_t sums[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)sums = vsum;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        query->vbias[block][h] = Q6_V_vsplat_R(sums[8 * h]);
    }
}

HVX_INLINE void store_scales(const int R, struct query *query, uint32_t block, const int32_t *scale, uint32_t step) {
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        query->scales[block][h] = (int32_t)Q6_R_combine_RlRl(scale[(uint32_t)h * step], scale[(uint32_t)h * step]);
    }
}

/* 8 blocks or fewer, none of them cut. False: left to prepare_any. */
HVX_INLINE bool prepare_8(const int R, const int NB, const struct phx_attention *op, const struct phx_heads *heads,
                          struct query *query) {
    HVX_Vector x[8];
    HVX_UNROLL
    for (int i = 0; i < 8; i++) {
        x[i] = i < R * NB ? hvx_load_u(heads->q + (uint32_t)(i / NB) * heads->q_step + i % NB * HVX_BYTES)
                          : Q6_V_vzero();
    }
    struct lanes lanes;
    HVX_Vector vlargest = largest_of_8(x), vall = vlargest;
    *(HVX_Vector *)lanes.largest = vlargest;
    HVX_UNROLL
    for (int distance = HVX_BYTES / 2; distance >= 16; distance /= 2) {
        vall = Q6_Vw_vmax_VwVw(vall, Q6_V_vror_VR(vall, distance));
    }
    int32_t largest = Q6_R_vextract_VR(vall, 0);
    if (largest >= MATH_INFINITY) {
        return false;
    }
    query->exponent = exponent_of_one(largest) >> 23;
    query->is_special = 0;
    fill_lanes(&lanes, 127, vlargest, Q6_V_vsplat_R(exponent_of_one(largest)));
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        HVX_Vector y[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int i = h * NB + b;
            y[h] = quantised(x[i], 127, lanes.largest[4 * i], lanes.factor[4 * i]);
        }
        store_block(R, op, query, (uint32_t)b, y);
        store_scales(R, query, (uint32_t)b, lanes.scale + 4 * b, (uint32_t)(4 * NB));
    }
    return true;
}

HVX_INLINE int32_t find_largest(const int R, const struct source *source, uint32_t n_blocks, struct lanes *lanes) {
    int32_t largest = 0;
    *(HVX_Vector *)lanes->largest = Q6_V_vzero();
    for (uint32_t i = 0; i < (uint32_t)R * n_blocks; i++) {
        lanes->largest[i] = hvx_max_i32(math_mask(load_q(source, i / n_blocks, i % n_blocks), MATH_MAGNITUDE));
        largest = lanes->largest[i] > largest ? lanes->largest[i] : largest;
    }
    return largest;
}

HVX_INLINE void prepare_any(const int R, const struct phx_attention *op, const struct phx_heads *heads,
                            struct query *query) {
    uint32_t n_blocks = op->cache.n_blocks;
    struct source source = {heads, op->width, {-1, -1, -1, -1}};
    struct lanes lanes;
    int32_t largest = find_largest(R, &source, n_blocks, &lanes);
    query->is_special = 0;
    if (largest >= MATH_INFINITY) {
        for (uint32_t i = 0; i < (uint32_t)R * n_blocks; i++) {
            if (lanes.largest[i] >= MATH_INFINITY) {
                source.kept[i / n_blocks] = 0;
                query->is_special |= 1 << i / n_blocks;
            }
        }
        largest = find_largest(R, &source, n_blocks, &lanes);
    }
    query->exponent = exponent_of_one(largest) >> 23;
    fill_lanes(&lanes, 127, *(const HVX_Vector *)lanes.largest, Q6_V_vsplat_R(exponent_of_one(largest)));
    for (uint32_t b = 0; b < n_blocks; b++) {
        HVX_Vector y[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            uint32_t i = (uint32_t)h * n_blocks + b;
            y[h] = quantised(load_q(&source, (uint32_t)h, b), 127, lanes.largest[i], lanes.factor[i]);
        }
        store_block(R, op, query, b, y);
        store_scales(R, query, b, lanes.scale + b, n_blocks);
    }
}

#define PREPARE_ANY(R)                                                                                                 \
    static __attribute__((noinline)) void prepare_any_##R(const struct phx_attention *op,                              \
                                                          const struct phx_heads *heads, struct query *query) {        \
        prepare_any(R, op, heads, query);                                                                              \
    }
#define PREPARE_8(R, NB)                                                                                               \
    static __attribute__((noinline)) bool prepare_##R##_##NB(const struct phx_attention *op,                           \
                                                             const struct phx_heads *heads, struct query *query) {     \
        return prepare_8(R, NB, op, heads, query);                                                                     \
    }
PREPARE_ANY(1)
PREPARE_ANY(2)
PREPARE_ANY(3)
PREPARE_ANY(4)
PREPARE_8(1, 2)
PREPARE_8(2, 2)
PREPARE_8(3, 2)
PREPARE_8(4, 2)
PREPARE_8(1, 4)
PREPARE_8(2, 4)

void hvx_prepare(const struct phx_attention *op, const struct phx_heads *heads, struct query *query) {
    static bool (*const fast[2][MAX_HEADS])(const struct phx_attention *, const struct phx_heads *, struct query *) = {
        {prepare_1_2, prepare_2_2, prepare_3_2, prepare_4_2}, {prepare_1_4, prepare_2_4, NULL, NULL}};
    static void (*const any[MAX_HEADS])(const struct phx_attention *, const struct phx_heads *,
                                        struct query *) = {prepare_any_1, prepare_any_2, prepare_any_3, prepare_any_4};
    uint32_t n_blocks = op->cache.n_blocks, at = heads->n_heads - 1;
    if (op->cache.dtype == PHX_F16) {
        hvx_prepare_halves(op, heads, query);
        return;
    }
    bool is_whole = op->width == op->cache.n_dims && (n_blocks == 2 || n_blocks == 4);
    if (!is_whole || !fast[n_blocks / 4][at] || !fast[n_blocks / 4][at](op, heads, query)) {
        any[at](op, heads, query);
    }
}
