/* SPDX-License-Identifier: MIT */
#include "expand.h"

#include "formats/tiles.h"

/* In this file, so that the compiler knows the constants. */
static const struct phx_weight_type types[] = {
#define TYPE(name, ...) [PHX_##name] = {__VA_ARGS__},
#include "../../../idl/types.h"
#undef TYPE
};

HVX_INLINE HVX_Vector splat_u8(uint32_t x) {
    return Q6_V_vsplat_R((int32_t)(x * 0x01010101u));
}

/* The masked bits of the source, after a shift to the left (negative: to the right). */
HVX_INLINE HVX_Vector bits_u8(HVX_Vector v, int32_t shift, uint32_t mask) {
    HVX_Vector vshifted = shift > 0 ? Q6_Vh_vasl_VhR(v, shift) : shift < 0 ? Q6_Vuh_vlsr_VuhR(v, -shift) : v;
    return Q6_V_vand_VV(vshifted, splat_u8(mask));
}

/* Codes of 5 bits, times 8. */
HVX_INLINE void expand_fives(const HVX_Vector *w, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t j = 0; j < 8; j++) {
        to[2 * j] = bits_u8(w[j], 3, 31u << 3);
        to[2 * j + 1] = Q6_V_vor_VV(bits_u8(w[j], 0, 28u << 3), bits_u8(w[8 + j / 4], 3 - 2 * (j % 4), 3u << 3));
    }
}

/* Codes of 2 bits, 16 k. */
HVX_INLINE void expand_bit_pairs(const HVX_Vector *w, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t i = 0; i < 8; i++) {
        to[i] = bits_u8(w[i / 4], -2 * (i % 4), 3);
    }
}

/* Codes of 3 bits, 16 k. */
HVX_INLINE void expand_threes(const HVX_Vector *w, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t i = 0; i < 6; i++) {
        to[i] = bits_u8(w[i / 2], -3 * (i % 2), 7);
    }
    to[6] = Q6_V_vor_VV(Q6_Vub_vlsr_VubR(w[0], 6), bits_u8(w[2], -4, 4));
    to[7] = Q6_V_vor_VV(Q6_Vub_vlsr_VubR(w[1], 6), bits_u8(w[2], -5, 4));
}

/* Expands one block at w; lead: the vectors in front of its super-block. */

HVX_INLINE void expand_q5_0(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    expand_fives(w, to); /* (code - 16) * 8 + 128 */
    to[16] = w[10];
}

HVX_INLINE void expand_q5_1(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    expand_q5_0(w, lead, to);
    to[17] = w[11];
}

HVX_INLINE void expand_q2_k(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    HVX_Vector vd = lead[0], vsmall = w[4], vmask = hvx_splat_i16(0x7800);
    expand_bit_pairs(w, to);
    expand_bit_pairs(w + 2, to + 9);
    HVX_Vector vsecond = Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 3), vmask);
    to[8] = hvx_mpyr_i16(vd, Q6_V_vand_VV(Q6_Vh_vasl_VhR(vsmall, 11), vmask));
    to[17] = hvx_mpyr_i16(vd, vsecond);
}

/* Expands four blocks, whose scales lie between them. */
HVX_INLINE void expand_q3_k(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    const uint32_t block = types[PHX_Q3_K].vectors_per_block, scales = types[PHX_Q3_K].group_vectors;
    HVX_Vector vd = lead[0], vmask = hvx_splat_i16(0xfc00);
    HVX_Vector v0 = w[2 * block], v1 = w[2 * block + 1], v2 = w[2 * block + 2];
    const HVX_Vector vsmall[] = {v0, Q6_Vh_vasl_VhR(v0, 10), Q6_Vh_vaslacc_VhVhR(Q6_Vh_vasl_VhR(v0, 6), v1, 2),
                                 v1, Q6_Vh_vasl_VhR(v1, 10), Q6_Vh_vaslacc_VhVhR(Q6_Vh_vasl_VhR(v2, 6), v1, 4),
                                 v2, Q6_Vh_vasl_VhR(v2, 10)};
    HVX_UNROLL
    for (uint32_t i = 0; i < 2 * PHX_BLOCKS_OF_GROUP; i++, to += 9) {
        expand_threes(w + i * (block / 2) + (i < PHX_BLOCKS_OF_GROUP ? 0 : scales), to);
        to[8] = hvx_mpyr_i16(vd, Q6_V_vand_VV(vsmall[i], vmask));
    }
}

typedef void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to);

HVX_INLINE void expand_blocks(const struct phx_weight_type *type, expand_block *expand, uint32_t expanded_vectors,
                              const HVX_Vector *w, uint32_t base, uint32_t first, uint32_t last, uint32_t end,
                              HVX_Vector *restrict to) {
    const uint32_t at_once = phx_has_threes(type) ? PHX_BLOCKS_OF_GROUP : 1;
    for (uint32_t i = base; i < end; i += at_once, to += at_once * expanded_vectors) {
        if (i < first || i >= last) {
            HVX_UNROLL
            for (uint32_t j = 0; j < at_once; j++) {
                HVX_Vector *block = to + j * expanded_vectors;
                block[expanded_vectors - 1] = Q6_V_vzero();
                if (expanded_vectors >
                    HVX_EXPANDED) { /* the scale of the first half, or the scale before the minimum */
                    block[type->scales_per_block == 2 ? 8 : 16] = Q6_V_vzero();
                }
            }
            continue;
        }
        const HVX_Vector *lead = w + i / PHX_BLOCKS_OF_SUPER * phx_super_vectors(type);
        expand(lead + phx_block_of_threes(type, i % PHX_BLOCKS_OF_SUPER), lead, to);
    }
}

#define EXPAND(NAME, name, expanded_vectors)                                                                           \
    void hvx_expand_##name(const HVX_Vector *w, uint32_t base, uint32_t first, uint32_t last, uint32_t end,            \
                           HVX_Vector *to) {                                                                           \
        expand_blocks(&types[PHX_##NAME], expand_##name, expanded_vectors, w, base, first, last, end, to);             \
    }

EXPAND(Q5_0, q5_0, HVX_EXPANDED)
EXPAND(Q5_1, q5_1, HVX_EXPANDED_MINIMUMS)
EXPAND(Q2_K, q2_k, HVX_EXPANDED_HALVES)
EXPAND(Q3_K, q3_k, HVX_EXPANDED_HALVES)
