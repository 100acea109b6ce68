/* SPDX-License-Identifier: MIT
 *
 * Sums, differences, averages, extremes, shifts and counts, lane by lane.
 */
#ifndef PHX_CPU_ARITHMETIC_H
#define PHX_CPU_ARITHMETIC_H

#include "lanes.h"

/* --- Whole vectors --- */

CPU_INLINE HVX_Vector Q6_Vb_vsplat_R(int32_t x) {
    return (HVX_Vector)((cpu_i8){0} + (int8_t)x);
}

CPU_INLINE HVX_Vector Q6_V_equals_V(HVX_Vector u) {
    return u;
}

CPU_INLINE HVX_VectorPair Q6_W_equals_W(HVX_VectorPair u) {
    return u;
}

CPU_INLINE HVX_VectorPair Q6_W_vzero(void) {
    return (HVX_VectorPair){{0}, {0}};
}

/* --- Sums and differences --- */

CPU_BINARY(Vb_vadd_VbVb, cpu_i8, u + v)
CPU_BINARY(Vb_vadd_VbVb_sat, cpu_i8, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vub_vadd_VubVub_sat, cpu_u8, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vuh_vadd_VuhVuh_sat, cpu_u16, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vuw_vadd_VuwVuw_sat, cpu_u32, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vb_vsub_VbVb_sat, cpu_i8, __builtin_elementwise_sub_sat(u, v))
CPU_BINARY(Vub_vsub_VubVub_sat, cpu_u8, __builtin_elementwise_sub_sat(u, v))
CPU_BINARY(Vuw_vsub_VuwVuw_sat, cpu_u32, __builtin_elementwise_sub_sat(u, v))
CPU_EACH_2(Vub_vadd_VubVb_sat, V, (V, u), (V, v), ub, d.ub[i] = CPU_SAT_UB(u.ub[i] + v.b[i]))
CPU_EACH_2(Vub_vsub_VubVb_sat, V, (V, u), (V, v), ub, d.ub[i] = CPU_SAT_UB(u.ub[i] - v.b[i]))

CPU_PAIRS(Wb_vadd_WbWb, Vb_vadd_VbVb)
CPU_PAIRS(Wh_vadd_WhWh, Vh_vadd_VhVh)
CPU_PAIRS(Wb_vadd_WbWb_sat, Vb_vadd_VbVb_sat)
CPU_PAIRS(Wh_vadd_WhWh_sat, Vh_vadd_VhVh_sat)
CPU_PAIRS(Ww_vadd_WwWw_sat, Vw_vadd_VwVw_sat)
CPU_PAIRS(Wub_vadd_WubWub_sat, Vub_vadd_VubVub_sat)
CPU_PAIRS(Wuh_vadd_WuhWuh_sat, Vuh_vadd_VuhVuh_sat)
CPU_PAIRS(Wuw_vadd_WuwWuw_sat, Vuw_vadd_VuwVuw_sat)
CPU_PAIRS(Wb_vsub_WbWb, Vb_vsub_VbVb)
CPU_PAIRS(Wh_vsub_WhWh, Vh_vsub_VhVh)
CPU_PAIRS(Wb_vsub_WbWb_sat, Vb_vsub_VbVb_sat)
CPU_PAIRS(Wh_vsub_WhWh_sat, Vh_vsub_VhVh_sat)
CPU_PAIRS(Ww_vsub_WwWw_sat, Vw_vsub_VwVw_sat)
CPU_PAIRS(Wub_vsub_WubWub_sat, Vub_vsub_VubVub_sat)
CPU_PAIRS(Wuh_vsub_WuhWuh_sat, Vuh_vsub_VuhVuh_sat)
CPU_PAIRS(Wuw_vsub_WuwWuw_sat, Vuw_vsub_VuwVuw_sat)

CPU_HALF_SUMS_2(Wh_vadd_VubVub, Wh_vaddacc_WhVubVub, (V, u), (V, v), h, u.ub[k] + v.ub[k])
CPU_HALF_SUMS_2(Ww_vadd_VhVh, Ww_vaddacc_WwVhVh, (V, u), (V, v), w, u.h[k] + v.h[k])
CPU_HALF_SUMS_2(Ww_vadd_VuhVuh, Ww_vaddacc_WwVuhVuh, (V, u), (V, v), w, u.uh[k] + v.uh[k])
CPU_HALVES_2(Wh_vsub_VubVub, (V, u), (V, v), h, u.ub[k] - v.ub[k])
CPU_HALVES_2(Ww_vsub_VhVh, (V, u), (V, v), w, u.h[k] - v.h[k])
CPU_HALVES_2(Ww_vsub_VuhVuh, (V, u), (V, v), w, u.uh[k] - v.uh[k])

/* Sums with a carry bit, of the first byte of the word, from and to a predicate. */
CPU_INLINE HVX_Vector Q6_Vw_vadd_VwVwQ_carry(HVX_Vector u, HVX_Vector v, HVX_VectorPred *carry) {
    HVX_Vector sum = u + v, in = (HVX_Vector)*carry & 1;
    *carry = (HVX_VectorPred)((cpu_u32)sum < (cpu_u32)u | (cpu_u32)(sum + in) < (cpu_u32)sum);
    return sum + in;
}

CPU_INLINE HVX_Vector Q6_Vw_vsub_VwVwQ_carry(HVX_Vector u, HVX_Vector v, HVX_VectorPred *carry) {
    return Q6_Vw_vadd_VwVwQ_carry(u, ~v, carry);
}

CPU_EACH_3(Vw_vadd_VwVwQ_carry_sat, V, (V, u), (V, v), (Q, q), w,
           d.w[i] = CPU_SAT_W((int64_t)u.w[i] + v.w[i] + (q.ub[4 * i] & 1)))

/* --- Extremes, magnitudes, averages --- */

CPU_BINARY(Vb_vmax_VbVb, cpu_i8, __builtin_elementwise_max(u, v))
CPU_BINARY(Vub_vmax_VubVub, cpu_u8, __builtin_elementwise_max(u, v))
CPU_BINARY(Vh_vmax_VhVh, cpu_i16, __builtin_elementwise_max(u, v))
CPU_BINARY(Vuh_vmax_VuhVuh, cpu_u16, __builtin_elementwise_max(u, v))
CPU_BINARY(Vb_vmin_VbVb, cpu_i8, __builtin_elementwise_min(u, v))

CPU_BINARY(Vub_vabsdiff_VubVub, cpu_u8, __builtin_elementwise_max(u, v) - __builtin_elementwise_min(u, v))
CPU_BINARY(Vuh_vabsdiff_VuhVuh, cpu_u16, __builtin_elementwise_max(u, v) - __builtin_elementwise_min(u, v))
CPU_BINARY(Vuh_vabsdiff_VhVh, cpu_i16, __builtin_elementwise_max(u, v) - __builtin_elementwise_min(u, v))
CPU_BINARY(Vuw_vabsdiff_VwVw, cpu_i32, __builtin_elementwise_max(u, v) - __builtin_elementwise_min(u, v))

#define CPU_ABS(name, type)                                                                                            \
    CPU_INLINE HVX_Vector Q6_##name(HVX_Vector u) {                                                                    \
        return (HVX_Vector)__builtin_elementwise_max((type)u, -(type)u);                                               \
    }                                                                                                                  \
    CPU_INLINE HVX_Vector Q6_##name##_sat(HVX_Vector u) {                                                              \
        return (HVX_Vector)__builtin_elementwise_max((type)u, __builtin_elementwise_sub_sat((type){0}, (type)u));      \
    }
CPU_ABS(Vb_vabs_Vb, cpu_i8)
CPU_ABS(Vh_vabs_Vh, cpu_i16)

/* Neither sums of 9, 17 or 33 bits nor their halves overflow in these forms. */
CPU_BINARY(Vb_vavg_VbVb, cpu_i8, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vh_vavg_VhVh, cpu_i16, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vw_vavg_VwVw, cpu_i32, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vub_vavg_VubVub, cpu_u8, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vuh_vavg_VuhVuh, cpu_u16, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vb_vavg_VbVb_rnd, cpu_i8, (u | v) - ((u ^ v) >> 1))
CPU_BINARY(Vub_vavg_VubVub_rnd, cpu_u8, (u | v) - ((u ^ v) >> 1))
CPU_BINARY(Vuw_vavg_VuwVuw_rnd, cpu_u32, (u | v) - ((u ^ v) >> 1))
CPU_BINARY(Vb_vnavg_VbVb, cpu_i8, ((u ^ v) >> 1) - (~u & v))
CPU_BINARY(Vh_vnavg_VhVh, cpu_i16, ((u ^ v) >> 1) - (~u & v))
CPU_BINARY(Vw_vnavg_VwVw, cpu_i32, ((u ^ v) >> 1) - (~u & v))
CPU_BINARY(Vb_vnavg_VubVub, cpu_u8, ((u ^ v) >> 1) - (~u & v))

/* --- Shifts and counts --- */

CPU_BOTH_WAYS(Vh_vasr_VhVh, cpu_i16, >>, <<)
CPU_BINARY(Vuw_vrotr_VuwVuw, cpu_u32, u >> (v & 31) | u << (-v & 31))
CPU_EACH_3(Vh_vasracc_VhVhR, V, (V, x), (V, u), (N, n), h, d.h[i] = x.h[i] + (u.h[i] >> (n & 15)))

/* Shifts u to the right by n, -64 to 63, and returns u:x. The bits that u loses overlay the top of x. If n is negative,
 * u shifts to the left by -n: the lowest -n bits of x come in at its low end, and become 0 in x. For -64 both are 0. */
CPU_INLINE uint64_t cpu_shift_into(uint32_t x, int32_t u, int32_t n) {
    uint64_t both = (uint64_t)x << 32 | x, kept = UINT32_MAX;
    if (n < 0) {
        return n == -64 ? 0 : (uint64_t)(uint32_t)u << 32 << -n | (both & kept << -n);
    }
    return (uint64_t)((int64_t)u * ((int64_t)1 << 32) >> n) | (both & kept >> n);
}

CPU_INLINE HVX_VectorPair Q6_Ww_vasrinto_WwVwVw(HVX_VectorPair x, HVX_Vector u, HVX_Vector v) {
    HVX_VectorPair d;
    for (int i = 0; i < 32; i++) {
        uint64_t both = cpu_shift_into((uint32_t)x.lo[i], u[i], (int32_t)((uint32_t)v[i] << 25) >> 25);
        d.lo[i] = (int32_t)both;
        d.hi[i] = (int32_t)(both >> 32);
    }
    return d;
}

/* The number of leading bits that equal the sign, of words. */
CPU_INLINE HVX_Vector cpu_leading_signs(HVX_Vector u) {
    return Q6_Vuw_vcl0_Vuw(u ^ u >> 31);
}

CPU_INLINE HVX_Vector cpu_leading_signs_i16(HVX_Vector u) {
    return Q6_Vuh_vcl0_Vuh((HVX_Vector)((cpu_i16)u ^ (cpu_i16)u >> 15));
}

CPU_BINARY(Vw_vadd_vclb_VwVw, cpu_i32, cpu_leading_signs(u) + v)
CPU_BINARY(Vh_vadd_vclb_VhVh, cpu_i16, (cpu_i16)cpu_leading_signs_i16((HVX_Vector)u) + v)

CPU_INLINE HVX_Vector Q6_Vw_vnormamt_Vw(HVX_Vector u) {
    return cpu_leading_signs(u) - 1;
}

CPU_INLINE HVX_Vector Q6_Vh_vnormamt_Vh(HVX_Vector u) {
    return (HVX_Vector)((cpu_i16)cpu_leading_signs_i16(u) - 1);
}

CPU_EACH_1(Vh_vpopcount_Vh, V, (V, u), h, d.h[i] = (int16_t)__builtin_popcount(u.uh[i]))

#endif
