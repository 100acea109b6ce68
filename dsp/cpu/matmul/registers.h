/* SPDX-License-Identifier: MIT
 *
 * A vector register of this CPU and the operations of the matmul micro-kernels on it: AVX-512 VNNI, AVX2, NEON with
 * dotprod. Sums, shifts and masks use the compiler's generic vectors.
 */
#ifndef PHX_CPU_REGISTERS_H
#define PHX_CPU_REGISTERS_H

#include <string.h>

#include "cpu/hvx/native.h"

#define REGISTER_BYTES sizeof(cpu_register)

typedef int8_t reg_i8 __attribute__((vector_size(REGISTER_BYTES)));
typedef int16_t reg_i16 __attribute__((vector_size(REGISTER_BYTES)));
typedef uint16_t reg_u16 __attribute__((vector_size(REGISTER_BYTES)));
typedef int32_t reg_i32 __attribute__((vector_size(REGISTER_BYTES)));
typedef uint32_t reg_u32 __attribute__((vector_size(REGISTER_BYTES)));

CPU_INLINE reg_i32 reg_load(const void *from) {
    reg_i32 r;
    memcpy(&r, from, sizeof(r));
    return r;
}

CPU_INLINE void reg_store(void *to, reg_i32 r) {
    memcpy(to, &r, sizeof(r));
}

/* Does nothing on NEON, where no measurement asks for it. */
CPU_INLINE void reg_prefetch(const void *p) {
#ifdef __AVX2__
    _mm_prefetch((const char *)p, _MM_HINT_T0);
#else
    (void)p;
#endif
}

CPU_INLINE reg_i32 reg_splat(int32_t x) {
    return (reg_i32){0} + x;
}

CPU_INLINE reg_i32 reg_splat_i16(int32_t x) {
    return (reg_i32)((reg_i16){0} + (int16_t)x);
}

/* Bytes shifted to the right, then masked. */
CPU_INLINE reg_i32 reg_bits(reg_i32 r, const int shift, const int mask) {
    return (reg_i32)((reg_u16)r >> (uint16_t)shift) & reg_splat(mask * 0x01010101);
}

CPU_INLINE reg_i32 reg_madd_i16(reg_i32 a, reg_i32 b) {
    return (reg_i32)CPU_MADD_I16((cpu_register)a, (cpu_register)b);
}

/* mpyr() of docs/arithmetic.md where not both are -32768. */
CPU_INLINE reg_i32 reg_mpyr(reg_i32 a, reg_i32 b) {
    return (reg_i32)CPU_MULHRS_I16((cpu_register)a, (cpu_register)b);
}

CPU_INLINE reg_i32 reg_clamp_i16(reg_i32 r) {
    return __builtin_elementwise_max(__builtin_elementwise_min(r, reg_splat(INT16_MAX)), reg_splat(INT16_MIN));
}

/* --- Codes (0..63, unsigned bytes) times activations (signed bytes), four of each in a word. MOST_STEPS says how many
 * steps of codes below 16, 32 and 64 a sum of them can take before reg_sum() is due, which gives words. --- */

#if defined(__AVX512VNNI__)
#define CODES_STEPS(limit) ((void)(limit), 8)
CPU_INLINE reg_i32 reg_add_codes(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return (reg_i32)_mm512_dpbusd_epi32((cpu_register)sum, (cpu_register)codes, (cpu_register)q);
}

CPU_INLINE reg_i32 reg_sum(reg_i32 sum) {
    return sum;
}

/* Weights + 128, as unsigned bytes; WIDE_CENTRE is the excess. */
#define WIDE_CENTRE 128
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return reg_add_codes(sum, codes, q);
}

CPU_INLINE reg_i32 reg_look_up(reg_i32 table, reg_i32 codes) {
    return (reg_i32)_mm512_shuffle_epi8((cpu_register)table, (cpu_register)codes);
}

#elif defined(__AVX2__)
#define CODES_STEPS(limit) ((limit) <= 16 ? 8 : (limit) <= 32 ? 4 : 2) /* 16 bits: limit * 127 * 2 * steps < 2^15 */
CPU_INLINE reg_i32 reg_add_codes(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return (reg_i32)_mm256_add_epi16((cpu_register)sum, _mm256_maddubs_epi16((cpu_register)codes, (cpu_register)q));
}

CPU_INLINE reg_i32 reg_sum(reg_i32 sum) {
    return reg_madd_i16(sum, reg_splat(0x10001));
}

#define WIDE_CENTRE 0
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    __m256i w = _mm256_xor_si256((cpu_register)codes, _mm256_set1_epi8(-128));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8((cpu_register)q, w));
    return sum + reg_madd_i16((reg_i32)pairs, reg_splat(0x10001));
}

CPU_INLINE reg_i32 reg_look_up(reg_i32 table, reg_i32 codes) {
    return (reg_i32)_mm256_shuffle_epi8((cpu_register)table, (cpu_register)codes);
}

#else
#define CODES_STEPS(limit) ((void)(limit), 8)
CPU_INLINE reg_i32 reg_add_codes(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return (reg_i32)vdotq_s32((int32x4_t)sum, (int8x16_t)codes, (int8x16_t)q);
}

CPU_INLINE reg_i32 reg_sum(reg_i32 sum) {
    return sum;
}

#define WIDE_CENTRE 0
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return reg_add_codes(sum, codes ^ reg_splat((int32_t)0x80808080), q);
}

CPU_INLINE reg_i32 reg_look_up(reg_i32 table, reg_i32 codes) {
    return (reg_i32)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)codes);
}
#endif

/* 16 bytes, broadcast. */
CPU_INLINE reg_i32 reg_table(const int8_t values[16], int added) {
    int8_t bytes[REGISTER_BYTES];
    for (unsigned i = 0; i < REGISTER_BYTES; i++) {
        bytes[i] = (int8_t)(values[i % 16] + added);
    }
    return reg_load(bytes);
}

/* (PA * d16 + 2^14) >> 15 of each word, modulo 2^32. */
CPU_INLINE reg_i32 reg_rescaled(reg_i32 sum, reg_i32 d) {
    typedef int64_t wide __attribute__((vector_size(2 * REGISTER_BYTES)));
    wide product = __builtin_convertvector(sum, wide) * __builtin_convertvector(d, wide);
    return __builtin_convertvector(((product >> 14) + 1) >> 1, reg_i32);
}

#endif
