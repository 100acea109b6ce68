/* SPDX-License-Identifier: MIT
 *
 * ARGSORT of short rows in HVX (reference: dsp/ref/argsort.c). The rank of an element is the number of elements that
 * precede it, so every element is compared with all others. The radix sort of the reference scatters single words,
 * which HVX cannot do on v68; long rows use it here, too.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(argsort)

#define MAX_LENGTH 1024u /* the reference is faster for longer rows */
#define UNROLL 8u        /* elements to compare with per pass */

/* For each key of vectors first..end-1, counts the elements of v that are smaller. */
HVX_INLINE void count(HVX_Vector *counts, const HVX_Vector *keys, uint32_t first, uint32_t end, const HVX_Vector *v) {
    HVX_Vector vone = Q6_V_vsplat_R(1);
    for (uint32_t i = first; i < end; i++) {
        HVX_Vector vcount = counts[i], vkey = keys[i];
        HVX_UNROLL
        for (uint32_t j = 0; j < UNROLL; j++) {
            vcount = Q6_Vw_condacc_QVwVw(Q6_Q_vcmp_gt_VwVw(vkey, v[j]), vcount, vone);
        }
        counts[i] = vcount;
    }
}

/* Computes the rank of each element: the number of smaller keys, and of equal keys with lower indices. */
static __attribute__((noinline)) void compute_ranks(HVX_Vector *ranks, const HVX_Vector *keys, uint32_t n) {
    uint32_t n_vectors = (n + HVX_LANES_I32 - 1) / HVX_LANES_I32;
    HVX_Vector vlanes = hvx_lane_numbers(), vone = Q6_V_vsplat_R(1);
    for (uint32_t i = 0; i < n_vectors; i++) {
        ranks[i] = Q6_V_vzero();
    }
    for (uint32_t first = 0; first < n; first += UNROLL) {
        uint32_t own = first / HVX_LANES_I32;
        const int32_t *key = (const int32_t *)keys + first;
        HVX_Vector vbefore[UNROLL], vown[UNROLL], vbehind[UNROLL];
        HVX_UNROLL
        for (uint32_t j = 0; j < UNROLL; j++) {
            HVX_Vector vlane = Q6_V_vsplat_R((int32_t)(first % HVX_LANES_I32 + j));
            vbefore[j] = Q6_V_vsplat_R(key[j]);
            vbehind[j] = Q6_V_vsplat_R(key[j] - 1); /* makes equal keys compare as larger */
            vown[j] = Q6_Vw_condnac_QVwVw(Q6_Q_vcmp_gt_VwVw(vlanes, vlane), vbefore[j], vone);
        }
        count(ranks, keys, 0, own, vbefore);
        count(ranks, keys, own, own + 1, vown);
        count(ranks, keys, own + 1, n_vectors, vbehind);
    }
}

/* Converts a row to keys in the requested order, padded with the largest key. */
static __attribute__((noinline)) void make_keys(HVX_Vector *keys, struct span span, bool descending) {
    uint32_t n_vectors = span.n_vectors + (span.n_bytes > 0);
    for (uint32_t i = 0; i < n_vectors; i++) {
        bool is_remainder = i == span.n_vectors;
        HVX_Vector v = hvx_keys(is_remainder ? load_remainder(span) : hvx_load_u(span.data + i * HVX_BYTES));
        v = descending ? Q6_Vw_vsub_VwVw(Q6_V_vzero(), v) : v;
        HVX_VectorPred qin = Q6_Q_vsetq_R((int32_t)(span.n_bytes));
        keys[i] = is_remainder ? Q6_V_vmux_QVV(qin, v, Q6_V_vsplat_R(INT32_MAX)) : v;
    }
}

uint32_t phx_argsort_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    const struct phx_argsort_params *params = call->params;
    uint32_t n = dst->view.ne[0];
    if (n > MAX_LENGTH) {
        return phx_argsort_ref(call, slice, work);
    }
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    struct span span = span_of(NULL, n);
    HVX_Vector *keys = work, *ranks = keys + span.n_vectors + 1;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        span.data = phx_row(src, at);
        make_keys(keys, span, params->descending);
        compute_ranks(ranks, keys, n);
        for (uint32_t i = 0; i < n; i++) {
            to[((const uint32_t *)ranks)[i]] = i;
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
