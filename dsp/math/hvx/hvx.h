/* SPDX-License-Identifier: MIT
 *
 * The HVX vocabulary of the kernels, on top of the compiler's intrinsics. Integer instructions only: QEMU executes no
 * HVX floating-point instructions, and v68 is the oldest target.
 *
 * HVX_Vector has no element type, so names carry it: hvx_<verb>_<dtype>. v is one register, w a pair (lo, hi). Comments
 * about lanes count elements of the named type.
 */
#ifndef PHX_HVX_H
#define PHX_HVX_H

#include <hexagon_types.h>

#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <stdbool.h>
#include <stdint.h>

#define HVX_BYTES 128
#define HVX_LANES_I32 32
#define HVX_INLINE static inline __attribute__((always_inline))

/* Fully unrolls a loop over an array of registers: a variable index would put the array in memory. */
#ifndef __aarch64__
#define HVX_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HVX_UNROLL /* NEON needs eight registers per vector and has too few: compilation would take minutes */
#endif

/* Hides from the optimizer what v is, or that x is a small constant. */
#ifdef __hexagon__
#define HVX_OPAQUE(v) __asm__("" : "+v"(v))
#define HVX_UNKNOWN(x, constant) __asm__("%0 = #" #constant : "=r"(x))
#else
#define HVX_OPAQUE(v) __asm__("" : "+m"(v))
#define HVX_UNKNOWN(x, constant) ((x) = (constant))
#endif

typedef HVX_Vector hvx_unaligned __attribute__((aligned(4), may_alias));

/* Loads the 128 bytes at p, aligned or not. Accesses exactly these. */
HVX_INLINE HVX_Vector hvx_load_u(const void *p) {
    return *(const hvx_unaligned *)p;
}

HVX_INLINE void hvx_store_u(void *p, HVX_Vector v) {
    *(hvx_unaligned *)p = v;
}

/* Loads n_bytes (1..127) from any address, followed by zeros. Accesses only aligned vectors that contain some of these
 * bytes. */
HVX_INLINE HVX_Vector hvx_load_partial_u(const void *p, uint32_t n_bytes) {
    uint32_t start = (uintptr_t)p % HVX_BYTES;
    const HVX_Vector *line = (const HVX_Vector *)((const uint8_t *)p - start);
    HVX_Vector v = Q6_V_valign_VVR(line[start + n_bytes > HVX_BYTES], line[0], (int32_t)start);
    return Q6_V_vand_QV(Q6_Q_vsetq_R((int32_t)n_bytes), v);
}

/* Stores the first n_bytes (1..127) of v to any address and modifies no other byte. The bytes may straddle two aligned
 * vectors. */
HVX_INLINE void hvx_store_partial_u(uint8_t *p, HVX_Vector v, uint32_t n_bytes) {
    uint32_t start = (uintptr_t)p % HVX_BYTES;
    HVX_Vector *line = (HVX_Vector *)(p - start);
    HVX_Vector vrotated = Q6_V_vror_VR(v, -(int32_t)start);
    HVX_VectorPred qbefore = Q6_Q_vsetq_R((int32_t)start);
    uint32_t end = start + n_bytes;
    if (end > HVX_BYTES) {
        Q6_vmem_QnRIV(qbefore, line, vrotated);
        Q6_vmem_QRIV(Q6_Q_vsetq_R((int32_t)(end - HVX_BYTES)), line + 1, vrotated);
    } else {
        Q6_vmem_QRIV(Q6_Q_and_QQn(Q6_Q_vsetq2_R((int32_t)end), qbefore), line, vrotated);
    }
}

/* Loads a whole vector if n_bytes reaches that, else n_bytes followed by zeros. */
HVX_INLINE HVX_Vector hvx_load_some_u(const void *p, uint32_t n_bytes) {
    return n_bytes >= HVX_BYTES ? hvx_load_u(p) : hvx_load_partial_u(p, n_bytes);
}

HVX_INLINE void hvx_store_some_u(uint8_t *p, HVX_Vector v, uint32_t n_bytes) {
    if (n_bytes >= HVX_BYTES) {
        hvx_store_u(p, v);
    } else {
        hvx_store_partial_u(p, v, n_bytes);
    }
}

HVX_INLINE HVX_VectorPair hvx_w_zero(void) {
    return Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vzero());
}

/* mpyr() of docs/arithmetic.md, 64 lanes: vector times vector, and vector times the two int16 of a word alternately. */
HVX_INLINE HVX_Vector hvx_mpyr_i16(HVX_Vector va, HVX_Vector vb) {
    return Q6_Vh_vmpy_VhVh_s1_rnd_sat(va, vb);
}

HVX_INLINE HVX_Vector hvx_mpyr_scalar_i16(HVX_Vector va, int32_t two) {
    return Q6_Vh_vmpy_VhRh_s1_rnd_sat(va, two);
}

HVX_INLINE HVX_Vector hvx_splat_i16(int32_t x) {
    return Q6_V_vsplat_R((int32_t)((uint32_t)x << 16 | (x & 0xffff)));
}

/* Returns the even words of va and vb in lo, the odd ones in hi: one step of a reduction across lanes. */
HVX_INLINE HVX_VectorPair hvx_w_deal_i32(HVX_Vector va, HVX_Vector vb) {
    return Q6_W_vdeal_VVR(vb, va, -4);
}

HVX_INLINE HVX_Vector hvx_add_neighbours_i32(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = hvx_w_deal_i32(va, vb);
    return Q6_Vw_vadd_VwVw(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* Returns the largest lane. */
HVX_INLINE int32_t hvx_max_i32(HVX_Vector v) {
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 2; distance >= 4; distance /= 2) {
        v = Q6_Vw_vmax_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return Q6_R_vextract_VR(v, 0);
}

/* Returns whether any lane's predicate is set. */
HVX_INLINE bool hvx_any(HVX_VectorPred q) {
    return Q6_R_vextract_VR(Q6_Vw_prefixsum_Q(q), HVX_BYTES - 4) != 0;
}

HVX_INLINE HVX_Vector hvx_max_neighbours_i32(HVX_Vector va, HVX_Vector vb) {
    HVX_VectorPair w = hvx_w_deal_i32(va, vb);
    return Q6_Vw_vmax_VwVw(Q6_V_lo_W(w), Q6_V_hi_W(w));
}

/* Interleaves the low 16 bits of two vectors of words: lane 2*i from veven, 2*i + 1 from vodd. */
HVX_INLINE HVX_Vector hvx_interleave_low_i16(HVX_Vector veven, HVX_Vector vodd) {
    return Q6_Vh_vshuffe_VhVh(vodd, veven);
}

#endif
