/* SPDX-License-Identifier: MIT
 *
 * Alignment, shuffles and table lookups.
 */
#ifndef PHX_CPU_PERMUTE_H
#define PHX_CPU_PERMUTE_H

#include "lanes.h"

/* --- Alignment --- */

CPU_INLINE HVX_Vector Q6_V_valign_VVI(HVX_Vector u, HVX_Vector v, int32_t n) {
    return Q6_V_valign_VVR(u, v, n & 7);
}

CPU_INLINE HVX_Vector Q6_V_vlalign_VVR(HVX_Vector u, HVX_Vector v, int32_t n) {
    return cpu_window(u, v, 128 - ((uint32_t)n & 127));
}

CPU_INLINE HVX_Vector Q6_V_vlalign_VVI(HVX_Vector u, HVX_Vector v, int32_t n) {
    return Q6_V_vlalign_VVR(u, v, n & 7);
}

CPU_INLINE HVX_Vector Q6_Vw_vinsert_VwR(HVX_Vector x, int32_t word) {
    x[0] = word;
    return x;
}

/* --- Shuffles --- */

CPU_EACH_2(Vb_vshuffo_VbVb, V, (V, u), (V, v), b, d.b[i] = i & 1 ? u.b[i] : v.b[i + 1])
CPU_EACH_2(Vb_vdeale_VbVb, V, (V, u), (V, v), b, d.b[i] = (i < 64 ? v : u).b[4 * (i & 31) + 2 * (i >> 5 & 1)])

CPU_INLINE HVX_VectorPair Q6_Wb_vshuffoe_VbVb(HVX_Vector u, HVX_Vector v) {
    return (HVX_VectorPair){Q6_Vb_vshuffe_VbVb(u, v), Q6_Vb_vshuffo_VbVb(u, v)};
}

CPU_INLINE HVX_VectorPair Q6_Wh_vshuffoe_VhVh(HVX_Vector u, HVX_Vector v) {
    return (HVX_VectorPair){Q6_Vh_vshuffe_VhVh(u, v), Q6_Vh_vshuffo_VhVh(u, v)};
}

/* The stages of vdelta from 1 to 64. */
CPU_INLINE HVX_Vector Q6_V_vrdelta_VV(HVX_Vector u, HVX_Vector control) {
    cpu_u8 bits = (cpu_u8)control;
    u = CPU_DELTA(u, bits, 1);
    u = CPU_DELTA(u, bits, 2);
    u = CPU_DELTA(u, bits, 4);
    u = CPU_DELTA(u, bits, 8);
    u = CPU_DELTA(u, bits, 16);
    u = CPU_DELTA(u, bits, 32);
    return CPU_DELTA(u, bits, 64);
}

/* --- Table lookups --- */

/* `number` selects a table of 32 bytes or 16 halves; its bit 1 odd bytes of halves, or odd halves of words. Codes with
 * another number in their high bits give 0. */
#define CPU_LOOKUP_32(code) ((code) >> 5 == (number & 7) ? v.b[2 * ((code) & 63) + (number >> 1 & 1)] : (int8_t)0)
#define CPU_LOOKUP_16(code) ((code) >> 4 == (number & 15) ? v.h[2 * ((code) & 31) + (number >> 1 & 1)] : (int16_t)0)
#define CPU_LOOKUP_16_ANY(code) v.h[2 * (((code) & 15) | (number & 1) << 4) + (number >> 1 & 1)]

CPU_EACH_3(Vb_vlut32_VbVbR, V, (V, u), (V, v), (N, number), b, d.b[i] = CPU_LOOKUP_32(u.ub[i]))
CPU_EACH_4(Vb_vlut32or_VbVbVbR, V, (V, x), (V, u), (V, v), (N, number), b, d.b[i] = x.b[i] | CPU_LOOKUP_32(u.ub[i]))
CPU_HALVES_3(Wh_vlut16_VbVhR, (V, u), (V, v), (N, number), h, CPU_LOOKUP_16(u.ub[k]))
CPU_HALVES_4(Wh_vlut16or_WhVbVhR, (W, x), (V, u), (V, v), (N, number), h, x.v[half].h[i] | CPU_LOOKUP_16(u.ub[k]))
CPU_HALVES_3(Wh_vlut16_VbVhR_nomatch, (V, u), (V, v), (N, number), h, CPU_LOOKUP_16_ANY(u.ub[k]))

CPU_INLINE HVX_Vector Q6_Vb_vlut32_VbVbI(HVX_Vector u, HVX_Vector v, int32_t number) {
    return Q6_Vb_vlut32_VbVbR(u, v, number);
}

CPU_INLINE HVX_Vector Q6_Vb_vlut32or_VbVbVbI(HVX_Vector x, HVX_Vector u, HVX_Vector v, int32_t number) {
    return Q6_Vb_vlut32or_VbVbVbR(x, u, v, number);
}

CPU_INLINE HVX_VectorPair Q6_Wh_vlut16_VbVhI(HVX_Vector u, HVX_Vector v, int32_t number) {
    return Q6_Wh_vlut16_VbVhR(u, v, number & 7);
}

CPU_INLINE HVX_VectorPair Q6_Wh_vlut16or_WhVbVhI(HVX_VectorPair x, HVX_Vector u, HVX_Vector v, int32_t number) {
    return Q6_Wh_vlut16or_WhVbVhR(x, u, v, number & 7);
}

#endif
