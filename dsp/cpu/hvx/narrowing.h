/* SPDX-License-Identifier: MIT
 *
 * Wider lanes to narrower ones and back.
 */
#ifndef PHX_CPU_NARROWING_H
#define PHX_CPU_NARROWING_H

#include "lanes.h"

/* Lanes of type `from` to lanes of type `to`, of half the size: u's become the odd lanes, v's the even ones. `value`
 * is a function of x. */
#define CPU_NARROW_TO(name, parameters, locals, from, to, value)                                                       \
    CPU_INLINE HVX_Vector Q6_##name parameters {                                                                       \
        locals union cpu_vector d;                                                                                     \
        for (int i = 0; i < (int)(sizeof(u.from) / sizeof(*u.from)); i++) {                                            \
            int64_t x = v.from[i];                                                                                     \
            d.to[2 * i] = (value);                                                                                     \
            x = u.from[i];                                                                                             \
            d.to[2 * i + 1] = (value);                                                                                 \
        }                                                                                                              \
        return d.all;                                                                                                  \
    }
#define CPU_NARROW(name, from, to, value)                                                                              \
    CPU_NARROW_TO(name, (CPU_PARAMETER(V, u), CPU_PARAMETER(V, v)), CPU_LOCAL(V, u) CPU_LOCAL(V, v), from, to, value)
#define CPU_NARROW_SHIFTED(name, from, to, value)                                                                      \
    CPU_NARROW_TO(name, (CPU_PARAMETER(V, u), CPU_PARAMETER(V, v), CPU_PARAMETER(N, n)),                               \
                  CPU_LOCAL(V, u) CPU_LOCAL(V, v) CPU_LOCAL(N, n), from, to, value)

CPU_NARROW(Vub_vsat_VhVh, h, ub, CPU_SAT_UB(x))
CPU_NARROW(Vh_vsat_VwVw, w, h, CPU_SAT_H(x))
CPU_NARROW(Vuh_vsat_VuwVuw, uw, uh, CPU_SAT_UH(x))

CPU_NARROW(Vb_vround_VhVh_sat, h, b, CPU_SAT_B((x + 128) >> 8))
CPU_NARROW(Vub_vround_VhVh_sat, h, ub, CPU_SAT_UB((x + 128) >> 8))
CPU_NARROW(Vub_vround_VuhVuh_sat, uh, ub, CPU_SAT_UB((x + 128) >> 8))
CPU_NARROW(Vuh_vround_VwVw_sat, w, uh, CPU_SAT_UH((x + 32768) >> 16))
CPU_NARROW(Vuh_vround_VuwVuw_sat, uw, uh, CPU_SAT_UH((x + 32768) >> 16))

/* Shifts to the right by 3 or 4 bits of a number, and rounds half up. */
#define CPU_ROUNDED(x, n) (((x) + ((1 << (n)) >> 1)) >> (n))
CPU_NARROW_SHIFTED(Vb_vasr_VhVhR_sat, h, b, CPU_SAT_B(x >> (n & 7)))
CPU_NARROW_SHIFTED(Vub_vasr_VhVhR_sat, h, ub, CPU_SAT_UB(x >> (n & 7)))
CPU_NARROW_SHIFTED(Vub_vasr_VuhVuhR_sat, uh, ub, CPU_SAT_UB(x >> (n & 7)))
CPU_NARROW_SHIFTED(Vub_vasr_VuhVuhR_rnd_sat, uh, ub, CPU_SAT_UB(CPU_ROUNDED(x, n & 7)))
CPU_NARROW_SHIFTED(Vh_vasr_VwVwR_sat, w, h, CPU_SAT_H(x >> (n & 15)))
CPU_NARROW_SHIFTED(Vuh_vasr_VwVwR_sat, w, uh, CPU_SAT_UH(x >> (n & 15)))
CPU_NARROW_SHIFTED(Vuh_vasr_VwVwR_rnd_sat, w, uh, CPU_SAT_UH(CPU_ROUNDED(x, n & 15)))
CPU_NARROW_SHIFTED(Vuh_vasr_VuwVuwR_sat, uw, uh, CPU_SAT_UH(x >> (n & 15)))
CPU_NARROW_SHIFTED(Vuh_vasr_VuwVuwR_rnd_sat, uw, uh, CPU_SAT_UH(CPU_ROUNDED(x, n & 15)))

/* Signed 64-bit numbers, whose high words are u. */
CPU_EACH_2(Vw_vsatdw_VwVw, V, (V, u), (V, v), w, d.w[i] = CPU_SAT_W((int64_t)((uint64_t)u.uw[i] << 32 | v.uw[i])))

/* v's lanes first, then u's. */
#define CPU_PACK(name, from, to, saturated)                                                                            \
    CPU_EACH_2(name, V, (V, u), (V, v), from, d.to[i] = saturated(v.from[i]);                                          \
               d.to[i + (int)(sizeof(u.from) / sizeof(*u.from))] = saturated(u.from[i]))
CPU_PACK(Vb_vpack_VhVh_sat, h, b, CPU_SAT_B)
CPU_PACK(Vub_vpack_VhVh_sat, h, ub, CPU_SAT_UB)
CPU_PACK(Vh_vpack_VwVw_sat, w, h, CPU_SAT_H)
CPU_PACK(Vuh_vpack_VwVw_sat, w, uh, CPU_SAT_UH)

CPU_HALVES_1(Wuh_vzxt_Vub, (V, u), uh, u.ub[k])
CPU_HALVES_1(Wuw_vzxt_Vuh, (V, u), uw, u.uh[k])
CPU_EACH_1(Wuh_vunpack_Vub, W, (V, u), uh, d.uh[i] = u.ub[i])
CPU_EACH_1(Wuw_vunpack_Vuh, W, (V, u), uw, d.uw[i] = u.uh[i])
CPU_EACH_2(Wh_vunpackoor_WhVb, W, (W, x), (V, u), uh, d.uh[i] = (uint16_t)(x.uh[i] | u.ub[i] << 8))
CPU_EACH_2(Ww_vunpackoor_WwVh, W, (W, x), (V, u), uw, d.uw[i] = x.uw[i] | (uint32_t)u.uh[i] << 16)

#endif
