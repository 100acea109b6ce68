/* SPDX-License-Identifier: MIT
 *
 * Rows as vectors, and their largest magnitude.
 */
#ifndef PHX_HVX_ROWS_H
#define PHX_HVX_ROWS_H

#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"

/* Contiguous whole vectors followed by a partial one of n_bytes. */
struct span {
    const uint8_t *data;
    uint32_t n_vectors;
    uint32_t n_bytes;
};

static inline struct span span_of(const uint8_t *data, uint32_t n_elements) {
    return (struct span){data, n_elements / HVX_LANES_I32, n_elements % HVX_LANES_I32 * sizeof(float)};
}

static inline HVX_Vector load_remainder(struct span span) {
    return span.n_bytes ? hvx_load_partial_u(span.data + span.n_vectors * HVX_BYTES, span.n_bytes) : Q6_V_vzero();
}

HVX_INLINE HVX_Vector load(const uint8_t *p, bool aligned) {
    return aligned ? *(const HVX_Vector *)p : hvx_load_u(p);
}

HVX_INLINE void store(uint8_t *p, HVX_Vector v, bool aligned) {
    if (aligned) {
        *(HVX_Vector *)p = v;
    } else {
        hvx_store_u(p, v);
    }
}

static inline bool is_aligned(const void *p) {
    return (uintptr_t)p % HVX_BYTES == 0;
}

HVX_INLINE HVX_Vector largest_of(const uint8_t *p, uint32_t n_vectors, bool aligned) {
    HVX_Vector vmask = Q6_V_vsplat_R(MATH_MAGNITUDE), vlargest[2] = {Q6_V_vzero(), Q6_V_vzero()};
    for (; n_vectors >= 8; n_vectors -= 8) {
        HVX_UNROLL
        for (int i = 0; i < 8; i++) {
            vlargest[i % 2] = Q6_Vw_vmax_VwVw(vlargest[i % 2], Q6_V_vand_VV(load(p + i * HVX_BYTES, aligned), vmask));
        }
        p += 8 * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        vlargest[0] = Q6_Vw_vmax_VwVw(vlargest[0], Q6_V_vand_VV(load(p, aligned), vmask));
        p += HVX_BYTES;
    }
    return Q6_Vw_vmax_VwVw(vlargest[0], vlargest[1]);
}

static inline __attribute__((noinline)) HVX_Vector largest_of_aligned(const uint8_t *p, uint32_t n_vectors) {
    return largest_of(p, n_vectors, true);
}

static inline __attribute__((noinline)) HVX_Vector largest_of_unaligned(const uint8_t *p, uint32_t n_vectors) {
    return largest_of(p, n_vectors, false);
}

/* Returns the largest magnitude of a row. */
static inline int32_t find_largest(struct span span) {
    HVX_Vector v = is_aligned(span.data) ? largest_of_aligned(span.data, span.n_vectors)
                                         : largest_of_unaligned(span.data, span.n_vectors);
    return hvx_max_i32(Q6_Vw_vmax_VwVw(v, math_mask(load_remainder(span), MATH_MAGNITUDE)));
}

/* Returns the exponent to which a row's integers are relative. */
static inline int32_t row_exponent(int32_t largest) {
    int32_t exponent = largest & MATH_INFINITY;
    return exponent > MATH_ROW_EXPONENT_MIN ? exponent : MATH_ROW_EXPONENT_MIN;
}

#endif
