/* SPDX-License-Identifier: MIT
 *
 * The few operations of 128 bytes for which a CPU has an instruction that generic vectors do not generate: AVX-512 BW,
 * AVX2, NEON.
 */
#ifndef PHX_CPU_NATIVE_H
#define PHX_CPU_NATIVE_H

#include "hexagon_types.h"

#define CPU_INLINE static inline __attribute__((always_inline))

#if defined(__AVX512BW__)
#include <immintrin.h>
typedef __m512i cpu_register;
#define CPU_MADD_I16 _mm512_madd_epi16
#define CPU_MULHRS_I16 _mm512_mulhrs_epi16
#elif defined(__AVX2__)
#include <immintrin.h>
typedef __m256i cpu_register;
#define CPU_MADD_I16 _mm256_madd_epi16
#define CPU_MULHRS_I16 _mm256_mulhrs_epi16
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
