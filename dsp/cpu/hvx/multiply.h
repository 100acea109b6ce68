/* SPDX-License-Identifier: MIT
 *
 * Products lane by lane, also accumulated.
 */
#ifndef PHX_CPU_MULTIPLY_H
#define PHX_CPU_MULTIPLY_H

#include "lanes.h"

/* --- Products of the operands' width, or of a part of it --- */

CPU_SUMS_2(Vh_vmpyi_VhRb, Vh_vmpyiacc_VhVhRb, (V, u), (R, v), h, u.h[i] * v.b[i])
CPU_SUMS_2(Vw_vmpyi_VwRb, Vw_vmpyiacc_VwVwRb, (V, u), (R, v), w, u.w[i] * v.b[i])
CPU_SUMS_2(Vw_vmpyi_VwRub, Vw_vmpyiacc_VwVwRub, (V, u), (R, v), w, u.w[i] * v.ub[i])
CPU_SUMS_2(Vuw_vmpye_VuhRuh, Vuw_vmpyeacc_VuwVuhRuh, (V, u), (R, v), uw, (uint32_t)u.uh[2 * i] * v.uh[0])
CPU_EACH_3(Vw_vmpyiacc_VwVwRh, V, (V, x), (V, u), (R, v), w, d.w[i] = x.w[i] + u.w[i] * v.h[i])
CPU_EACH_3(Vw_vmpyieacc_VwVwVh, V, (V, x), (V, u), (V, v), w, d.w[i] = x.w[i] + u.w[i] * v.h[2 * i])
CPU_EACH_3(Vh_vmpyiacc_VhVhVh, V, (V, x), (V, u), (V, v), h, d.h[i] = (int16_t)(x.h[i] + u.h[i] * v.h[i]))
CPU_EACH_2(Vh_vmpy_VhRh_s1_sat, V, (V, u), (R, v), h, d.h[i] = CPU_SAT_H(u.h[i] * v.h[i] >> 15))

/* Words times the odd halves of words: 48 bits. */
#define CPU_ODD_PRODUCT ((int64_t)u.w[i] * v.h[2 * i + 1])
CPU_EACH_2(Vw_vmpyo_VwVh_s1_sat, V, (V, u), (V, v), w, d.w[i] = CPU_SAT_W(CPU_ODD_PRODUCT >> 15))
CPU_EACH_2(Vw_vmpyo_VwVh_s1_rnd_sat, V, (V, u), (V, v), w, d.w[i] = CPU_SAT_W((CPU_ODD_PRODUCT + 16384) >> 15))
CPU_EACH_3(Vw_vmpyoacc_VwVwVh_s1_sat_shift, V, (V, x), (V, u), (V, v), w,
           d.w[i] = CPU_SAT_W((x.w[i] + CPU_ODD_PRODUCT) >> 15))
CPU_EACH_3(Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift, V, (V, x), (V, u), (V, v), w,
           d.w[i] = CPU_SAT_W((x.w[i] + CPU_ODD_PRODUCT + 16384) >> 15))

/* The two steps of a 32 x 32 -> 64-bit multiply; the result's high words are in hi, its low words in lo. The first step
 * is u * (low half of v) << 16. The second adds u * (high half of v) to hi, then shifts (hi, lo) right by 16. */
CPU_HALVES_2(W_vmpye_VwVuh, (V, u), (V, v), w, (int32_t)((int64_t)u.w[i] * v.uh[2 * i] << 16 >> 32 * half))

CPU_INLINE HVX_VectorPair Q6_W_vmpyoacc_WVwVh(HVX_VectorPair x, HVX_Vector vector_u, HVX_Vector vector_v) {
    union cpu_vector u = {vector_u}, v = {vector_v};
    for (int i = 0; i < 32; i++) {
        int64_t sum = CPU_ODD_PRODUCT + x.hi[i];
        x.hi[i] = (int32_t)(sum >> 16);
        x.lo[i] = (int32_t)((uint32_t)sum << 16 | (uint32_t)x.lo[i] >> 16);
    }
    return x;
}

/* --- Products of twice the width, of even and of odd lanes --- */

CPU_HALF_SUMS_2(Wh_vmpy_VubRb, Wh_vmpyacc_WhVubRb, (V, u), (R, v), h, u.ub[k] * v.b[k])
CPU_HALF_SUMS_2(Wh_vmpy_VubVb, Wh_vmpyacc_WhVubVb, (V, u), (V, v), h, u.ub[k] * v.b[k])
CPU_HALF_SUMS_2(Wh_vmpy_VbVb, Wh_vmpyacc_WhVbVb, (V, u), (V, v), h, u.b[k] * v.b[k])
CPU_HALF_SUMS_2(Wuh_vmpy_VubVub, Wuh_vmpyacc_WuhVubVub, (V, u), (V, v), uh, u.ub[k] * v.ub[k])
CPU_HALF_SUMS_2(Ww_vmpy_VhVuh, Ww_vmpyacc_WwVhVuh, (V, u), (V, v), w, u.h[k] * v.uh[k])
CPU_HALF_SUMS_2(Wuw_vmpy_VuhRuh, Wuw_vmpyacc_WuwVuhRuh, (V, u), (R, v), uw, (uint32_t)u.uh[k] * v.uh[k])
CPU_HALVES_3(Wuh_vmpyacc_WuhVubRub, (W, x), (V, u), (R, v), uh, (uint16_t)(x.v[half].uh[i] + u.ub[k] * v.ub[k]))
CPU_HALVES_3(Ww_vmpyacc_WwVhRh, (W, x), (V, u), (R, v), w, x.v[half].w[i] + u.h[k] * v.h[k])

/* --- Piecewise linear: x * u plus (or minus) one of four constants, which the two high bits of u select --- */

#define CPU_LINE(lane) ((int64_t)p.lane[u.uh[i] >> 14] * 32768)
CPU_EACH_2(Vh_vlut4_VuhPh, V, (V, u), (P, p), h, d.h[i] = p.h[u.uh[i] >> 14])
CPU_EACH_3(Vh_vmpa_VhVhVhPh_sat, V, (V, x), (V, u), (P, p), h,
           d.h[i] = CPU_SAT_H(((int64_t)x.h[i] * u.h[i] * 2 + CPU_LINE(h)) >> 16))
CPU_EACH_3(Vh_vmpa_VhVhVuhPuh_sat, V, (V, x), (V, u), (P, p), h,
           d.h[i] = CPU_SAT_H(((int64_t)x.h[i] * u.uh[i] + CPU_LINE(uh)) >> 16))
CPU_EACH_3(Vh_vmps_VhVhVuhPuh_sat, V, (V, x), (V, u), (P, p), h,
           d.h[i] = CPU_SAT_H(((int64_t)x.h[i] * u.uh[i] - CPU_LINE(uh)) >> 16))

#endif
