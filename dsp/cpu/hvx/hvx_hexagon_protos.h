/* SPDX-License-Identifier: MIT
 *
 * The vector intrinsics that dsp/hvx uses, for a CPU. Each computes what the Hexagon V68 HVX reference specifies.
 * Compile with -fwrapv: sums wrap around.
 */
#ifndef PHX_CPU_HVX_HEXAGON_PROTOS_H
#define PHX_CPU_HVX_HEXAGON_PROTOS_H

#include <string.h>

#include "native.h"

#define V HVX_Vector
#define W HVX_VectorPair
#define Q HVX_VectorPred

/* Lists of lanes for __builtin_shufflevector: repeats `list` of x and n, with x increasing by `step`. */
#define CPU_REPEAT_2(list, x, n, step) list(x, n), list((x) + (step), n)
#define CPU_REPEAT_4(list, x, n, step) CPU_REPEAT_2(list, x, n, step), CPU_REPEAT_2(list, (x) + 2 * (step), n, step)
#define CPU_REPEAT_8(list, x, n, step) CPU_REPEAT_4(list, x, n, step), CPU_REPEAT_4(list, (x) + 4 * (step), n, step)
#define CPU_REPEAT_16(list, x, n, step) CPU_REPEAT_8(list, x, n, step), CPU_REPEAT_8(list, (x) + 8 * (step), n, step)
#define CPU_REPEAT_32(list, x, n, step) CPU_REPEAT_16(list, x, n, step), CPU_REPEAT_16(list, (x) + 16 * (step), n, step)
#define CPU_REPEAT_64(list, x, n, step) CPU_REPEAT_32(list, x, n, step), CPU_REPEAT_32(list, (x) + 32 * (step), n, step)
#define CPU_REPEAT_128(list, x, n, step)                                                                               \
    CPU_REPEAT_64(list, x, n, step), CPU_REPEAT_64(list, (x) + 64 * (step), n, step)

/* Lane numbers for a shuffle of two vectors of n lanes: lane x itself; or 1, 2, 4, 8 or 16 neighbouring lanes of the
 * first vector from x on, then the same lanes of the second vector. */
#define CPU_ONE(x, n) (x)
#define CPU_LANES_2(x) (x), (x) + 1
#define CPU_LANES_4(x) CPU_LANES_2(x), CPU_LANES_2((x) + 2)
#define CPU_LANES_8(x) CPU_LANES_4(x), CPU_LANES_4((x) + 4)
#define CPU_LANES_16(x) CPU_LANES_8(x), CPU_LANES_8((x) + 8)
#define CPU_RUNS_1(x, n) (x), (n) + (x)
#define CPU_RUNS_2(x, n) CPU_LANES_2(x), CPU_LANES_2((n) + (x))
#define CPU_RUNS_4(x, n) CPU_LANES_4(x), CPU_LANES_4((n) + (x))
#define CPU_RUNS_8(x, n) CPU_LANES_8(x), CPU_LANES_8((n) + (x))
#define CPU_RUNS_16(x, n) CPU_LANES_16(x), CPU_LANES_16((n) + (x))

/* --- Whole vectors --- */

CPU_INLINE V Q6_V_vzero(void) {
    return (V){0};
}

CPU_INLINE V Q6_V_vsplat_R(int32_t x) {
    return (V){0} + x;
}

CPU_INLINE V Q6_Vh_vsplat_R(int32_t x) {
    return (V)((cpu_i16){0} + (int16_t)x);
}

CPU_INLINE V Q6_V_vand_VV(V u, V v) {
    return u & v;
}

CPU_INLINE V Q6_V_vor_VV(V u, V v) {
    return u | v;
}

CPU_INLINE V Q6_V_vxor_VV(V u, V v) {
    return u ^ v;
}

CPU_INLINE V Q6_V_vnot_V(V u) {
    return ~u;
}

CPU_INLINE V Q6_V_lo_W(W w) {
    return w.lo;
}

CPU_INLINE V Q6_V_hi_W(W w) {
    return w.hi;
}

CPU_INLINE W Q6_W_vcombine_VV(V high, V low) {
    return (W){low, high};
}

/* Returns 128 bytes of the concatenation of v and u from byte `at` on. */
CPU_INLINE V cpu_window(V u, V v, uint32_t at) {
    uint8_t both[256];
    V out;
    memcpy(both, &v, sizeof(v));
    memcpy(both + 128, &u, sizeof(u));
    memcpy(&out, both + at, sizeof(out));
    return out;
}

CPU_INLINE V Q6_V_vror_VR(V u, int32_t n) {
    return cpu_window(u, u, (uint32_t)n & 127);
}

CPU_INLINE V Q6_V_valign_VVR(V u, V v, int32_t n) {
    return cpu_window(u, v, (uint32_t)n & 127);
}

CPU_INLINE int32_t Q6_R_vextract_VR(V u, int32_t at) {
    return u[((uint32_t)at & 127) / 4];
}

/* --- Predicates --- */

/* A mask of odd words. */
#define CPU_ODD_WORDS (((V){CPU_REPEAT_32(CPU_ONE, 0, 0, 1)} & 1) != 0)

#define CPU_SELECT(q, u, v) ((HVX_Vector)(((cpu_i8)(q) & (cpu_i8)(u)) | (~(cpu_i8)(q) & (cpu_i8)(v))))

CPU_INLINE cpu_u8 cpu_byte_numbers(void) {
    return (cpu_u8){CPU_REPEAT_128(CPU_ONE, 0, 0, 1)};
}

CPU_INLINE Q Q6_Q_vsetq_R(int32_t n) {
    return (Q)(cpu_byte_numbers() < ((cpu_u8){0} + (uint8_t)(n & 127)));
}

CPU_INLINE Q Q6_Q_vsetq2_R(int32_t n) {
    return (Q)(cpu_byte_numbers() <= ((cpu_u8){0} + (uint8_t)((n - 1) & 127)));
}

CPU_INLINE Q Q6_Q_and_QQn(Q q, Q r) {
    return q & ~r;
}

CPU_INLINE Q Q6_Q_or_QQ(Q q, Q r) {
    return q | r;
}

CPU_INLINE Q Q6_Q_not_Q(Q q) {
    return ~q;
}

CPU_INLINE V Q6_V_vmux_QVV(Q q, V u, V v) {
    return CPU_SELECT(q, u, v);
}

CPU_INLINE V Q6_V_vand_QV(Q q, V v) {
    return (V)q & v;
}

CPU_INLINE V Q6_V_vand_QnV(Q q, V v) {
    return ~(V)q & v;
}

CPU_INLINE V Q6_V_vand_QR(Q q, int32_t x) {
    return (V)q & Q6_V_vsplat_R(x);
}

CPU_INLINE V Q6_V_vandor_VQR(V v, Q q, int32_t x) {
    return v | ((V)q & Q6_V_vsplat_R(x));
}

/* Returns for each word the number of set predicate bytes up to and including it. */
CPU_INLINE V Q6_Vw_prefixsum_Q(Q q) {
    V counts = (V)(-(cpu_i8)q), out;
    int32_t n = 0;
    for (int i = 0; i < 32; i++) {
        n += (int32_t)((uint32_t)counts[i] * 0x01010101u >> 24);
        out[i] = n;
    }
    return out;
}

/* Stores only the selected bytes: other bytes may belong to another thread. */
CPU_INLINE void Q6_vmem_QRIV(Q q, void *to, V v) {
    uint8_t *bytes = to;
    uint64_t selected[16], from[16];
    if (__builtin_reduce_and((V)q) == -1) {
        memcpy(to, &v, sizeof(v));
        return;
    }
    memcpy(selected, &q, sizeof(q));
    memcpy(from, &v, sizeof(v));
    for (int i = 0; i < 16; i++, bytes += 8) {
        for (uint64_t left = selected[i]; left != 0;) {
            int at = __builtin_ctzll(left);
            left &= ~((uint64_t)255 << at);
            bytes[at / 8] = (uint8_t)(from[i] >> at);
        }
    }
}

CPU_INLINE void Q6_vmem_QnRIV(Q q, void *to, V v) {
    Q6_vmem_QRIV(~q, to, v);
}

#define CPU_COMPARE(name, type, operator)                                                                              \
    CPU_INLINE HVX_VectorPred Q6_Q_vcmp_##name(HVX_Vector u, HVX_Vector v) {                                           \
        return (HVX_VectorPred)((type)u operator(type) v);                                                             \
    }
CPU_COMPARE(gt_VwVw, cpu_i32, >)
CPU_COMPARE(gt_VhVh, cpu_i16, >)
CPU_COMPARE(gt_VuwVuw, cpu_u32, >)
CPU_COMPARE(eq_VwVw, cpu_i32, ==)
CPU_COMPARE(eq_VhVh, cpu_i16, ==)
CPU_COMPARE(eq_VbVb, cpu_i8, ==)

CPU_INLINE Q Q6_Q_vcmp_eqor_QVwVw(Q q, V u, V v) {
    return q | (Q)(u == v);
}

/* Whole lanes are added; of the sums each byte whose predicate bit is set is stored. */
#define CPU_CONDITIONAL(name, type, condition, operator)                                                               \
    CPU_INLINE HVX_Vector Q6_##name(HVX_VectorPred q, HVX_Vector x, HVX_Vector u) {                                    \
        return CPU_SELECT(condition, (type)x operator(type) u, x);                                                     \
    }
CPU_CONDITIONAL(Vw_condacc_QVwVw, cpu_i32, q, +)
CPU_CONDITIONAL(Vw_condacc_QnVwVw, cpu_i32, ~q, +)
CPU_CONDITIONAL(Vw_condnac_QVwVw, cpu_i32, q, -)
CPU_CONDITIONAL(Vh_condacc_QVhVh, cpu_i16, q, +)
CPU_CONDITIONAL(Vh_condnac_QVhVh, cpu_i16, q, -)

/* --- Sums, maximums, averages --- */

#define CPU_BINARY(name, type, expression)                                                                             \
    CPU_INLINE HVX_Vector Q6_##name(HVX_Vector vector_u, HVX_Vector vector_v) {                                        \
        type u = (type)vector_u, v = (type)vector_v;                                                                   \
        return (HVX_Vector)(expression);                                                                               \
    }
CPU_BINARY(Vw_vadd_VwVw, cpu_i32, u + v)
CPU_BINARY(Vw_vsub_VwVw, cpu_i32, u - v)
CPU_BINARY(Vh_vadd_VhVh, cpu_i16, u + v)
CPU_BINARY(Vh_vsub_VhVh, cpu_i16, u - v)
CPU_BINARY(Vb_vsub_VbVb, cpu_i8, u - v)
CPU_BINARY(Vw_vadd_VwVw_sat, cpu_i32, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vw_vsub_VwVw_sat, cpu_i32, __builtin_elementwise_sub_sat(u, v))
CPU_BINARY(Vh_vadd_VhVh_sat, cpu_i16, __builtin_elementwise_add_sat(u, v))
CPU_BINARY(Vh_vsub_VhVh_sat, cpu_i16, __builtin_elementwise_sub_sat(u, v))
CPU_BINARY(Vuh_vsub_VuhVuh_sat, cpu_u16, __builtin_elementwise_sub_sat(u, v))
CPU_BINARY(Vw_vmax_VwVw, cpu_i32, __builtin_elementwise_max(u, v))
CPU_BINARY(Vw_vmin_VwVw, cpu_i32, __builtin_elementwise_min(u, v))
CPU_BINARY(Vh_vmin_VhVh, cpu_i16, __builtin_elementwise_min(u, v))
CPU_BINARY(Vuh_vmin_VuhVuh, cpu_u16, __builtin_elementwise_min(u, v))
CPU_BINARY(Vub_vmin_VubVub, cpu_u8, __builtin_elementwise_min(u, v))
CPU_BINARY(Vuw_vavg_VuwVuw, cpu_u32, (u & v) + ((u ^ v) >> 1))
CPU_BINARY(Vw_vavg_VwVw_rnd, cpu_i32, (u | v) - ((u ^ v) >> 1))
CPU_BINARY(Vh_vavg_VhVh_rnd, cpu_i16, (u | v) - ((u ^ v) >> 1))
CPU_BINARY(Vuh_vavg_VuhVuh_rnd, cpu_u16, (u | v) - ((u ^ v) >> 1))

CPU_INLINE V Q6_Vw_vabs_Vw(V u) {
    return __builtin_elementwise_max(u, -u);
}

CPU_INLINE V Q6_Vw_vabs_Vw_sat(V u) {
    return __builtin_elementwise_max(u, __builtin_elementwise_sub_sat(Q6_V_vzero(), u));
}

CPU_INLINE W Q6_Ww_vadd_WwWw(W u, W v) {
    return (W){u.lo + v.lo, u.hi + v.hi};
}

CPU_INLINE W Q6_Ww_vsub_WwWw(W u, W v) {
    return (W){u.lo - v.lo, u.hi - v.hi};
}

/* --- Shifts --- */

#define CPU_SHIFT(name, type, operator, mask)                                                                          \
    CPU_INLINE HVX_Vector Q6_##name(HVX_Vector u, int32_t n) {                                                         \
        return (HVX_Vector)((type)u operator(n &mask));                                                                \
    }
CPU_SHIFT(Vw_vasl_VwR, cpu_i32, <<, 31)
CPU_SHIFT(Vw_vasr_VwR, cpu_i32, >>, 31)
CPU_SHIFT(Vuw_vlsr_VuwR, cpu_u32, >>, 31)
CPU_SHIFT(Vh_vasl_VhR, cpu_i16, <<, 15)
CPU_SHIFT(Vh_vasr_VhR, cpu_i16, >>, 15)
CPU_SHIFT(Vuh_vlsr_VuhR, cpu_u16, >>, 15)
CPU_SHIFT(Vub_vlsr_VubR, cpu_u8, >>, 7)

CPU_INLINE V Q6_Vw_vaslacc_VwVwR(V x, V u, int32_t n) {
    return x + (u << (n & 31));
}

CPU_INLINE V Q6_Vw_vasracc_VwVwR(V x, V u, int32_t n) {
    return x + (u >> (n & 31));
}

CPU_INLINE V Q6_Vh_vaslacc_VhVhR(V x, V u, int32_t n) {
    return (V)((cpu_i16)x + ((cpu_i16)u << (int16_t)(n & 15)));
}

/* Shifts by a signed number per lane, of 6 bits in words and 5 in half words: negative numbers shift the other way, and
 * all bits may be shifted out. */
CPU_INLINE V cpu_low_6_bits(V n) {
    return n << 26 >> 26;
}

CPU_INLINE V Q6_Vw_vasl_VwVw(V u, V n) {
    return cpu_shift(u, cpu_low_6_bits(n), true);
}

CPU_INLINE V Q6_Vw_vasr_VwVw(V u, V n) {
    return cpu_shift(u, -cpu_low_6_bits(n), true);
}

CPU_INLINE V Q6_Vw_vlsr_VwVw(V u, V n) {
    return cpu_shift(u, -cpu_low_6_bits(n), false);
}

#define CPU_BOTH_WAYS(name, type, forth, back)                                                                         \
    CPU_INLINE HVX_Vector Q6_##name(HVX_Vector vector_u, HVX_Vector vector_n) {                                        \
        type u = (type)vector_u;                                                                                       \
        cpu_i16 n = (cpu_i16)vector_n << 11 >> 11, less = (-n - 1) & 15;                                               \
        type there = u forth(type)(n & 15), other = u back(type) less back 1;                                          \
        return CPU_SELECT(n < 0, other, there);                                                                        \
    }
CPU_BOTH_WAYS(Vh_vasl_VhVh, cpu_i16, <<, >>)
CPU_BOTH_WAYS(Vh_vlsr_VhVh, cpu_u16, >>, <<)

/* Counts leading zeros: the exponent of a float has them. Without the bit below the leading one, which a conversion could
 * round up. Numbers from 2^31 up convert to negative floats and give a negative count. */
CPU_INLINE V Q6_Vuw_vcl0_Vuw(V u) {
    cpu_f32 f = __builtin_convertvector(u & ~(V)((cpu_u32)u >> 1), cpu_f32);
    V n = 158 - (V)((cpu_u32)f >> 23);
    return __builtin_elementwise_min(__builtin_elementwise_max(n, Q6_V_vzero()), Q6_V_vsplat_R(32));
}

CPU_INLINE V Q6_Vuh_vcl0_Vuh(V vector_u) {
    cpu_u16 u = (cpu_u16)vector_u;
    u |= u >> 1;
    u |= u >> 2;
    u |= u >> 4;
    u |= u >> 8;
    u -= u >> 1 & 0x5555;
    u = (u & 0x3333) + (u >> 2 & 0x3333);
    u = (u + (u >> 4)) & 0x0f0f;
    return (V)(16 - ((u + (u >> 8)) & 31));
}

/* --- Multiplications --- */

CPU_INLINE V cpu_even_i16(V u) {
    return u << 16 >> 16;
}

CPU_INLINE V cpu_odd_i16(V u) {
    return u >> 16;
}

CPU_INLINE V cpu_even_u16(V u) {
    return u & 0xffff;
}

CPU_INLINE V cpu_odd_u16(V u) {
    return (V)((cpu_u32)u >> 16);
}

CPU_INLINE V Q6_Vh_vmpy_VhVh_s1_rnd_sat(V u, V v) {
    return cpu_mpyr(u, v);
}

CPU_INLINE V Q6_Vh_vmpy_VhRh_s1_rnd_sat(V u, int32_t two) {
    return cpu_mpyr(u, Q6_V_vsplat_R(two));
}

CPU_BINARY(Vh_vmpyi_VhVh, cpu_i16, u *v)
CPU_BINARY(Vw_vmpyie_VwVuh, cpu_i32, u *cpu_even_u16(v))
CPU_BINARY(Vw_vmpyio_VwVh, cpu_i32, u *cpu_odd_i16(v))
CPU_BINARY(Vw_vmpyieo_VhVh, cpu_i32, u *cpu_odd_i16(v) << 16)

CPU_INLINE V Q6_Vw_vmpyieacc_VwVwVuh(V x, V u, V v) {
    return x + u * cpu_even_u16(v);
}

CPU_INLINE V Q6_Vw_vmpyi_VwRh(V u, int32_t two) {
    V even = Q6_V_vsplat_R((int16_t)two), odd = Q6_V_vsplat_R(two >> 16);
    return u * CPU_SELECT(CPU_ODD_WORDS, odd, even);
}

CPU_INLINE W Q6_Ww_vmpy_VhVh(V u, V v) {
    return (W){cpu_even_i16(u) * cpu_even_i16(v), cpu_odd_i16(u) * cpu_odd_i16(v)};
}

CPU_INLINE W Q6_Ww_vmpyacc_WwVhVh(W x, V u, V v) {
    return Q6_Ww_vadd_WwWw(x, Q6_Ww_vmpy_VhVh(u, v));
}

CPU_INLINE W Q6_Wuw_vmpy_VuhVuh(V u, V v) {
    return (W){cpu_even_u16(u) * cpu_even_u16(v), cpu_odd_u16(u) * cpu_odd_u16(v)};
}

CPU_INLINE W Q6_Wuw_vmpyacc_WuwVuhVuh(W x, V u, V v) {
    return Q6_Ww_vadd_WwWw(x, Q6_Wuw_vmpy_VuhVuh(u, v));
}

CPU_INLINE W Q6_Ww_vmpy_VhRh(V u, int32_t two) {
    return Q6_Ww_vmpy_VhVh(u, Q6_V_vsplat_R(two));
}

CPU_INLINE W Q6_Ww_vmpyacc_WwVhRh_sat(W x, V u, int32_t two) {
    W product = Q6_Ww_vmpy_VhRh(u, two);
    return (W){__builtin_elementwise_add_sat(x.lo, product.lo), __builtin_elementwise_add_sat(x.hi, product.hi)};
}

CPU_INLINE W Q6_Wuh_vmpy_VubRub(V u, int32_t four) {
    cpu_u16 bytes = (cpu_u16)u, by = (cpu_u16)Q6_V_vsplat_R(four);
    return (W){(V)((bytes & 255) * (by & 255)), (V)((bytes >> 8) * (by >> 8))};
}

/* Multiply-accumulate of four bytes, or two halves, per word. Signed and unsigned bytes as 16 bits. */
#define CPU_EVEN_U8(u) ((V)((cpu_u16)(u) & 255))
#define CPU_ODD_U8(u) ((V)((cpu_u16)(u) >> 8))
#define CPU_EVEN_I8(u) ((V)((cpu_i16)(u) << 8 >> 8))
#define CPU_ODD_I8(u) ((V)((cpu_i16)(u) >> 8))

CPU_INLINE V Q6_Vuw_vrmpy_VubVub(V u, V v) {
    return cpu_madd(CPU_EVEN_U8(u), CPU_EVEN_U8(v)) + cpu_madd(CPU_ODD_U8(u), CPU_ODD_U8(v));
}

CPU_INLINE V Q6_Vw_vrmpy_VubVb(V u, V v) {
    return cpu_madd(CPU_EVEN_U8(u), CPU_EVEN_I8(v)) + cpu_madd(CPU_ODD_U8(u), CPU_ODD_I8(v));
}

CPU_INLINE V Q6_Vw_vrmpy_VbVb(V u, V v) {
    return cpu_madd(CPU_EVEN_I8(u), CPU_EVEN_I8(v)) + cpu_madd(CPU_ODD_I8(u), CPU_ODD_I8(v));
}

CPU_INLINE V Q6_Vuw_vrmpyacc_VuwVubVub(V x, V u, V v) {
    return x + Q6_Vuw_vrmpy_VubVub(u, v);
}

CPU_INLINE V Q6_Vuw_vrmpy_VubRub(V u, int32_t four) {
    return Q6_Vuw_vrmpy_VubVub(u, Q6_V_vsplat_R(four));
}

CPU_INLINE V Q6_Vuw_vrmpyacc_VuwVubRub(V x, V u, int32_t four) {
    return x + Q6_Vuw_vrmpy_VubRub(u, four);
}

CPU_INLINE V Q6_Vw_vrmpyacc_VwVubRb(V x, V u, int32_t four) {
    return x + Q6_Vw_vrmpy_VubVb(u, Q6_V_vsplat_R(four));
}

CPU_INLINE V Q6_Vw_vrmpyacc_VwVbVb(V x, V u, V v) {
    return x + Q6_Vw_vrmpy_VbVb(u, v);
}

/* Multiplies even words by bytes 0 and 1 of `four`, odd ones by bytes 2 and 3. */
CPU_INLINE V Q6_Vw_vdmpyacc_VwVhRb(V x, V u, int32_t four) {
    int32_t low = (int32_t)((uint32_t)(int8_t)(four >> 8) << 16 | (uint16_t)(int8_t)four);
    int32_t high = (int32_t)((uint32_t)(int8_t)(four >> 24) << 16 | (uint16_t)(int8_t)(four >> 16));
    return x + cpu_madd(u, CPU_SELECT(CPU_ODD_WORDS, Q6_V_vsplat_R(high), Q6_V_vsplat_R(low)));
}

CPU_INLINE V Q6_Vh_vdmpyacc_VhVubRb(V x, V u, int32_t four) {
    V by = Q6_V_vsplat_R(four);
    cpu_i16 even = (cpu_i16)CPU_EVEN_U8(u) * (cpu_i16)CPU_EVEN_I8(by);
    return (V)((cpu_i16)x + even + (cpu_i16)CPU_ODD_U8(u) * (cpu_i16)CPU_ODD_I8(by));
}

/* The sum of two products of -32768 and -32768 is 2^31, which overflows a word. */
CPU_INLINE V Q6_Vw_vdmpy_VhVh_sat(V u, V v) {
    V sum = cpu_madd(u, v);
    return sum ^ (sum == INT32_MIN);
}

/* Words times halves, in 48 bits. */
CPU_INLINE V Q6_Vw_vmpye_VwVuh(V u, V v) {
    return cpu_product(u, cpu_even_u16(v), 0, 16);
}

/* --- Narrowing and widening. The first operand's lanes are last, or odd --- */

CPU_INLINE V cpu_sat_i16(V u) {
    return Q6_Vw_vmax_VwVw(Q6_Vw_vmin_VwVw(u, Q6_V_vsplat_R(INT16_MAX)), Q6_V_vsplat_R(INT16_MIN));
}

CPU_INLINE V cpu_interleaved_i16(V odd, V even) {
    return cpu_even_u16(even) | odd << 16;
}

CPU_INLINE V Q6_Vh_vasr_VwVwR(V u, V v, int32_t n) {
    return cpu_interleaved_i16(u >> (n & 15), v >> (n & 15));
}

CPU_INLINE V Q6_Vh_vasr_VwVwR_rnd_sat(V u, V v, int32_t n) {
    int32_t half = (1 << (n & 15)) >> 1;
    u = __builtin_elementwise_add_sat(u, Q6_V_vsplat_R(half)) >> (n & 15);
    v = __builtin_elementwise_add_sat(v, Q6_V_vsplat_R(half)) >> (n & 15);
    return cpu_interleaved_i16(cpu_sat_i16(u), cpu_sat_i16(v));
}

CPU_INLINE V Q6_Vh_vround_VwVw_sat(V u, V v) {
    u = __builtin_elementwise_add_sat(u, Q6_V_vsplat_R(0x8000)) >> 16;
    v = __builtin_elementwise_add_sat(v, Q6_V_vsplat_R(0x8000)) >> 16;
    return cpu_interleaved_i16(u, v);
}

CPU_INLINE cpu_i16 cpu_rounded_i16(V u, int32_t n) {
    int16_t half = (int16_t)((1 << (n & 7)) >> 1);
    return __builtin_elementwise_add_sat((cpu_i16)u, (cpu_i16){0} + half) >> (int16_t)(n & 7);
}

CPU_INLINE V cpu_interleaved_i8(cpu_i16 odd, cpu_i16 even) {
    return (V)((even & 255) | odd << 8);
}

CPU_INLINE cpu_i16 cpu_clamped_i16(cpu_i16 u, int16_t least, int16_t most) {
    return __builtin_elementwise_max(__builtin_elementwise_min(u, (cpu_i16){0} + most), (cpu_i16){0} + least);
}

CPU_INLINE V Q6_Vub_vasr_VhVhR_rnd_sat(V u, V v, int32_t n) {
    return cpu_interleaved_i8(cpu_clamped_i16(cpu_rounded_i16(u, n), 0, 255),
                              cpu_clamped_i16(cpu_rounded_i16(v, n), 0, 255));
}

CPU_INLINE V Q6_Vb_vasr_VhVhR_rnd_sat(V u, V v, int32_t n) {
    return cpu_interleaved_i8(cpu_clamped_i16(cpu_rounded_i16(u, n), -128, 127),
                              cpu_clamped_i16(cpu_rounded_i16(v, n), -128, 127));
}

CPU_INLINE V Q6_Vh_vshuffe_VhVh(V u, V v) {
    return cpu_interleaved_i16(u, v);
}

CPU_INLINE V Q6_Vh_vshuffo_VhVh(V u, V v) {
    return (u & (int32_t)0xffff0000) | cpu_odd_u16(v);
}

CPU_INLINE V Q6_Vb_vshuffe_VbVb(V u, V v) {
    return cpu_interleaved_i8((cpu_i16)u, (cpu_i16)v);
}

CPU_INLINE W Q6_Ww_vsxt_Vh(V u) {
    return (W){cpu_even_i16(u), cpu_odd_i16(u)};
}

CPU_INLINE W Q6_Wh_vsxt_Vb(V u) {
    return (W){CPU_EVEN_I8(u), CPU_ODD_I8(u)};
}

/* --- Permutations --- */

CPU_INLINE V Q6_Vh_vpacke_VwVw(V u, V v) {
    return (V)__builtin_shufflevector((cpu_i16)v, (cpu_i16)u, CPU_REPEAT_64(CPU_ONE, 0, 0, 2));
}

CPU_INLINE V Q6_Vh_vpacko_VwVw(V u, V v) {
    return (V)__builtin_shufflevector((cpu_i16)v, (cpu_i16)u, CPU_REPEAT_64(CPU_ONE, 1, 0, 2));
}

CPU_INLINE V Q6_Vb_vpacke_VhVh(V u, V v) {
    return (V)__builtin_shufflevector((cpu_i8)v, (cpu_i8)u, CPU_REPEAT_128(CPU_ONE, 0, 0, 2));
}

CPU_INLINE V Q6_Vb_vpacko_VhVh(V u, V v) {
    return (V)__builtin_shufflevector((cpu_i8)v, (cpu_i8)u, CPU_REPEAT_128(CPU_ONE, 1, 0, 2));
}

CPU_INLINE V Q6_Vb_vshuff_Vb(V u) {
    return (V)__builtin_shufflevector((cpu_i8)u, (cpu_i8)u, CPU_REPEAT_64(CPU_RUNS_1, 0, 64, 1));
}

CPU_INLINE V Q6_Vh_vshuff_Vh(V u) {
    return (V)__builtin_shufflevector((cpu_i16)u, (cpu_i16)u, CPU_REPEAT_32(CPU_RUNS_1, 0, 32, 1));
}

CPU_INLINE V Q6_Vb_vdeal_Vb(V u) {
    return (V)__builtin_shufflevector((cpu_i8)u, (cpu_i8)u, CPU_REPEAT_64(CPU_ONE, 0, 0, 2),
                                      CPU_REPEAT_64(CPU_ONE, 1, 0, 2));
}

CPU_INLINE V Q6_Vh_vdeal_Vh(V u) {
    return (V)__builtin_shufflevector((cpu_i16)u, (cpu_i16)u, CPU_REPEAT_32(CPU_ONE, 0, 0, 2),
                                      CPU_REPEAT_32(CPU_ONE, 1, 0, 2));
}

CPU_INLINE W Q6_Ww_vunpack_Vh(V u) {
    cpu_i16 h = (cpu_i16)u;
    return (W){__builtin_convertvector(__builtin_shufflevector(h, h, CPU_REPEAT_32(CPU_ONE, 0, 0, 1)), V),
               __builtin_convertvector(__builtin_shufflevector(h, h, CPU_REPEAT_32(CPU_ONE, 32, 0, 1)), V)};
}

CPU_INLINE W Q6_Wh_vunpack_Vb(V u) {
    cpu_i8 b = (cpu_i8)u;
    return (W){(V) __builtin_convertvector(__builtin_shufflevector(b, b, CPU_REPEAT_64(CPU_ONE, 0, 0, 1)), cpu_i16),
               (V) __builtin_convertvector(__builtin_shufflevector(b, b, CPU_REPEAT_64(CPU_ONE, 64, 0, 1)), cpu_i16)};
}

/* A stage of vshuff and vdeal: where bit `stage` of k is 0, swaps byte k of high with byte k + stage of low. */
#define CPU_EXCHANGE(stage, type, n_runs, run, n)                                                                      \
    CPU_INLINE W cpu_exchange_##stage(W w) {                                                                           \
        type low = (type)w.lo, high = (type)w.hi;                                                                      \
        return (W){                                                                                                    \
            (V)__builtin_shufflevector(low, high, CPU_REPEAT_##n_runs(CPU_RUNS_##run, 0, n, 2 * (run))),               \
            (V)__builtin_shufflevector(low, high, CPU_REPEAT_##n_runs(CPU_RUNS_##run, run, n, 2 * (run))),             \
        };                                                                                                             \
    }
#define CPU_REPEAT_1(list, x, n, step) list(x, n)
CPU_EXCHANGE(1, cpu_i8, 64, 1, 128)
CPU_EXCHANGE(2, cpu_i16, 32, 1, 64)
CPU_EXCHANGE(4, cpu_i32, 16, 1, 32)
CPU_EXCHANGE(8, cpu_i32, 8, 2, 32)
CPU_EXCHANGE(16, cpu_i32, 4, 4, 32)
CPU_EXCHANGE(32, cpu_i32, 2, 8, 32)
CPU_EXCHANGE(64, cpu_i32, 1, 16, 32)

CPU_INLINE W Q6_W_vshuff_VVR(V u, V v, int32_t stages) {
    W w = {v, u};
    w = stages & 1 ? cpu_exchange_1(w) : w;
    w = stages & 2 ? cpu_exchange_2(w) : w;
    w = stages & 4 ? cpu_exchange_4(w) : w;
    w = stages & 8 ? cpu_exchange_8(w) : w;
    w = stages & 16 ? cpu_exchange_16(w) : w;
    w = stages & 32 ? cpu_exchange_32(w) : w;
    return stages & 64 ? cpu_exchange_64(w) : w;
}

CPU_INLINE W Q6_W_vdeal_VVR(V u, V v, int32_t stages) {
    W w = {v, u};
    w = stages & 64 ? cpu_exchange_64(w) : w;
    w = stages & 32 ? cpu_exchange_32(w) : w;
    w = stages & 16 ? cpu_exchange_16(w) : w;
    w = stages & 8 ? cpu_exchange_8(w) : w;
    w = stages & 4 ? cpu_exchange_4(w) : w;
    w = stages & 2 ? cpu_exchange_2(w) : w;
    return stages & 1 ? cpu_exchange_1(w) : w;
}

/* Bytes that lie `stage` apart, exchanged. */
#define CPU_SWAPPED(u, stage)                                                                                          \
    CPU_SELECT((cpu_byte_numbers() & (stage)) != 0, cpu_exchange_##stage((HVX_VectorPair){u, u}).lo,                   \
               cpu_exchange_##stage((HVX_VectorPair){u, u}).hi)
#define CPU_DELTA(u, control, stage) CPU_SELECT(((control) & (stage)) != 0, CPU_SWAPPED(u, stage), u)

/* Stages from 64 to 1: byte k takes that of k ^ stage if its control byte has that bit. */
CPU_INLINE V Q6_V_vdelta_VV(V u, V control) {
    cpu_u8 bits = (cpu_u8)control;
    u = CPU_DELTA(u, bits, 64);
    u = CPU_DELTA(u, bits, 32);
    u = CPU_DELTA(u, bits, 16);
    u = CPU_DELTA(u, bits, 8);
    u = CPU_DELTA(u, bits, 4);
    u = CPU_DELTA(u, bits, 2);
    return CPU_DELTA(u, bits, 1);
}

/* Looks up a table of 32 bytes, one of 4 by `number`: in even or odd bytes of v's halves. */
CPU_INLINE V Q6_Vb_vlut32_VbVbR_nomatch(V u, V v, int32_t number) {
    cpu_u16 halves = (cpu_u16)v;
    cpu_u8 codes = (cpu_u8)u, out;
    uint8_t table[32];
    for (unsigned i = 0; i < 32; i++) {
        uint16_t half = halves[(i | (unsigned)(number & 7) << 5) & 63];
        table[i] = (uint8_t)(number >> 1 & 1 ? half >> 8 : half);
    }
    for (unsigned i = 0; i < 128; i++) {
        out[i] = table[codes[i] & 31];
    }
    return (V)out;
}

#undef V
#undef W
#undef Q
#endif
