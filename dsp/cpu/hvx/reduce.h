/* SPDX-License-Identifier: MIT
 *
 * Sums of 2, 3, 4 or 6 products, or of magnitudes of differences.
 */
#ifndef PHX_CPU_REDUCE_H
#define PHX_CPU_REDUCE_H

#include "lanes.h"

/* --- Two products; of pairs one in each vector (vmpa), or two neighbors (vdmpy) --- */

#define CPU_ACROSS(lane, by) (u.v[0].lane[k] * v.by[2 * half] + u.v[1].lane[k] * v.by[2 * half + 1])
CPU_HALF_SUMS_2(Wh_vmpa_WubRb, Wh_vmpaacc_WhWubRb, (W, u), (R, v), h, CPU_ACROSS(ub, b))
CPU_HALF_SUMS_2(Wh_vmpa_WubRub, Wh_vmpaacc_WhWubRub, (W, u), (R, v), h, CPU_ACROSS(ub, ub))
CPU_HALF_SUMS_2(Ww_vmpa_WhRb, Ww_vmpaacc_WwWhRb, (W, u), (R, v), w, CPU_ACROSS(h, b))
CPU_HALF_SUMS_2(Ww_vmpa_WuhRb, Ww_vmpaacc_WwWuhRb, (W, u), (R, v), w, CPU_ACROSS(uh, b))
CPU_HALVES_2(Wh_vmpa_WubWb, (W, u), (W, v), h, u.v[0].ub[k] * v.v[0].b[k] + u.v[1].ub[k] * v.v[1].b[k])
CPU_HALVES_2(Wh_vmpa_WubWub, (W, u), (W, v), h, u.v[0].ub[k] * v.v[0].ub[k] + u.v[1].ub[k] * v.v[1].ub[k])

#define CPU_NEIGHBORS(lane, by) ((int64_t)u.lane[2 * i] * v.by[2 * i] + (int64_t)u.lane[2 * i + 1] * v.by[2 * i + 1])
CPU_EACH_2(Vh_vdmpy_VubRb, V, (V, u), (R, v), h, d.h[i] = (int16_t)CPU_NEIGHBORS(ub, b))
CPU_EACH_2(Vw_vdmpy_VhRb, V, (V, u), (R, v), w, d.w[i] = (int32_t)CPU_NEIGHBORS(h, b))
CPU_EACH_2(Vw_vdmpy_VhRh_sat, V, (V, u), (R, v), w, d.w[i] = CPU_SAT_W(CPU_NEIGHBORS(h, h)))
CPU_EACH_2(Vw_vdmpy_VhRuh_sat, V, (V, u), (R, v), w, d.w[i] = CPU_SAT_W(CPU_NEIGHBORS(h, uh)))
CPU_EACH_3(Vw_vdmpyacc_VwVhRh_sat, V, (V, x), (V, u), (R, v), w, d.w[i] = CPU_SAT_W(x.w[i] + CPU_NEIGHBORS(h, h)))
CPU_EACH_3(Vw_vdmpyacc_VwVhRuh_sat, V, (V, x), (V, u), (R, v), w, d.w[i] = CPU_SAT_W(x.w[i] + CPU_NEIGHBORS(h, uh)))
CPU_EACH_3(Vw_vdmpyacc_VwVhVh_sat, V, (V, x), (V, u), (V, v), w, d.w[i] = CPU_SAT_W(x.w[i] + CPU_NEIGHBORS(h, h)))

/* --- Windows that slide by one lane: of the lanes 2i and 2i + 1 of the first vector, then of the second --- */

#define CPU_SLIDING(lane, at) u.v[(at) / 2].lane[2 * i + (at) % 2]
#define CPU_TWO(lane, by, at)                                                                                          \
    ((int64_t)CPU_SLIDING(lane, at) * v.by[2 * i] + (int64_t)CPU_SLIDING(lane, (at) + 1) * v.by[2 * i + 1])
CPU_HALF_SUMS_2(Wh_vdmpy_WubRb, Wh_vdmpyacc_WhWubRb, (W, u), (R, v), h, (int16_t)CPU_TWO(ub, b, half))
CPU_HALF_SUMS_2(Ww_vdmpy_WhRb, Ww_vdmpyacc_WwWhRb, (W, u), (R, v), w, (int32_t)CPU_TWO(h, b, half))
CPU_EACH_2(Vw_vdmpy_WhRh_sat, V, (W, u), (R, v), w, d.w[i] = CPU_SAT_W(CPU_TWO(h, h, 1)))
CPU_EACH_2(Vw_vdmpy_WhRuh_sat, V, (W, u), (R, v), w, d.w[i] = CPU_SAT_W(CPU_TWO(h, uh, 1)))
CPU_EACH_3(Vw_vdmpyacc_VwWhRh_sat, V, (V, x), (W, u), (R, v), w, d.w[i] = CPU_SAT_W(x.w[i] + CPU_TWO(h, h, 1)))
CPU_EACH_3(Vw_vdmpyacc_VwWhRuh_sat, V, (V, x), (W, u), (R, v), w, d.w[i] = CPU_SAT_W(x.w[i] + CPU_TWO(h, uh, 1)))

#define CPU_THREE(lane) ((int32_t)CPU_TWO(lane, b, half) + CPU_SLIDING(lane, half + 2))
CPU_HALF_SUMS_2(Wh_vtmpy_WbRb, Wh_vtmpyacc_WhWbRb, (W, u), (R, v), h, CPU_THREE(b))
CPU_HALF_SUMS_2(Wh_vtmpy_WubRb, Wh_vtmpyacc_WhWubRb, (W, u), (R, v), h, CPU_THREE(ub))
CPU_HALF_SUMS_2(Ww_vtmpy_WhRb, Ww_vtmpyacc_WwWhRb, (W, u), (R, v), w, CPU_THREE(h))

CPU_INLINE uint32_t cpu_difference(int32_t a, int32_t b) {
    return (uint32_t)(a < b ? b - a : a - b);
}

CPU_HALF_SUMS_2(Wuw_vdsad_WuhRuh, Wuw_vdsadacc_WuwWuhRuh, (W, u), (R, v), uw,
                cpu_difference(CPU_SLIDING(uh, half), v.uh[0]) + cpu_difference(CPU_SLIDING(uh, half + 1), v.uh[1]))

/* --- Four products per word --- */

CPU_INLINE HVX_Vector Q6_Vw_vrmpy_VubRb(HVX_Vector u, int32_t four) {
    return Q6_Vw_vrmpy_VubVb(u, Q6_V_vsplat_R(four));
}

CPU_INLINE HVX_Vector Q6_Vw_vrmpyacc_VwVubVb(HVX_Vector x, HVX_Vector u, HVX_Vector v) {
    return x + Q6_Vw_vrmpy_VubVb(u, v);
}

/* Windows that slide by n, 0 or 1, or by n + 2: bytes from there on of the first vector's word, then the second's; they
 * stay in their places, and the four bytes of v rotate. */
#define CPU_FOUR(term) (term(0) + term(1) + term(2) + term(3))
#define CPU_WORD_BYTE(t) u.v[(t) < 2 * half + (n & 1)].ub[4 * i + (t)]
#define CPU_ROTATED(by, t) v.by[((t) + 2 * half - (n & 1)) & 3]
#define CPU_PRODUCT_UB(t) (CPU_WORD_BYTE(t) * CPU_ROTATED(ub, t))
#define CPU_PRODUCT_B(t) (CPU_WORD_BYTE(t) * CPU_ROTATED(b, t))
#define CPU_DIFFERENCE_UB(t) cpu_difference(CPU_WORD_BYTE(t), CPU_ROTATED(ub, t))
CPU_HALF_SUMS_3(Ww_vrmpy_WubRbI, Ww_vrmpyacc_WwWubRbI, (W, u), (R, v), (N, n), w, CPU_FOUR(CPU_PRODUCT_B))
CPU_HALF_SUMS_3(Wuw_vrmpy_WubRubI, Wuw_vrmpyacc_WuwWubRubI, (W, u), (R, v), (N, n), uw,
                (uint32_t)CPU_FOUR(CPU_PRODUCT_UB))
CPU_HALF_SUMS_3(Wuw_vrsad_WubRubI, Wuw_vrsadacc_WuwWubRubI, (W, u), (R, v), (N, n), uw, CPU_FOUR(CPU_DIFFERENCE_UB))

/* --- Six products of bytes and coefficients of 10 bits --- */

/* Coefficient t of a word: byte t, and above it two bits of byte 3. */
CPU_INLINE int32_t cpu_coefficient(int32_t word, int t) {
    int32_t high = (int32_t)((uint32_t)word << (6 - 2 * t)) >> 30;
    return high * 256 + (int32_t)((uint32_t)word >> 8 * t & 255);
}

/* Three products of word i: byte taps[t] + more of both vectors of u with the coefficients of vector `by` of v. */
CPU_INLINE int32_t cpu_three_products(HVX_VectorPair u, HVX_VectorPair v, int i, const int taps[3], int more, int by) {
    int32_t sum = 0;
    for (int t = 0; t < 3; t++) {
        int at = taps[t] + more;
        sum += (int32_t)((uint32_t)(at < 4 ? u.lo : u.hi)[i] >> 8 * (at & 3) & 255) *
               cpu_coefficient((by ? v.hi : v.lo)[i], t);
    }
    return sum;
}

/* `taps`: the offsets of the three bytes that the low sums multiply. The high sums take the bytes `step` further on. */
CPU_INLINE HVX_VectorPair cpu_six_products(HVX_VectorPair u, HVX_VectorPair v, int32_t n, const int taps[3], int step) {
    HVX_VectorPair d;
    for (int i = 0; i < 32; i++) {
        int32_t lower = cpu_three_products(u, v, i, taps, 0, !(n & 1)), upper = 0;
        if (n & 1) {
            lower += cpu_three_products(u, v, i, taps, step, 1);
        } else {
            upper = cpu_three_products(u, v, i, taps, 0, 0);
        }
        d.lo[i] = lower;
        d.hi[i] = upper + cpu_three_products(u, v, i, taps, step, !(n & 1));
    }
    return d;
}

CPU_INLINE HVX_VectorPair Q6_Ww_v6mpy_WubWbI_h(HVX_VectorPair u, HVX_VectorPair v, int32_t n) {
    return cpu_six_products(u, v, n, n & 2 ? (const int[]){4, 2, 0} : (const int[]){6, 4, 2}, 1);
}

CPU_INLINE HVX_VectorPair Q6_Ww_v6mpy_WubWbI_v(HVX_VectorPair u, HVX_VectorPair v, int32_t n) {
    return cpu_six_products(u, v, n, n & 2 ? (const int[]){0, 1, 4} : (const int[]){1, 4, 5}, 2);
}

CPU_INLINE HVX_VectorPair Q6_Ww_v6mpyacc_WwWubWbI_h(HVX_VectorPair x, HVX_VectorPair u, HVX_VectorPair v, int32_t n) {
    return Q6_Ww_vadd_WwWw(x, Q6_Ww_v6mpy_WubWbI_h(u, v, n));
}

CPU_INLINE HVX_VectorPair Q6_Ww_v6mpyacc_WwWubWbI_v(HVX_VectorPair x, HVX_VectorPair u, HVX_VectorPair v, int32_t n) {
    return Q6_Ww_vadd_WwWw(x, Q6_Ww_v6mpy_WubWbI_v(u, v, n));
}

#endif
