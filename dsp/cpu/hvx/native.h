/* SPDX-License-Identifier: MIT
 *
 * The few operations of 128 bytes for which a CPU has an instruction that generic vectors do not generate: AVX-512 BW,
 * AVX2, NEON.
 */
#ifndef PHX_CPU_NATIVE_H
#define PHX_CPU_NATIVE_H

#include <stdbool.h>

#include "hexagon_types.h"

#define CPU_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512BW__)
#include <immintrin.h>
typedef __m512i cpu_register;
#define CPU_MADD_I16 _mm512_madd_epi16
#define CPU_MULHRS_I16 _mm512_mulhrs_epi16
#define CPU_MULTIPLY_EVEN_I32 _mm512_mul_epi32
#define CPU_ADD_I64 _mm512_add_epi64
#define CPU_SPLAT_I64 _mm512_set1_epi64
#define CPU_LEFT_I64(r, n) _mm512_slli_epi64(r, (unsigned)(n))
#define CPU_RIGHT_U64(r, n) _mm512_srli_epi64(r, (unsigned)(n))
#define CPU_ALTERNATE_I32(even, odd) _mm512_mask_blend_epi32(0xaaaa, even, odd)
#define CPU_LEFT_I32 _mm512_sllv_epi32
#define CPU_RIGHT_U32 _mm512_srlv_epi32
#define CPU_RIGHT_I32 _mm512_srav_epi32
#elif defined(__AVX2__)
#include <immintrin.h>
typedef __m256i cpu_register;
#define CPU_MADD_I16 _mm256_madd_epi16
#define CPU_MULHRS_I16 _mm256_mulhrs_epi16
#define CPU_MULTIPLY_EVEN_I32 _mm256_mul_epi32
#define CPU_ADD_I64 _mm256_add_epi64
#define CPU_SPLAT_I64 _mm256_set1_epi64x
#define CPU_LEFT_I64 _mm256_slli_epi64
#define CPU_RIGHT_U64 _mm256_srli_epi64
#define CPU_ALTERNATE_I32(even, odd) _mm256_blend_epi32(even, odd, 0xaa)
#define CPU_LEFT_I32 _mm256_sllv_epi32
#define CPU_RIGHT_U32 _mm256_srlv_epi32
#define CPU_RIGHT_I32 _mm256_srav_epi32
#elif defined(__ARM_NEON)
#include <arm_neon.h>
typedef int16x8_t cpu_register;
CPU_INLINE int16x8_t cpu_madd_i16(int16x8_t a, int16x8_t b) {
    int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
    return vreinterpretq_s16_s32(vpaddq_s32(low, vmull_high_s16(a, b)));
}
#define CPU_MADD_I16 cpu_madd_i16
#define CPU_MULHRS_I16 vqrdmulhq_s16
#else
#error "dsp/cpu needs AVX2, AVX-512 BW or NEON"
#endif

#define CPU_REGISTERS (sizeof(HVX_Vector) / sizeof(cpu_register))

union cpu_lanes {
    HVX_Vector v;
    cpu_register r[CPU_REGISTERS];
};

/* Returns in each word the sum of both products of its halves, modulo 2^32. */
CPU_INLINE HVX_Vector cpu_madd(HVX_Vector a, HVX_Vector b) {
    union cpu_lanes x = {a}, y = {b};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
        x.r[i] = CPU_MADD_I16(x.r[i], y.r[i]);
    }
    return x.v;
}

/* (a * b + added) >> shift of words, modulo 2^32; shift: 1..32. */
CPU_INLINE HVX_Vector cpu_product(HVX_Vector a, HVX_Vector b, const int64_t added, const int shift) {
    union cpu_lanes x = {a}, y = {b};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
#ifdef __ARM_NEON
        int32x4_t u = (int32x4_t)x.r[i], v = (int32x4_t)y.r[i];
        int64x2_t low = (vmull_s32(vget_low_s32(u), vget_low_s32(v)) + added) >> shift;
        x.r[i] = (cpu_register)vcombine_s32(vmovn_s64(low), vmovn_s64((vmull_high_s32(u, v) + added) >> shift));
#else
        cpu_register addend = CPU_SPLAT_I64(added), u = x.r[i], v = y.r[i];
        cpu_register even = CPU_ADD_I64(CPU_MULTIPLY_EVEN_I32(u, v), addend);
        cpu_register odd = CPU_ADD_I64(CPU_MULTIPLY_EVEN_I32(CPU_RIGHT_U64(u, 32), CPU_RIGHT_U64(v, 32)), addend);
        x.r[i] = CPU_ALTERNATE_I32(CPU_RIGHT_U64(even, shift), CPU_LEFT_I64(odd, 32 - shift));
#endif
    }
    return x.v;
}

/* multiply_q31() of docs/math.md; with rounds == false the floor. */
CPU_INLINE HVX_Vector cpu_multiply_q31(HVX_Vector a, HVX_Vector b, const bool rounds) {
#ifdef __ARM_NEON
    union cpu_lanes x = {a}, y = {b};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
        int32x4_t u = (int32x4_t)x.r[i], v = (int32x4_t)y.r[i];
        x.r[i] = (cpu_register)(rounds ? vqrdmulhq_s32(u, v) : vqdmulhq_s32(u, v));
    }
    return x.v;
#else
    HVX_Vector product = cpu_product(a, b, rounds ? 1 << 30 : 0, 31);
    return product ^ (product == INT32_MIN); /* of -2^31 and -2^31 */
#endif
}

/* Words shifted by n, -32..32, to the left; negative numbers shift to the right, arithmetically or not. */
CPU_INLINE HVX_Vector cpu_shift(HVX_Vector vector, HVX_Vector n, const bool is_signed) {
#ifdef __ARM_NEON
    union cpu_lanes x = {vector}, by = {n};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
        x.r[i] = is_signed ? (cpu_register)vshlq_s32((int32x4_t)x.r[i], (int32x4_t)by.r[i])
                           : (cpu_register)vshlq_u32((uint32x4_t)x.r[i], (int32x4_t)by.r[i]);
    }
    return x.v;
#else /* a shift by 32 or more, as an unsigned number, leaves 0 or the sign */
    union cpu_lanes left = {vector}, right = {vector}, by = {n}, back = {-n};
    HVX_Vector is_negative = n >> 31;
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
        left.r[i] = CPU_LEFT_I32(left.r[i], by.r[i]);
        right.r[i] = is_signed ? CPU_RIGHT_I32(right.r[i], back.r[i]) : CPU_RIGHT_U32(right.r[i], back.r[i]);
    }
    return (right.v & is_negative) | (left.v & ~is_negative);
#endif
}

/* mpyr() of docs/arithmetic.md. x86 wraps if both are -32768. */
CPU_INLINE HVX_Vector cpu_mpyr(HVX_Vector a, HVX_Vector b) {
    union cpu_lanes x = {a}, y = {b};
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < CPU_REGISTERS; i++) {
        x.r[i] = CPU_MULHRS_I16(x.r[i], y.r[i]);
    }
#ifdef __ARM_NEON
    return x.v;
#else
    cpu_i16 h = (cpu_i16)x.v;
    return (HVX_Vector)(h ^ (h == INT16_MIN));
#endif
}

#endif
