/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/hadamard.c in HVX. Two vectors are added and subtracted, then shuffled: what was the bit of their numbers is
 * now the lowest of the lanes', and the highest of those tells the vectors apart. After six such steps all is in order.
 */
#include "hvx.h"
#include "math/hvx/float32.h"
#include "ops/op.h"

#define MOST 8                  /* vectors at once: steps of one wait for each other */
#define ROOT_OF_HALF 0x5a82799a /* Q31 */

/* That of a block. */
HVX_INLINE HVX_Vector exponent_of(const HVX_Vector *v, uint32_t n_vectors) {
    HVX_Vector vlargest = Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN);
    HVX_UNROLL
    for (uint32_t i = 0; i < n_vectors; i++) {
        vlargest = Q6_Vw_vmax_VwVw(vlargest, math_exponent(v[i]));
    }
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 2; distance >= 4; distance /= 2) {
        vlargest = Q6_Vw_vmax_VwVw(vlargest, Q6_V_vror_VR(vlargest, distance));
    }
    return vlargest;
}

HVX_INLINE void add_and_subtract(HVX_Vector *va, HVX_Vector *vb) {
    HVX_Vector vsum = Q6_Vw_vadd_VwVw(*va, *vb);
    *vb = Q6_Vw_vsub_VwVw(*va, *vb);
    *va = vsum;
}

/* N vectors, whole blocks of 2^bits elements. */
HVX_INLINE void transform(const uint32_t N, const uint32_t bits, HVX_Vector *v) {
    const uint32_t n_vectors = 1u << (bits - 5);
    HVX_Vector vexponent[MOST];
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        vexponent[i] = i % n_vectors ? vexponent[i - 1] : exponent_of(v + i, n_vectors);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) { /* up to 262 << 23, which wraps there and back */
        v[i] = math_to_i32(v[i], math_add_constant_i32(vexponent[i], (int32_t)bits * MATH_EXPONENT_ONE));
    }
    HVX_UNROLL
    for (uint32_t half = 2; half < n_vectors; half *= 2) {
        HVX_UNROLL
        for (uint32_t i = 0; i < N; i++) {
            if (!(i & half)) {
                add_and_subtract(&v[i], &v[i + half]);
            }
        }
    }
    HVX_UNROLL
    for (int step = 0; step < 6; step++) {
        HVX_UNROLL
        for (uint32_t i = 0; i < N; i += 2) {
            if (step || n_vectors > 1) { /* else two blocks */
                add_and_subtract(&v[i], &v[i + 1]);
            }
            HVX_VectorPair w = Q6_W_vshuff_VVR(v[i + 1], v[i], -4);
            v[i] = Q6_V_lo_W(w);
            v[i + 1] = Q6_V_hi_W(w);
        }
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        int32_t unit = ((int32_t)(bits + 1) / 2 - 30) * MATH_EXPONENT_ONE;
        HVX_Vector vsum = bits % 2 ? math_multiply_q31(v[i], Q6_V_vsplat_R(ROOT_OF_HALF)) : v[i];
        HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(vexponent[i], Q6_V_vsplat_R(MATH_INFINITY));
        HVX_Vector vbits = math_pack(vsum, math_add_constant_i32(vexponent[i], unit));
        v[i] = Q6_V_vmux_QVV(qspecial, Q6_V_vsplat_R(MATH_NAN), vbits);
    }
}

/* Blocks, each at an address. All are read before one is written: some may be the same. */
struct blocks {
    uint8_t *dst[MOST];
    const uint8_t *x[MOST];
};

HVX_INLINE void transform_blocks(const uint32_t N, const uint32_t bits, const struct blocks *blocks) {
    const uint32_t n_vectors = 1u << (bits - 5);
    HVX_Vector v[MOST];
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        v[i] = hvx_load_u(blocks->x[i / n_vectors] + i % n_vectors * HVX_BYTES);
    }
    transform(N, bits, v);
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        hvx_store_u(blocks->dst[i / n_vectors] + i % n_vectors * HVX_BYTES, v[i]);
    }
}

typedef void (*transform_function)(const struct blocks *blocks);

#define TRANSFORM(N, BITS)                                                                                             \
    static __attribute__((noinline)) void transform_##N##_##BITS(const struct blocks *blocks) {                        \
        transform_blocks(N, BITS, blocks);                                                                             \
    }
TRANSFORM(4, 5)
TRANSFORM(8, 5)
TRANSFORM(4, 6)
TRANSFORM(8, 6)
TRANSFORM(4, 7)
TRANSFORM(8, 7)
TRANSFORM(8, 8)

static const transform_function functions[4][2] = {{transform_4_5, transform_8_5},
                                                   {transform_4_6, transform_8_6},
                                                   {transform_4_7, transform_8_7},
                                                   {transform_8_8, transform_8_8}};

uint32_t phx_hadamard_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    uint32_t n = ((const struct phx_hadamard_params *)call->params)->n, most = MOST * HVX_LANES_I32 / n, n_waiting = 0;
    const transform_function *of_size = functions[__builtin_ctz(n) - 5];
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    struct blocks blocks;
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        for (uint32_t i = 0; i < call->dst[0]->view.ne[0]; i += n) {
            blocks.dst[n_waiting] = phx_row(call->dst[0], at) + i * sizeof(float);
            blocks.x[n_waiting] = phx_row(call->src[0], at) + i * sizeof(float);
            if (++n_waiting == most) {
                of_size[1](&blocks);
                n_waiting = 0;
            }
        }
        phx_next(&call->dst[0]->view, &at);
    }
    if (n_waiting) {
        for (uint32_t i = n_waiting; i < most; i++) {
            blocks.dst[i] = blocks.dst[0];
            blocks.x[i] = blocks.x[0];
        }
        of_size[2 * n_waiting > most](&blocks);
    }
    return PHX_OK;
}
