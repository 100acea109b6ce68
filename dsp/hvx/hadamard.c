/* SPDX-License-Identifier: MIT
 *
 * HADAMARD in HVX (reference: dsp/ref/hadamard.c). Each butterfly step adds and subtracts two vectors, then shuffles
 * them: the bit that selected the vector becomes the lowest bit of the lane index, and the highest bit of the lane
 * index selects the vector. After six such steps the order is restored.
 */
#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "ops/op.h"

PHX_DECLARE_KERNELS(hadamard)

#define MAX_VECTORS 8        /* vectors at once, since the steps of one vector depend on each other */
#define SQRT_HALF 0x5a82799a /* sqrt(1/2), Q31 */

/* Returns the exponent of a block's largest magnitude. */
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

/* Transforms N vectors of whole blocks of 2^bits elements. */
HVX_INLINE void transform(const uint32_t N, const uint32_t bits, HVX_Vector *v) {
    const uint32_t n_vectors = 1u << (bits - 5);
    HVX_Vector vexponent[MAX_VECTORS];
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) {
        vexponent[i] = i % n_vectors ? vexponent[i - 1] : exponent_of(v + i, n_vectors);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < N; i++) { /* up to 262 << 23, which wraps, and wraps back */
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
            if (step || n_vectors > 1) { /* else the vector holds two blocks */
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
        HVX_Vector vsum = bits % 2 ? math_multiply_q31(v[i], Q6_V_vsplat_R(SQRT_HALF)) : v[i];
        HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(vexponent[i], Q6_V_vsplat_R(MATH_INFINITY));
        HVX_Vector vbits = math_pack(vsum, math_add_constant_i32(vexponent[i], unit));
        v[i] = Q6_V_vmux_QVV(qspecial, Q6_V_vsplat_R(MATH_NAN), vbits);
    }
}

/* Transforms n * MAX_VECTORS contiguous vectors. */
HVX_INLINE void transform_run(const uint32_t bits, uint8_t *dst, const uint8_t *x, uint32_t n) {
    for (; n > 0; n--) {
        HVX_Vector v[MAX_VECTORS];
        HVX_UNROLL
        for (uint32_t i = 0; i < MAX_VECTORS; i++) {
            v[i] = hvx_load_u(x + i * HVX_BYTES);
        }
        transform(MAX_VECTORS, bits, v);
        HVX_UNROLL
        for (uint32_t i = 0; i < MAX_VECTORS; i++) {
            hvx_store_u(dst + i * HVX_BYTES, v[i]);
        }
        x += MAX_VECTORS * HVX_BYTES;
        dst += MAX_VECTORS * HVX_BYTES;
    }
}

#define TRANSFORM_RUN(BITS)                                                                                            \
    static __attribute__((noinline)) void transform_run_##BITS(uint8_t *dst, const uint8_t *x, uint32_t n) {           \
        transform_run(BITS, dst, x, n);                                                                                \
    }
TRANSFORM_RUN(5)
TRANSFORM_RUN(6)
TRANSFORM_RUN(7)
TRANSFORM_RUN(8)

static void (*const of_runs[4])(uint8_t *dst, const uint8_t *x, uint32_t n) = {transform_run_5, transform_run_6,
                                                                               transform_run_7, transform_run_8};

static bool is_dense(const struct phx_tensor *view) {
    return view->nb[1] == view->ne[0] * sizeof(float) && view->nb[2] == view->nb[1] * view->ne[1] &&
           view->nb[3] == view->nb[2] * view->ne[2];
}

/* Collects blocks of rows that are not contiguous until they fill a run. */
struct pending {
    HVX_Vector v[MAX_VECTORS];
    uint8_t *dst[MAX_VECTORS]; /* destination of each vector */
    uint32_t n;
};

static void transform_pending(struct pending *pending, uint32_t kind) {
    of_runs[kind]((uint8_t *)pending->v, (const uint8_t *)pending->v, 1);
    for (uint32_t i = 0; i < pending->n; i++) {
        hvx_store_u(pending->dst[i], pending->v[i]);
    }
    pending->n = 0;
}

/* Transforms runs: of all rows if they are contiguous, else of each row. Remaining blocks of one row are combined with
 * blocks of the next. */
uint32_t phx_hadamard_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_tensor *view = &call->dst[0]->view;
    const uint32_t kind = (uint32_t)__builtin_ctz(((const struct phx_hadamard_params *)call->params)->n) - 5;
    uint32_t rows_of_run = is_dense(view) && is_dense(&call->src[0]->view) ? slice->end_row - slice->first_row : 1;
    uint32_t n_bytes = rows_of_run * view->ne[0] * sizeof(float), n_together = n_bytes / (MAX_VECTORS * HVX_BYTES);
    struct phx_at at = phx_at(view, slice->first_row);
    struct pending pending;
    pending.n = 0;
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row += rows_of_run) {
        uint8_t *dst = phx_row(call->dst[0], at);
        const uint8_t *x = phx_row(call->src[0], at);
        of_runs[kind](dst, x, n_together);
        for (uint32_t i = n_together * MAX_VECTORS * HVX_BYTES; i < n_bytes; i += HVX_BYTES) {
            pending.v[pending.n] = hvx_load_u(x + i);
            pending.dst[pending.n++] = dst + i;
            if (pending.n == MAX_VECTORS) {
                transform_pending(&pending, kind);
            }
        }
        phx_next(view, &at);
    }
    if (pending.n) {
        for (uint32_t i = pending.n; i < MAX_VECTORS; i++) {
            pending.v[i] = Q6_V_vzero();
        }
        transform_pending(&pending, kind);
    }
    return PHX_OK;
}
