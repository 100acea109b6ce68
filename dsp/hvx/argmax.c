/* SPDX-License-Identifier: MIT
 *
 * ARGMAX in HVX (reference: dsp/ref/argmax.c). Finds the maximum of each lane and the first block of vectors that has
 * it, then the position within the first of these blocks.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(argmax)

#define BLOCK 8u /* vectors */

struct largest {
    HVX_Vector vlargest, vblock; /* per lane */
    HVX_Vector vnegative;        /* see hvx_bits_are_keys() */
};

/* Compares n vectors with the maximums so far. */
HVX_INLINE void update_maximums(struct largest *found, HVX_Vector *v, uint32_t n, HVX_Vector vnumber, bool are_bits) {
    if (are_bits) {
        HVX_Vector vnegative = hvx_flip_signs(v[0]);
        HVX_UNROLL
        for (uint32_t i = 1; i < n; i++) {
            vnegative = Q6_Vw_vmax_VwVw(vnegative, hvx_flip_signs(v[i]));
        }
        found->vnegative = Q6_Vw_vmax_VwVw(found->vnegative, vnegative);
    }
    HVX_UNROLL
    for (uint32_t i = 1; i < n; i++) {
        v[0] = Q6_Vw_vmax_VwVw(v[0], v[i]);
    }
    HVX_VectorPred qlarger = Q6_Q_vcmp_gt_VwVw(v[0], found->vlargest);
    found->vlargest = Q6_Vw_vmax_VwVw(found->vlargest, v[0]);
    found->vblock = Q6_V_vmux_QVV(qlarger, vnumber, found->vblock);
}

/* The remainder after the last whole block counts as another block. */
HVX_INLINE struct largest find(struct span span, bool are_bits, bool aligned) {
    struct largest found = {Q6_V_vsplat_R(HVX_KEY_MIN), Q6_V_vzero(), Q6_V_vsplat_R(HVX_KEY_MIN)};
    HVX_Vector v[BLOCK], vnumber = Q6_V_vzero(), vrest = hvx_load_remainder_keys(span, are_bits);
    const uint8_t *p = span.data;
    uint32_t n_vectors = span.n_vectors;
    for (; n_vectors >= BLOCK; n_vectors -= BLOCK) {
        HVX_UNROLL
        for (uint32_t i = 0; i < BLOCK; i++) {
            v[i] = hvx_load_keys(p + i * HVX_BYTES, are_bits, aligned);
        }
        update_maximums(&found, v, BLOCK, vnumber, are_bits);
        vnumber = math_add_constant_i32(vnumber, 1);
        p += BLOCK * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        v[0] = hvx_load_keys(p, are_bits, aligned);
        update_maximums(&found, v, 1, vnumber, are_bits);
        p += HVX_BYTES;
    }
    update_maximums(&found, &vrest, 1, vnumber, are_bits);
    return found;
}

static __attribute__((noinline)) void find_bits_aligned(struct span span, struct largest *found) {
    *found = find(span, true, true);
}

static __attribute__((noinline)) void find_bits(struct span span, struct largest *found) {
    *found = find(span, true, false);
}

static __attribute__((noinline)) void find_keys(struct span span, struct largest *found) {
    *found = find(span, false, false);
}

/* Returns the index of the first element of the block with this key, or of the block's first element if the row has
 * changed meanwhile. */
static __attribute__((noinline)) uint32_t find_in_block(struct span span, uint32_t block, int32_t key) {
    uint32_t first = block * BLOCK, end = first + BLOCK < span.n_vectors ? first + BLOCK : span.n_vectors;
    HVX_Vector vkey = Q6_V_vsplat_R(key), vnone = Q6_V_vsplat_R(INT32_MAX), vplace = vnone;
    HVX_Vector vnumber = math_add_constant_i32(hvx_lane_numbers(), (int32_t)(first * HVX_LANES_I32));
    for (uint32_t i = first; i < end; i++) {
        HVX_VectorPred qhere = Q6_Q_vcmp_eq_VwVw(hvx_keys(hvx_load_u(span.data + i * HVX_BYTES)), vkey);
        vplace = Q6_Vw_vmin_VwVw(vplace, Q6_V_vmux_QVV(qhere, vnumber, vnone));
        vnumber = math_add_constant_i32(vnumber, HVX_LANES_I32);
    }
    if (end == span.n_vectors) {
        HVX_VectorPred qhere = Q6_Q_vcmp_eq_VwVw(hvx_load_remainder_keys(span, false), vkey);
        vplace = Q6_Vw_vmin_VwVw(vplace, Q6_V_vmux_QVV(qhere, vnumber, vnone));
    }
    int32_t place = hvx_min_i32(vplace);
    return place == INT32_MAX ? first * HVX_LANES_I32 : (uint32_t)place;
}

static struct phx_pick argmax(const uint8_t *x, uint32_t n) {
    struct span span = span_of(x, n);
    struct largest found;
    if (is_aligned(x)) {
        find_bits_aligned(span, &found);
    } else {
        find_bits(span, &found);
    }
    int32_t largest = hvx_max_i32(found.vlargest);
    if (!hvx_bits_are_keys(largest, largest, found.vnegative)) {
        find_keys(span, &found);
        largest = hvx_max_i32(found.vlargest);
    }
    HVX_VectorPred qhas_it = Q6_Q_vcmp_eq_VwVw(found.vlargest, Q6_V_vsplat_R(largest));
    int32_t block = hvx_min_i32(Q6_V_vmux_QVV(qhas_it, found.vblock, Q6_V_vsplat_R(INT32_MAX)));
    return (struct phx_pick){ref_descending((uint32_t)largest), find_in_block(span, (uint32_t)block, largest)};
}

uint32_t phx_argmax_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint8_t *x = phx_row(call->src[0], at) + slice->first * sizeof(float);
        struct phx_pick pick = argmax(x, slice->end - slice->first);
        pick.index += slice->first;
        phx_store_picks(call, slice, row, at, &pick, 1, work);
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
