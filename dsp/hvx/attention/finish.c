/* SPDX-License-Identifier: MIT
 *
 * Converts sums over all tiles to rows: docs/attention.md, 6.
 */
#include "attention.h"
#include "runtime/libc.h"

/* One number per head, in lane 8 * h. */
struct lanes {
    int32_t at[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

HVX_INLINE HVX_Vector mean_of_neighbours(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = hvx_w_deal_i32(va, vb);
    return Q6_Vw_vavg_VwVw_rnd(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* Returns the mean of each head's weights. */
HVX_INLINE HVX_Vector means_of(const HVX_Vector *vweights) {
    HVX_Vector v = mean_of_neighbours(mean_of_neighbours(vweights[0], vweights[1]),
                                      mean_of_neighbours(vweights[2], vweights[3]));
    HVX_UNROLL
    for (int distance = 4; distance <= 16; distance *= 2) {
        v = Q6_Vw_vavg_VwVw_rnd(v, Q6_V_vror_VR(v, distance));
    }
    return v;
}

/* Returns the offsets of the codes of a pair of blocks: head h's of the first block in lane 8 * h, of the second in 8 *
 * h + 4. */
HVX_INLINE HVX_Vector biases_of(const int R, const HVX_Vector *biases, uint32_t n_pairs) {
    HVX_Vector v[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        v[h] = Q6_Vw_vasr_VwR(biases[(uint32_t)(h < R ? h : 0) * n_pairs], 4);
    }
    v[0] = hvx_add_neighbours_i32(hvx_add_neighbours_i32(v[0], v[1]), hvx_add_neighbours_i32(v[2], v[3]));
    HVX_UNROLL
    for (int distance = 8; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vadd_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    return v[0];
}

/* Writes the rows of R heads, padded to a whole pair of blocks. */
HVX_INLINE void finish(const int R, const struct phx_attention *op, const struct result *restrict result,
                       uint8_t *restrict to, uint32_t step) {
    struct lanes mantissas, leading, biases;
    HVX_Vector vmantissas[MAX_HEADS], vexponents[MAX_HEADS];
    int32_t more = result->up - 6 + op->exponent;
    uint32_t n_blocks = op->cache.n_blocks, n_pairs = (n_blocks + 1) / 2;
    HVX_Vector vmean = means_of(result->vweights);
    HVX_Vector vleading = math_add_constant_i32(Q6_Vuw_vcl0_Vuw(vmean), -1);
    *(HVX_Vector *)&leading = vleading;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        int32_t exponent = leading.at[8 * h] - result->reference[h] + more;
        exponent = exponent > 255 ? 255 : exponent < -256 ? -256 : exponent;
        vexponents[h] = Q6_V_vsplat_R(exponent * MATH_EXPONENT_ONE);
    }
    *(HVX_Vector *)&biases = biases_of(R, result->vbiases, n_pairs);
    /* 64 / 127 divided by the mean */
    HVX_Vector vmantissa = math_reciprocal_q31(Q6_Vw_vasl_VwVw(vmean, vleading));
    *(HVX_Vector *)&mantissas = math_multiply_q31(vmantissa, Q6_V_vsplat_R(op->factor));
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vmantissas[h] = Q6_V_vsplat_R(mantissas.at[8 * h]);
    }
    uint32_t pair = 0;
    do {
        uint32_t second = 2 * pair + 1 < n_blocks ? 1 : 0;
        HVX_Vector v[2 * MAX_HEADS];
        HVX_UNROLL
        for (int i = 0; i < 2 * R; i++) {
            HVX_Vector vsum = result->vsums[(uint32_t)(i / 2) * n_blocks + 2 * pair + (i % 2 ? second : 0)];
            vsum = Q6_Vw_vsub_VwVw(vsum, Q6_V_vsplat_R(biases.at[4 * i]));
            v[i] = math_pack(math_multiply_q31(vsum, vmantissas[i / 2]), vexponents[i / 2]);
        }
        HVX_UNROLL
        for (int i = 0; i < 2 * R; i++) {
            hvx_store_u(to + (uint32_t)(i / 2) * step + i % 2 * HVX_BYTES, v[i]);
        }
        to += 2 * HVX_BYTES;
        if (++pair < n_pairs) {
            *(HVX_Vector *)&biases = biases_of(R, result->vbiases + pair, n_pairs);
        }
    } while (pair < n_pairs);
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
    static __attribute__((noinline)) void finish_##R(const struct phx_attention *op, const struct result *result,      \
                                                     uint8_t *to, uint32_t step) {                                     \
        finish(R, op, result, to, step);                                                                               \
    }
FINISH(1)
FINISH(2)
FINISH(3)
FINISH(4)

typedef void (*finish_function)(const struct phx_attention *op, const struct result *result, uint8_t *to,
                                uint32_t step);

/* Writes heads that end within a pair of blocks. */
static __attribute__((noinline)) void finish_cut(finish_function function, const struct phx_attention *op,
                                                 const struct phx_heads *heads, const struct result *result) {
    HVX_Vector rows[MAX_HEADS][MAX_BLOCKS];
    function(op, result, (uint8_t *)rows, sizeof(*rows));
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        memcpy(heads->dst + h * heads->dst_step, rows[h], op->width * sizeof(float));
    }
}

void hvx_finish(const struct phx_attention *op, const struct phx_heads *heads, const struct result *result,
                uint32_t special) {
    static const finish_function functions[MAX_HEADS] = {finish_1, finish_2, finish_3, finish_4};
    finish_function function = functions[heads->n_heads - 1];
    if (op->width % (2 * PHX_BLOCK)) {
        finish_cut(function, op, heads, result);
    } else {
        function(op, result, heads->dst, heads->dst_step);
    }
    if (special) {
        write_special(op, heads, special);
    }
}
