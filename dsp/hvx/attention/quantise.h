/* SPDX-License-Identifier: MIT
 *
 * Quantization in HVX (reference: dsp/ref/attention/quantise.h) of up to 32 blocks of 32 floats. Per-block numbers have
 * one lane per block.
 */
#ifndef PHX_HVX_ATTENTION_QUANTISE_H
#define PHX_HVX_ATTENTION_QUANTISE_H

#include "attention.h"

/* One lane per block. */
struct lanes {
    int32_t largest[HVX_LANES_I32];  /* magnitudes, as bits */
    int32_t exponent[HVX_LANES_I32]; /* of the largest magnitude, at least MATH_ROW_EXPONENT_MIN */
    int32_t factor[HVX_LANES_I32];
    int32_t scale[HVX_LANES_I32];
} __attribute__((aligned(HVX_BYTES)));

/* Returns magnitudes as comparable bits; for 4-bit codes the last bit holds the sign. */
HVX_INLINE HVX_Vector magnitudes_of(const bool is_q4, HVX_Vector vx) {
    return is_q4 ? Q6_V_vor_VV(math_mask(vx, MATH_MAGNITUDE ^ 1), Q6_Vuw_vlsr_VuwR(vx, 31))
                 : math_mask(vx, MATH_MAGNITUDE);
}

/* Returns the largest lanes of N vectors, 8 or 16: that of x[i] in lane 32 / N * i. */
HVX_INLINE HVX_Vector largest_of_all(const int N, const bool is_q4, const HVX_Vector *x) {
    HVX_Vector v[16];
    HVX_UNROLL
    for (int i = 0; i < N; i++) {
        v[i] = magnitudes_of(is_q4, x[i]);
    }
    HVX_UNROLL
    for (int n = N / 2; n > 0; n /= 2) {
        HVX_UNROLL
        for (int i = 0; i < n; i++) {
            v[i] = hvx_max_neighbours_i32(v[2 * i], v[2 * i + 1]);
        }
    }
    HVX_UNROLL
    for (int distance = HVX_BYTES / N / 2; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vmax_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    return v[0];
}

HVX_INLINE HVX_Vector exponent_of(HVX_Vector vlargest) {
    return Q6_Vw_vmax_VwVw(math_exponent(vlargest), Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN));
}

HVX_INLINE int32_t exponent_of_one(int32_t largest) {
    int32_t exponent = largest & MATH_INFINITY;
    return exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
}

/* Returns 1 where the sign in the last bit is 0. */
HVX_INLINE HVX_Vector positive(HVX_Vector vlargest) {
    HVX_Vector vone = Q6_V_vsplat_R(1);
    return Q6_V_vxor_VV(Q6_V_vand_VV(vlargest, vone), vone);
}

HVX_INLINE HVX_Vector negative_where(HVX_Vector vones, HVX_Vector v) {
    HVX_Vector vsign = Q6_Vw_vsub_VwVw(Q6_V_vzero(), vones);
    return Q6_Vw_vadd_VwVw(Q6_V_vxor_VV(v, vsign), vones);
}

HVX_INLINE void fill_exponents(struct lanes *lanes, HVX_Vector vlargest) {
    *(HVX_Vector *)lanes->largest = vlargest;
    *(HVX_Vector *)lanes->exponent = exponent_of(vlargest);
}

/* Computes factors and scales from the largest magnitudes. vexponent: the exponent to which each block is relative. */
HVX_INLINE void fill_lanes(struct lanes *lanes, const bool is_q4, HVX_Vector vlargest, HVX_Vector vexponent) {
    HVX_Vector vmantissa = math_mantissa_q30(vlargest), vfactor = math_reciprocal_q31(vmantissa);
    *(HVX_Vector *)lanes->factor = is_q4 ? negative_where(positive(vlargest), vfactor)
                                         : math_multiply_q31(vfactor, Q6_V_vsplat_R(127 << 24));
    HVX_Vector vshift = Q6_Vuw_vlsr_VuwR(Q6_Vw_vsub_VwVw(vexponent, exponent_of(vlargest)), 23);
    vshift = Q6_Vw_vmin_VwVw(vshift, Q6_V_vsplat_R(31));
    HVX_Vector vdoubled = Q6_Vw_vasr_VwVw(Q6_Vuw_vlsr_VuwR(vmantissa, 15), vshift);
    HVX_Vector vscale = Q6_Vw_vasr_VwR(math_add_constant_i32(vdoubled, 1), 1);
    vscale = Q6_Vw_vmin_VwVw(vscale, Q6_V_vsplat_R(INT16_MAX));
    HVX_VectorPred qzero = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN), vlargest);
    *(HVX_Vector *)lanes->scale = Q6_V_vmux_QVV(qzero, Q6_V_vzero(), vscale);
}

/* Converts floats to integers relative to their block's exponent, the part of quantization that needs no factor. */
HVX_INLINE HVX_Vector aligned(HVX_Vector vx, int32_t exponent) {
    return math_to_i32(vx, Q6_V_vsplat_R(exponent));
}

/* Quantizes these integers to int8 in words, or to 4-bit codes. */
HVX_INLINE HVX_Vector quantised(const bool is_q4, HVX_Vector v, int32_t factor) {
    v = math_multiply_q31(v, Q6_V_vsplat_R(factor));
    if (is_q4) {
        return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw_sat(v, Q6_V_vsplat_R((1 << 26) + (1 << 30))), 27);
    }
    return Q6_Vw_vasr_VwR(math_add_constant_i32(v, 1 << 22), 23);
}

/* Hides the contents of memory whose words are stored one by one from the optimizer, which would otherwise load each
 * word separately and lose dual stores in a packet. */
HVX_INLINE uint64_t *unknown(uint64_t *pairs) {
    __asm__("" : "+r"(pairs));
    return pairs;
}

/* Generates a loop over the tokens that are not skipped. call: appends one, or returns false to leave it to the
 * reference function. */
#define APPEND(name, call)                                                                                             \
    static __attribute__((noinline)) void name(const struct phx_cache *cache, const struct phx_tokens *tokens) {       \
        for (uint32_t i = 0; i < tokens->n; i++) {                                                                     \
            if (tokens->slots[i].page != PHX_NO_PAGE) {                                                                \
                struct phx_token token = phx_token(tokens, i);                                                         \
                if (!call) {                                                                                           \
                    hvx_append_special(cache, tokens, i);                                                              \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Loads block `block` of `width` floats at p, zero-padded. */
HVX_INLINE HVX_Vector load_block(const uint8_t *p, uint32_t block, uint32_t width) {
    uint32_t n_bytes = width * sizeof(float), at = block * HVX_BYTES;
    return n_bytes - at >= HVX_BYTES ? hvx_load_u(p + at) : hvx_load_partial_u(p + at, n_bytes - at);
}

/* Returns a head's blocks: in place, or copied to `memory` with zero padding. */
HVX_INLINE const uint8_t *whole_blocks(const uint8_t *p, uint32_t n_blocks, uint32_t width, HVX_Vector *memory) {
    uint32_t last = n_blocks - 1, n_bytes = width * sizeof(float) - last * HVX_BYTES;
    if (n_bytes == HVX_BYTES) {
        return p;
    }
    for (uint32_t i = 0; i < last; i++) {
        memory[i] = hvx_load_u(p + i * HVX_BYTES);
    }
    memory[last] = hvx_load_partial_u(p + last * HVX_BYTES, n_bytes);
    return (const uint8_t *)memory;
}

#endif
