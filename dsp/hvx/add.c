/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/add.c, several vectors at a time: one alone would wait for itself at each step.
 *
 * Where a or b is NaN or infinite, dst keeps what it has. If there was such an element, the slice is gone through
 * again, and the reference's function takes those: dst may lie over a, and a is still there. (A sum that has become
 * infinite in place of a stays so.)
 *
 * Reads and writes whole vectors within a row; at its end those aligned vectors which hold elements of it.
 */
#include "hvx.h"
#include "math/hvx/float32.h"
#include "ops/op.h"
#include "ref/add.h"

#define UNROLLED 3 /* what the registers hold */

/* Where the vectors of a row are. A step is HVX_BYTES, or 0 for b of one element: a vector full of it. */
struct row {
    uint8_t *dst;
    const uint8_t *a, *b;
    uint32_t b_step;
};

/* Keeps the largest exponent that went in. */
HVX_INLINE HVX_VectorPred is_special(HVX_Vector va, HVX_Vector vb, HVX_Vector *vlargest) {
    HVX_Vector vmagnitude = Q6_Vw_vmax_VwVw(math_mask(va, MATH_MAGNITUDE), math_mask(vb, MATH_MAGNITUDE));
    HVX_Vector vexponent = math_exponent(vmagnitude);
    *vlargest = Q6_Vw_vmax_VwVw(*vlargest, vexponent);
    return Q6_Q_vcmp_eq_VwVw(vexponent, Q6_V_vsplat_R(MATH_INFINITY));
}

HVX_INLINE void add_vectors_aligned(uint8_t *dst, const uint8_t *a, const uint8_t *b, uint32_t n,
                                    HVX_Vector *vlargest) {
    HVX_Vector v[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = math_add_f32(((const HVX_Vector *)a)[i], ((const HVX_Vector *)b)[i]);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_VectorPred q = is_special(((const HVX_Vector *)a)[i], ((const HVX_Vector *)b)[i], vlargest);
        Q6_vmem_QnRIV(q, (HVX_Vector *)dst + i, v[i]);
    }
}

/* n_vectors that are all aligned. The largest exponent in each lane of these and of vlargest. */
static __attribute__((noinline)) HVX_Vector add_aligned(uint8_t *dst, const uint8_t *a, const uint8_t *b,
                                                        uint32_t n_vectors, HVX_Vector vlargest) {
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        add_vectors_aligned(dst, a, b, UNROLLED, &vlargest);
        dst += UNROLLED * HVX_BYTES;
        a += UNROLLED * HVX_BYTES;
        b += UNROLLED * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        add_vectors_aligned(dst, a, b, 1, &vlargest);
        dst += HVX_BYTES;
        a += HVX_BYTES;
        b += HVX_BYTES;
    }
    return vlargest;
}

HVX_INLINE HVX_Vector add_keeping(HVX_Vector va, HVX_Vector vb, HVX_Vector *vlargest) {
    HVX_Vector v = math_add_f32(va, vb);
    return Q6_V_vmux_QVV(is_special(va, vb, vlargest), va, v);
}

HVX_INLINE void add_vectors_any(const struct row *row, uint32_t n, HVX_Vector *vlargest) {
    HVX_Vector v[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = add_keeping(hvx_load_u(row->a + i * HVX_BYTES), hvx_load_u(row->b + i * row->b_step), vlargest);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        hvx_store_u(row->dst + i * HVX_BYTES, v[i]);
    }
}

/* The same at any address. */
static __attribute__((noinline)) HVX_Vector add_any(struct row row, uint32_t n_vectors, HVX_Vector vlargest) {
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        add_vectors_any(&row, UNROLLED, &vlargest);
        row.dst += UNROLLED * HVX_BYTES;
        row.a += UNROLLED * HVX_BYTES;
        row.b += UNROLLED * row.b_step;
    }
    for (; n_vectors > 0; n_vectors--) {
        add_vectors_any(&row, 1, &vlargest);
        row.dst += HVX_BYTES;
        row.a += HVX_BYTES;
        row.b += row.b_step;
    }
    return vlargest;
}

/* The last, short one. */
static __attribute__((noinline)) HVX_Vector add_rest(struct row row, uint32_t n_bytes, HVX_Vector vlargest) {
    HVX_Vector v = add_keeping(hvx_load_partial_u(row.a, n_bytes), hvx_load_partial_u(row.b, n_bytes), &vlargest);
    hvx_store_partial_u(row.dst, v, n_bytes);
    return vlargest;
}

static HVX_Vector add_row(struct row row, uint32_t n_elements, HVX_Vector vlargest) {
    uint32_t n_vectors = n_elements / HVX_LANES_I32, n_bytes = n_elements % HVX_LANES_I32 * sizeof(float);
    uintptr_t addresses = (uintptr_t)row.dst | (uintptr_t)row.a | (uintptr_t)row.b;
    if (addresses % HVX_BYTES == 0 && row.b_step) {
        vlargest = add_aligned(row.dst, row.a, row.b, n_vectors, vlargest);
    } else {
        vlargest = add_any(row, n_vectors, vlargest);
    }
    if (n_bytes) {
        row.dst += n_vectors * HVX_BYTES;
        row.a += n_vectors * HVX_BYTES;
        row.b += n_vectors * row.b_step;
        vlargest = add_rest(row, n_bytes, vlargest);
    }
    return vlargest;
}

uint32_t phx_add_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0], *a = call->src[0], *b = call->src[1];
    bool one_b = b->view.nb[0] == 0;
    uint32_t skipped = slice->first * sizeof(float);
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    HVX_Vector vlargest = Q6_V_vzero(), vone;
    (void)work;
    for (uint32_t i = slice->first_row; i < slice->end_row; i++) {
        const uint8_t *b_row = phx_row(b, at);
        struct row row = {phx_row(dst, at) + skipped, phx_row(a, at) + skipped, b_row + skipped, HVX_BYTES};
        if (one_b) {
            vone = Q6_V_vsplat_R(*(const int32_t *)b_row);
            row.b = (const uint8_t *)&vone;
            row.b_step = 0;
        }
        vlargest = add_row(row, slice->end - slice->first, vlargest);
        phx_next(&dst->view, &at);
    }
    return hvx_max_i32(vlargest) < MATH_INFINITY ? PHX_OK : ref_add_specials(call, slice);
}
