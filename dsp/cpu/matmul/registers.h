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

typedef uint8_t reg_u8 __attribute__((vector_size(REGISTER_BYTES)));
typedef int16_t reg_i16 __attribute__((vector_size(REGISTER_BYTES)));
typedef uint16_t reg_u16 __attribute__((vector_size(REGISTER_BYTES)));
typedef int32_t reg_i32 __attribute__((vector_size(REGISTER_BYTES)));
typedef uint32_t reg_u32 __attribute__((vector_size(REGISTER_BYTES)));

/* Rows i (low) and 32 + i (high). */
struct both {
    reg_i32 low, high;
};

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

/* Word j of q in all words. NEON's multiplications take it from a register of four. */
CPU_INLINE reg_i32 reg_splat_of(const int32_t *q, const int j) {
#ifdef __ARM_NEON
    return reg_splat(reg_load(q + j / 4 * 4)[j % 4]);
#else
    return reg_splat(q[j]);
#endif
}

/* Bytes shifted to the right, then masked. */
CPU_INLINE reg_i32 reg_bits(reg_i32 r, const int shift, const int mask) {
#ifdef __ARM_NEON
    reg_u8 bytes = (reg_u8)r >> (uint8_t)shift;
    return (reg_i32)(mask == 255 >> shift ? bytes : bytes & (uint8_t)mask);
#else
    return (reg_i32)((reg_u16)r >> (uint16_t)shift) & reg_splat(mask * 0x01010101);
#endif
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

/* Adds p * e; p: words of 16 bits, e: half words, the lower ones of rows i. */
CPU_INLINE void reg_add_scaled(struct both *sum, struct both p, reg_i32 e) {
#ifdef __ARM_NEON
    sum->low += p.low * (e << 16 >> 16);
    sum->high += p.high * (e >> 16);
#else
    sum->low += reg_madd_i16(p.low, e & reg_splat(0xffff));
    sum->high += reg_madd_i16(p.high, (reg_i32)((reg_u32)e >> 16));
#endif
}

/* p0 and p1, words of 16 bits, times bytes 0 and 1 of each word for rows i, 2 and 3 for rows 32 + i. */
CPU_INLINE struct both reg_times_bytes(struct both p0, struct both p1, reg_i32 bytes) {
#ifdef __ARM_NEON
    return (struct both){p0.low * (bytes << 24 >> 24) + p1.low * (bytes << 16 >> 24),
                         p0.high * (bytes << 8 >> 24) + p1.high * (bytes >> 24)};
#else
    reg_i32 low = (reg_i32)((reg_i16)(((bytes & 0xff) << 8) | ((bytes & 0xff00) << 16)) >> 8);
    reg_i32 high = (reg_i32)((reg_i16)((reg_i32)((reg_u32)bytes >> 8 & 0xff00) | (bytes & (int32_t)0xff000000)) >> 8);
    return (struct both){reg_madd_i16((p0.low & 0xffff) | p1.low << 16, low),
                         reg_madd_i16((p0.high & 0xffff) | p1.high << 16, high)};
#endif
}

/* Adds the products of two weights of 16 bits, which lie in a word of a row, and the half words of q's word j. */
CPU_INLINE void reg_add_words(struct both *sum, struct both w, const int32_t *q, const int j) {
#ifdef __ARM_NEON
    int16x8_t even = vuzp1q_s16((int16x8_t)w.low, (int16x8_t)w.high);
    int16x8_t odd = vuzp2q_s16((int16x8_t)w.low, (int16x8_t)w.high);
    int16x8_t four = (int16x8_t)reg_load(q + j / 4 * 4);
    __asm__("" : "+w"(four)); /* or the compiler loads each half word */
    int16x4_t q0 = (int16x4_t){0} + four[j % 4 * 2], q1 = (int16x4_t){0} + four[j % 4 * 2 + 1];
    sum->low = (reg_i32)vmlal_s16((int32x4_t)sum->low, vget_low_s16(even), q0);
    sum->low = (reg_i32)vmlal_s16((int32x4_t)sum->low, vget_low_s16(odd), q1);
    sum->high = (reg_i32)vmlal_s16((int32x4_t)sum->high, vget_high_s16(even), q0);
    sum->high = (reg_i32)vmlal_s16((int32x4_t)sum->high, vget_high_s16(odd), q1);
#else
    reg_i32 two = reg_splat(q[j]);
    sum->low += reg_madd_i16(w.low, two);
    sum->high += reg_madd_i16(w.high, two);
#endif
}

/* --- Codes (0..127, unsigned bytes) times activations (signed bytes), four of each in a word. CODES_STEPS(limit) says
 * how many steps of codes below the limit (16, 32, 64 or 128) a sum can take before reg_sum() is due, which gives words.
 * --- */

#if defined(__AVX512VNNI__)
#define CODES_STEPS(limit) ((void)(limit), 8)
CPU_INLINE reg_i32 reg_add_codes(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return (reg_i32)_mm512_dpbusd_epi32((cpu_register)sum, (cpu_register)codes, (cpu_register)q);
}

CPU_INLINE reg_i32 reg_sum(reg_i32 sum) {
    return sum;
}

/* Weights + WIDE_CENTRE: unsigned bytes here, signed ones elsewhere. */
#define WIDE_CENTRE 128
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return reg_add_codes(sum, codes, q);
}

CPU_INLINE reg_i32 reg_look_up(reg_i32 table, reg_i32 codes) {
    return (reg_i32)_mm512_shuffle_epi8((cpu_register)table, (cpu_register)codes);
}

#elif defined(__AVX2__)
/* limit * 127 * 2 * steps < 2^15 */
#define CODES_STEPS(limit) ((limit) <= 16 ? 8 : (limit) <= 32 ? 4 : (limit) <= 64 ? 2 : 1)
CPU_INLINE reg_i32 reg_add_codes(reg_i32 sum, reg_i32 codes, reg_i32 q) {
    return (reg_i32)_mm256_add_epi16((cpu_register)sum, _mm256_maddubs_epi16((cpu_register)codes, (cpu_register)q));
}

CPU_INLINE reg_i32 reg_sum(reg_i32 sum) {
    return reg_madd_i16(sum, reg_splat(0x10001));
}

#define WIDE_CENTRE 0
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 w, reg_i32 q) {
    __m256i signed_q = _mm256_sign_epi8((cpu_register)q, (cpu_register)w);
    __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8((cpu_register)w), signed_q);
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
CPU_INLINE reg_i32 reg_add_wide(reg_i32 sum, reg_i32 w, reg_i32 q) {
    return reg_add_codes(sum, w, q);
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
