/* SPDX-License-Identifier: MIT
 *
 * Parts of expand_block(). Where there is one scale block in 32 k, expanded blocks are those of Q8_0, whose P16 is
 * (sum of byte * q + 8) >> 4, less 8*S (where P is not rounded, without the 8): so weights w whose ps is p are
 * expanded to w * 2^(4 - p) + 128.
 */
#ifndef PHX_HVX_CODES_H
#define PHX_HVX_CODES_H

#include "hvx/hvx.h"

HVX_INLINE HVX_Vector hvx_splat_u8(uint32_t x) {
    return Q6_V_vsplat_R((int32_t)(x * 0x01010101u));
}

/* Those bits of the source, shifted to the left (to the right if negative) first. */
HVX_INLINE HVX_Vector hvx_bits_u8(HVX_Vector v, int32_t shift, uint32_t mask) {
    HVX_Vector vshifted = shift > 0 ? Q6_Vh_vasl_VhR(v, shift) : shift < 0 ? Q6_Vuh_vlsr_VuhR(v, -shift) : v;
    return Q6_V_vand_VV(vshifted, hvx_splat_u8(mask));
}

/* Codes of 5 bits times 2^shift; to[2*j] rows 0..31, to[2*j + 1] rows 32..63. */
HVX_INLINE void hvx_expand_fives(const HVX_Vector *w, int32_t shift, uint32_t offset, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t j = 0; j < 8; j++) {
        HVX_Vector vlow = hvx_bits_u8(w[j], shift, 31u << shift);
        HVX_Vector vhigh = Q6_V_vor_VV(hvx_bits_u8(w[j], shift - 3, 28u << shift),
                                       hvx_bits_u8(w[8 + j / 4], shift - 2 * (j % 4), 3u << shift));
        to[2 * j] = offset ? Q6_V_vor_VV(vlow, hvx_splat_u8(offset)) : vlow;
        to[2 * j + 1] = offset ? Q6_V_vor_VV(vhigh, hvx_splat_u8(offset)) : vhigh;
    }
}

/* 2 bits of each code, 16 k: to[2*j] rows 0..31, to[2*j + 1] rows 32..63. */
HVX_INLINE void hvx_expand_bit_pairs(const HVX_Vector *w, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t i = 0; i < 8; i++) {
        to[i] = hvx_bits_u8(w[i / 4], -2 * (i % 4), 3);
    }
}

/* Codes of 3 bits, 16 k, likewise. */
HVX_INLINE void hvx_expand_threes(const HVX_Vector *w, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t i = 0; i < 6; i++) {
        to[i] = hvx_bits_u8(w[i / 2], -3 * (i % 2), 7);
    }
    to[6] = Q6_V_vor_VV(Q6_Vub_vlsr_VubR(w[0], 6), hvx_bits_u8(w[2], -4, 4));
    to[7] = Q6_V_vor_VV(Q6_Vub_vlsr_VubR(w[1], 6), hvx_bits_u8(w[2], -5, 4));
}

/* Nibbles through a table; any 5 bits index it, so its halves are alike. */
HVX_INLINE void hvx_expand_looked_up(const HVX_Vector *w, HVX_Vector vtable, HVX_Vector *restrict to) {
    HVX_UNROLL
    for (int32_t j = 0; j < 8; j++) {
        to[2 * j] = Q6_Vb_vlut32_VbVbR_nomatch(w[j], vtable, 0);
        to[2 * j + 1] = Q6_Vb_vlut32_VbVbR_nomatch(Q6_Vub_vlsr_VubR(w[j], 4), vtable, 0);
    }
}

/* A table of 16 bytes for vlut32: entry i in both bytes of the int16 numbers i, 16 + i, 32 + i and 48 + i. */
#define HVX_ENTRY(x) ((x) & 255) * 257
#define HVX_TABLE_16(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                                   \
    HVX_ENTRY(a), HVX_ENTRY(b), HVX_ENTRY(c), HVX_ENTRY(d), HVX_ENTRY(e), HVX_ENTRY(f), HVX_ENTRY(g), HVX_ENTRY(h),    \
        HVX_ENTRY(i), HVX_ENTRY(j), HVX_ENTRY(k), HVX_ENTRY(l), HVX_ENTRY(m), HVX_ENTRY(n), HVX_ENTRY(o), HVX_ENTRY(p)
#define HVX_TABLE(...)                                                                                                 \
    {HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__)}

typedef uint16_t hvx_table[64] __attribute__((aligned(HVX_BYTES)));

#endif
