/* SPDX-License-Identifier: MIT
 *
 * SSM_CONV in HVX (reference: dsp/ref/ssm_conv.c). The reference function recomputes rows with NaN or infinity.
 */
#include "ref/ssm_conv.h"

#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"

#define UNROLL 3 /* vectors per iteration; more of them would spill registers */

HVX_INLINE HVX_Vector track_exponent(HVX_Vector vseen, HVX_Vector v) {
    return Q6_Vw_vmax_VwVw(vseen, math_exponent(v));
}

/* Computes n vectors, the last of which may have only n_bytes. vseen: the largest exponent of each lane. */
HVX_INLINE HVX_Vector sum(const struct ref_taps *taps, uint32_t at, uint32_t n, uint32_t n_bytes, HVX_Vector vseen) {
    const uint8_t *x = taps->x + at, *weight = taps->weight + at;
    HVX_Vector vsum[UNROLL];
    for (uint32_t j = 0; j < taps->n_taps; j++) {
        HVX_Vector v[UNROLL];
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            HVX_Vector vx = hvx_load_some_u(x + i * HVX_BYTES, n_bytes);
            HVX_Vector vw = hvx_load_some_u(weight + i * HVX_BYTES, n_bytes);
            v[i] = math_multiply_f32(vx, vw);
            vseen = track_exponent(track_exponent(track_exponent(vseen, vx), vw), v[i]);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            vsum[i] = j ? math_add_f32(vsum[i], v[i]) : v[i];
            vseen = track_exponent(vseen, vsum[i]);
        }
        x += taps->x_step;
        weight += taps->weight_step;
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        hvx_store_some_u(taps->dst + at + i * HVX_BYTES, vsum[i], n_bytes);
    }
    return vseen;
}

static __attribute__((noinline)) bool sum_row(const struct ref_taps *taps) {
    uint32_t n_bytes = taps->n_elements * (uint32_t)sizeof(float), at = 0;
    HVX_Vector vseen = Q6_V_vzero();
    for (; at + UNROLL * HVX_BYTES <= n_bytes; at += UNROLL * HVX_BYTES) {
        vseen = sum(taps, at, UNROLL, HVX_BYTES, vseen);
    }
    if (at + 2 * HVX_BYTES <= n_bytes) { /* a vector alone takes nearly as many packets as two */
        vseen = sum(taps, at, 2, HVX_BYTES, vseen);
        at += 2 * HVX_BYTES;
    }
    for (; at < n_bytes; at += HVX_BYTES) {
        vseen = sum(taps, at, 1, n_bytes - at, vseen);
    }
    return hvx_max_i32(vseen) < MATH_INFINITY;
}

uint32_t phx_ssm_conv_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_taps taps = ref_taps_of(call, at);
        if (!sum_row(&taps)) {
            ref_ssm_conv_row(&taps);
        }
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
