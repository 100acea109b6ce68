/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/ssm_conv.c in HVX. A row in which a NaN or an infinity was met is left to the reference.
 */
#include "ref/ssm_conv.h"

#include "hvx.h"
#include "math/hvx/float32.h"

#define AT_ONCE 3 /* vectors: more of them, and registers are spilled */

HVX_INLINE HVX_Vector see(HVX_Vector vseen, HVX_Vector v) {
    return Q6_Vw_vmax_VwVw(vseen, math_exponent(v));
}

/* n vectors, the last of which may have only n_bytes. vseen: the largest exponent of each lane. */
HVX_INLINE HVX_Vector sum(const struct ref_taps *taps, uint32_t at, uint32_t n, uint32_t n_bytes, HVX_Vector vseen) {
    const uint8_t *x = taps->x + at, *weight = taps->weight + at;
    HVX_Vector vsum[AT_ONCE];
    for (uint32_t j = 0; j < taps->n_taps; j++) {
        HVX_Vector v[AT_ONCE];
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            HVX_Vector vx = hvx_load_some_u(x + i * HVX_BYTES, n_bytes);
            HVX_Vector vw = hvx_load_some_u(weight + i * HVX_BYTES, n_bytes);
            v[i] = math_multiply_f32(vx, vw);
            vseen = see(see(see(vseen, vx), vw), v[i]);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            vsum[i] = j ? math_add_f32(vsum[i], v[i]) : v[i];
            vseen = see(vseen, vsum[i]);
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
    for (; at + AT_ONCE * HVX_BYTES <= n_bytes; at += AT_ONCE * HVX_BYTES) {
        vseen = sum(taps, at, AT_ONCE, HVX_BYTES, vseen);
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
