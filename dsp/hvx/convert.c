/* SPDX-License-Identifier: MIT
 *
 * Conversions in HVX (reference: dsp/ref/convert.c): copies, and float32 to and from 16 bits. convert_blocks.c has the
 * quantized types.
 */
#include "convert.h"

#include "math/hvx/float16.h"

#define LANES HVX_LANES_I32
#define CHUNK 256u /* elements converted at a time through float32 on the stack: 1 KiB */

typedef void converter(uint8_t *to, const uint8_t *from, uint32_t n);

/* Loads and stores with a compile-time flag for alignment: aligned ones take half as many packets. */
HVX_INLINE HVX_Vector load(const uint8_t *from, bool aligned) {
    return aligned ? *(const HVX_Vector *)from : hvx_load_u(from);
}

HVX_INLINE void store(uint8_t *to, HVX_Vector v, bool aligned) {
    if (aligned) {
        *(HVX_Vector *)to = v;
    } else {
        hvx_store_u(to, v);
    }
}

HVX_INLINE bool are_aligned(const uint8_t *a, const uint8_t *b) {
    return ((uintptr_t)a | (uintptr_t)b) % HVX_BYTES == 0;
}

HVX_INLINE void copy_vectors(uint8_t *to, const uint8_t *from, uint32_t n_times_4, bool aligned) {
    for (uint32_t i = 0; i < n_times_4; i++) {
        HVX_Vector v[4];
        HVX_UNROLL
        for (uint32_t j = 0; j < 4; j++) {
            v[j] = load(from + j * HVX_BYTES, aligned);
            HVX_OPAQUE(v[j]); /* prevents the compiler from calling memcpy, which is slower */
        }
        HVX_UNROLL
        for (uint32_t j = 0; j < 4; j++) {
            store(to + j * HVX_BYTES, v[j], aligned);
        }
        from += 4 * HVX_BYTES;
        to += 4 * HVX_BYTES;
    }
}

void hvx_copy_bytes(uint8_t *to, const uint8_t *from, uint32_t n_bytes) {
    uint32_t n_copied = n_bytes / (4 * HVX_BYTES) * (4 * HVX_BYTES);
    if (are_aligned(to, from)) {
        copy_vectors(to, from, n_bytes / (4 * HVX_BYTES), true);
    } else {
        copy_vectors(to, from, n_bytes / (4 * HVX_BYTES), false);
    }
    to += n_copied;
    from += n_copied;
    n_bytes -= n_copied;
    for (; n_bytes >= HVX_BYTES; n_bytes -= HVX_BYTES) {
        hvx_store_u(to, hvx_load_u(from));
        from += HVX_BYTES;
        to += HVX_BYTES;
    }
    if (n_bytes > 0) {
        hvx_store_partial_u(to, hvx_load_partial_u(from, n_bytes), n_bytes);
    }
}

/* Stores the first min(n_bytes, HVX_BYTES) bytes of v. */
HVX_INLINE void store_up_to(uint8_t *to, HVX_Vector v, uint32_t n_bytes) {
    if (n_bytes >= HVX_BYTES) {
        hvx_store_u(to, v);
    } else {
        hvx_store_partial_u(to, v, n_bytes);
    }
}

HVX_INLINE HVX_Vector load_up_to(const uint8_t *from, uint32_t n_bytes) {
    return n_bytes >= HVX_BYTES ? hvx_load_u(from) : hvx_load_partial_u(from, n_bytes);
}

/* --- 16 bits to float32: 64 numbers to two vectors --- */

HVX_INLINE HVX_VectorPair widen(HVX_Vector v, bool is_f16) {
    if (!is_f16) {
        return Q6_W_vshuff_VVR(v, Q6_V_vzero(), -2); /* a bfloat16 is the upper half of a float32 */
    }
    return math_f16_to_f32(v);
}

HVX_INLINE void widen_row(uint8_t *to, const uint8_t *from, uint32_t n, bool is_f16) {
    for (; n >= 4 * LANES; n -= 4 * LANES) {
        HVX_VectorPair w0 = widen(hvx_load_u(from), is_f16), w1 = widen(hvx_load_u(from + HVX_BYTES), is_f16);
        hvx_store_u(to, Q6_V_lo_W(w0));
        hvx_store_u(to + HVX_BYTES, Q6_V_hi_W(w0));
        hvx_store_u(to + 2 * HVX_BYTES, Q6_V_lo_W(w1));
        hvx_store_u(to + 3 * HVX_BYTES, Q6_V_hi_W(w1));
        from += 2 * HVX_BYTES;
        to += 4 * HVX_BYTES;
    }
    for (uint32_t n_now = 0; n > 0; n -= n_now) {
        n_now = n < 2 * LANES ? n : 2 * LANES;
        HVX_VectorPair w = widen(load_up_to(from, n_now * sizeof(uint16_t)), is_f16);
        store_up_to(to, Q6_V_lo_W(w), n_now * sizeof(float));
        if (n_now > LANES) {
            store_up_to(to + HVX_BYTES, Q6_V_hi_W(w), (n_now - LANES) * sizeof(float));
        }
        from += HVX_BYTES;
        to += 2 * HVX_BYTES;
    }
}

static __attribute__((noinline)) void widen_f16(uint8_t *to, const uint8_t *from, uint32_t n) {
    widen_row(to, from, n, true);
}

static __attribute__((noinline)) void widen_bf16(uint8_t *to, const uint8_t *from, uint32_t n) {
    widen_row(to, from, n, false);
}

/* --- float32 to 16 bits: two vectors to 64 numbers --- */

/* Rounds each word to bfloat16, in its upper half. */
HVX_INLINE HVX_Vector round_to_bf16(HVX_Vector v) {
    HVX_VectorPred qnan = Q6_Q_vcmp_gt_VwVw(math_mask(v, MATH_MAGNITUDE), Q6_V_vsplat_R(MATH_INFINITY));
    HVX_Vector vquiet = Q6_V_vor_VV(math_mask(v, 0xffff0000), Q6_V_vsplat_R(0x00400000));
    HVX_Vector vodd = math_mask(Q6_Vuw_vlsr_VuwR(v, 16), 1);
    HVX_Vector vrounded = Q6_Vw_vadd_VwVw(v, math_add_constant_i32(vodd, 0x7fff));
    return Q6_V_vmux_QVV(qnan, vquiet, vrounded);
}

HVX_INLINE HVX_Vector narrow(HVX_Vector vlow, HVX_Vector vhigh, bool is_f16) {
    if (!is_f16) {
        return Q6_Vh_vpacko_VwVw(round_to_bf16(vhigh), round_to_bf16(vlow));
    }
    return math_f32_to_f16(vlow, vhigh);
}

HVX_INLINE void narrow_row(uint8_t *to, const uint8_t *from, uint32_t n, bool is_f16, bool aligned) {
    for (; n >= 4 * LANES; n -= 4 * LANES) {
        HVX_Vector v[4];
        HVX_UNROLL
        for (uint32_t i = 0; i < 4; i++) {
            v[i] = load(from + i * HVX_BYTES, aligned);
        }
        store(to, narrow(v[0], v[1], is_f16), aligned);
        store(to + HVX_BYTES, narrow(v[2], v[3], is_f16), aligned);
        from += 4 * HVX_BYTES;
        to += 2 * HVX_BYTES;
    }
    for (uint32_t n_now = 0; n > 0; n -= n_now) {
        n_now = n < 2 * LANES ? n : 2 * LANES;
        HVX_Vector vlow = load_up_to(from, n_now * sizeof(float)), vhigh = Q6_V_vzero();
        if (n_now > LANES) {
            vhigh = load_up_to(from + HVX_BYTES, (n_now - LANES) * sizeof(float));
        }
        store_up_to(to, narrow(vlow, vhigh, is_f16), n_now * sizeof(uint16_t));
        from += 2 * HVX_BYTES;
        to += HVX_BYTES;
    }
}

static __attribute__((noinline)) void narrow_f16(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (are_aligned(to, from)) {
        narrow_row(to, from, n, true, true);
    } else {
        narrow_row(to, from, n, true, false);
    }
}

static __attribute__((noinline)) void narrow_bf16(uint8_t *to, const uint8_t *from, uint32_t n) {
    narrow_row(to, from, n, false, false);
}

/* --- Any type --- */

static converter *to_f32(uint32_t dtype) {
    return dtype == PHX_F16    ? widen_f16
           : dtype == PHX_BF16 ? widen_bf16
           : dtype == PHX_Q8_0 ? hvx_unpack_q8_0
                               : hvx_unpack_q4_0;
}

static converter *from_f32(uint32_t dtype) {
    return dtype == PHX_F16    ? narrow_f16
           : dtype == PHX_BF16 ? narrow_bf16
           : dtype == PHX_Q8_0 ? hvx_pack_q8_0
                               : hvx_pack_q4_0;
}

static void convert_twice(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n) {
    struct phx_grain from_grain = phx_grain_of(from_dtype), to_grain = phx_grain_of(to_dtype);
    HVX_Vector words[CHUNK / LANES];
    for (uint32_t n_now = 0; n > 0; n -= n_now) {
        n_now = n < CHUNK ? n : CHUNK;
        to_f32(from_dtype)((uint8_t *)words, from, n_now);
        from_f32(to_dtype)(to, (const uint8_t *)words, n_now);
        from += phx_bytes_of(from_grain, n_now);
        to += phx_bytes_of(to_grain, n_now);
    }
}

void hvx_convert(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n) {
    if (from_dtype == to_dtype) {
        hvx_copy_bytes(to, from, phx_bytes_of(phx_grain_of(from_dtype), n));
    } else if (from_dtype == PHX_F32) {
        from_f32(to_dtype)(to, from, n);
    } else if (to_dtype == PHX_F32) {
        to_f32(from_dtype)(to, from, n);
    } else {
        convert_twice(from_dtype, from, to_dtype, to, n);
    }
}
