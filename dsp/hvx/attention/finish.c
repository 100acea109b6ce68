/* SPDX-License-Identifier: MIT
 *
 * From sums over all tiles to rows: docs/attention.md, 6.
 */
#include "attention.h"

/* A number for each head, in lane 8 * h. */
struct lanes {
    int32_t at[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

HVX_INLINE HVX_Vector mean_of_neighbours(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = hvx_w_deal_i32(va, vb);
    return Q6_Vw_vavg_VwVw_rnd(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* 64 / 127 over the mean of each head's weights, as a Q31 mantissa, and leading zeros. */
HVX_INLINE HVX_Vector factors_of(const HVX_Vector *vweights, int32_t factor, HVX_Vector *vleading) {
    HVX_Vector v = mean_of_neighbours(mean_of_neighbours(vweights[0], vweights[1]),
                                      mean_of_neighbours(vweights[2], vweights[3]));
    HVX_UNROLL
    for (int distance = 4; distance <= 16; distance *= 2) {
        v = Q6_Vw_vavg_VwVw_rnd(v, Q6_V_vror_VR(v, distance));
    }
    *vleading = math_add_constant_i32(Q6_Vuw_vcl0_Vuw(v), -1);
    HVX_Vector vmantissa = math_reciprocal_q31(Q6_Vw_vasl_VwVw(v, *vleading));
    return math_multiply_q31(vmantissa, Q6_V_vsplat_R(factor));
}

/* Of the vectors of up to 4 heads, the sum of head h's first half in lane 8 * h, of its second half in lane 8 * h + 4. */
HVX_INLINE HVX_Vector sums_of_halves(const int R, const HVX_Vector *v) {
    HVX_Vector v01 = hvx_add_neighbours_i32(v[0], v[R > 1 ? 1 : 0]);
    HVX_Vector v23 = R > 2 ? hvx_add_neighbours_i32(v[2], v[R > 3 ? 3 : 2]) : v01;
    HVX_Vector vsum = hvx_add_neighbours_i32(v01, v23);
    vsum = Q6_Vw_vadd_VwVw(vsum, Q6_V_vror_VR(vsum, 8));
    return Q6_Vw_vadd_VwVw(vsum, Q6_V_vror_VR(vsum, 4));
}

/* Heads that end within a pair of blocks: n_floats of them are left, fewer than 64. */
static __attribute__((noinline)) void store_rest(uint8_t *to, uint32_t n_floats, HVX_Vector v0, HVX_Vector v1) {
    hvx_store_some_u(to, v0, n_floats * sizeof(float));
    if (n_floats > PHX_BLOCK) {
        hvx_store_partial_u(to + HVX_BYTES, v1, (n_floats - PHX_BLOCK) * sizeof(float));
    }
}

/* Two blocks of dims of all heads: R of them. Stores what there is of the second. */
HVX_INLINE void write_pair(const int R, const struct phx_heads *heads, const struct result *restrict result,
                           uint32_t n_blocks, uint32_t pair, uint32_t n_floats, const int32_t *mantissas,
                           const int32_t *exponents) {
    uint32_t n_pairs = (n_blocks + 1) / 2, block = 2 * pair, second = block + 1 < n_blocks ? 1 : 0;
    struct lanes biases;
    HVX_Vector v[2 * MAX_HEADS], vbiases[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vbiases[h] = Q6_Vw_vasr_VwR(result->vbiases[(uint32_t)h * n_pairs + pair], 4);
    }
    *(HVX_Vector *)&biases = sums_of_halves(R, vbiases);
    HVX_UNROLL
    for (int i = 0; i < 2 * R; i++) {
        HVX_Vector vsum = result->vsums[(uint32_t)(i / 2) * n_blocks + block + (i % 2 ? second : 0)];
        vsum = Q6_Vw_vsub_VwVw(vsum, Q6_V_vsplat_R(biases.at[4 * i]));
        vsum = math_multiply_q31(vsum, Q6_V_vsplat_R(mantissas[8 * (i / 2)]));
        v[i] = math_pack(vsum, Q6_V_vsplat_R(exponents[i / 2]));
    }
    uint8_t *to = heads->dst + block * HVX_BYTES;
    uint32_t step = heads->dst_step;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        if (n_floats >= 2 * PHX_BLOCK) {
            hvx_store_u(to, v[2 * h]);
            hvx_store_u(to + HVX_BYTES, v[2 * h + 1]);
        } else {
            store_rest(to, n_floats, v[2 * h], v[2 * h + 1]);
        }
        to += step;
    }
}

HVX_INLINE void finish(const int R, const struct phx_attention *op, const struct phx_heads *heads,
                       const struct result *restrict result) {
    HVX_Vector vleading;
    struct lanes mantissas, leading;
    int32_t exponents[MAX_HEADS];
    *(HVX_Vector *)&mantissas = factors_of(result->vweights, op->factor, &vleading);
    *(HVX_Vector *)&leading = vleading;
    int32_t more = result->up - 6 + op->exponent;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        int32_t exponent = leading.at[8 * h] - result->reference[h] + more;
        exponents[h] = (exponent > 255 ? 255 : exponent < -256 ? -256 : exponent) * MATH_EXPONENT_ONE;
    }
    uint32_t n_blocks = op->cache.n_blocks, width = op->width;
    for (uint32_t pair = 0; 2 * pair < n_blocks; pair++) {
        write_pair(R, heads, result, n_blocks, pair, width - 2 * pair * PHX_BLOCK, mantissas.at, exponents);
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

#define FINISH(R)                                                                                                      \
    static __attribute__((noinline)) void finish_##R(const struct phx_attention *op, const struct phx_heads *heads,    \
                                                     const struct result *result) {                                    \
        finish(R, op, heads, result);                                                                                  \
    }
FINISH(1)
FINISH(2)
FINISH(3)
FINISH(4)

void hvx_finish(const struct phx_attention *op, const struct phx_heads *heads, const struct result *result,
                uint32_t special) {
    static void (*const functions[MAX_HEADS])(const struct phx_attention *, const struct phx_heads *,
                                              const struct result *) = {finish_1, finish_2, finish_3, finish_4};
    functions[heads->n_heads - 1](op, heads, result);
    if (special) {
        write_special(op, heads, special);
    }
}
