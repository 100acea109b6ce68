/* SPDX-License-Identifier: MIT
 *
 * SSM_CONV in HVX (reference: dsp/ref/ssm_conv.c). The reference function recomputes rows with NaN or infinity.
 */
#include "ref/ssm_conv.h"

#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "runtime/fetch.h"
#include "runtime/libc.h"

PHX_DECLARE_KERNELS(ssm_conv)

#define UNROLL 4 /* vectors per iteration */

/* The next tap: its number and where its operands are. */
struct tap {
    uint32_t number, x_step;
    const uint8_t *x, *weight;
    uint8_t *stored;
};

HVX_INLINE HVX_Vector track(HVX_Vector vseen, HVX_Vector v) {
    return Q6_Vw_vmax_VwVw(vseen, math_mask(v, MATH_MAGNITUDE));
}

/* Multiplies x by the weight of a tap, for n vectors of channels; of the last vector, n_bytes exist. It also stores x to
 * the slot that is written. A tap that is not stored there is stored to dst, which the sum overwrites: without a branch,
 * the compiler interleaves these multiplications with the additions of sum(). Updates vseen as sum() does. */
HVX_INLINE HVX_Vector multiply(const struct ref_taps *taps, uint32_t at, uint32_t n, uint32_t n_bytes, struct tap *tap,
                               HVX_Vector v[UNROLL], HVX_Vector vseen) {
    bool is_last_old = ++tap->number == taps->n_old, is_stored = tap->number > taps->first_stored;
    uint8_t *to = is_stored ? tap->stored : taps->dst + at;
    HVX_Vector vx[UNROLL], vw[UNROLL];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        vx[i] = hvx_load_some_u(tap->x + i * HVX_BYTES, n_bytes);
        vw[i] = hvx_load_some_u(tap->weight + i * HVX_BYTES, n_bytes);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        hvx_store_some_u(to + i * HVX_BYTES, vx[i], n_bytes);
        v[i] = math_multiply_f32(vx[i], vw[i]);
        vseen = track(track(track(vseen, vx[i]), vw[i]), v[i]);
    }
    tap->x = is_last_old ? taps->x + at : tap->x + tap->x_step;
    tap->x_step = is_last_old ? taps->x_step : tap->x_step;
    tap->weight += taps->weight_step;
    tap->stored += is_stored ? taps->old_step : 0;
    return vseen;
}

/* Computes n vectors of dst; of the last vector, n_bytes exist. Returns the largest magnitude in each lane, of vseen and
 * of all operands, products and sums: from MATH_INFINITY on, ref_ssm_conv_row() has to compute the row. */
HVX_INLINE HVX_Vector sum(const struct ref_taps *taps, uint32_t at, uint32_t n, uint32_t n_bytes, HVX_Vector vseen) {
    bool has_old = taps->n_old > 0;
    struct tap tap = {0, has_old ? taps->old_step : taps->x_step, (has_old ? taps->old : taps->x) + at,
                      taps->weight + at, taps->stored + at};
    HVX_Vector vsum[UNROLL], v[UNROLL];
    vseen = multiply(taps, at, n, n_bytes, &tap, vsum, vseen);
    for (uint32_t left = taps->n_taps - 1; left > 0; left--) {
        vseen = multiply(taps, at, n, n_bytes, &tap, v, vseen);
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            vsum[i] = math_add_f32(vsum[i], v[i]);
            vseen = track(vseen, vsum[i]);
        }
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
    for (; at < n_bytes; at += HVX_BYTES) {
        vseen = sum(taps, at, 1, n_bytes - at, vseen);
    }
    return hvx_max_i32(vseen) < MATH_INFINITY;
}

/* Prefetches what the next n_rows chunks of a token read of the weights and of a slot. */
static void fetch(const struct ref_taps *taps, uint32_t n_rows) {
    uint32_t n_bytes = n_rows * taps->n_elements * (uint32_t)sizeof(float);
    if (n_bytes > PHX_FETCH_MAX) {
        return;
    }
    if (taps->weight_step <= PHX_FETCH_MAX) {
        phx_fetch_box(taps->weight, n_bytes, taps->n_taps, taps->weight_step);
    }
    if (taps->n_old && taps->old_step <= PHX_FETCH_MAX) {
        phx_fetch_box(taps->old, n_bytes, taps->n_old, taps->old_step);
    }
}

uint32_t phx_ssm_conv_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_tensor *dst = &call->dst[0]->view;
    struct phx_at at = phx_at(dst, slice->first_row);
    uint32_t sequence = UINT32_MAX;
    struct ref_slots slots = {0};
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        bool is_first = at.i3 != sequence;
        if (is_first) {
            sequence = at.i3;
            uint32_t status = ref_conv_slots_of(call, sequence, &slots);
            if (status) {
                return status;
            }
        }
        struct ref_taps taps;
        ref_taps_of(call, at, &slots, &taps);
        if (slots.is_skipped) {
            memset(taps.dst, 0, taps.n_elements * sizeof(float));
        } else {
            if (is_first) {
                uint32_t n_rows = slice->end_row - row, n_chunks = dst->ne[1] - at.i1;
                fetch(&taps, n_rows < n_chunks ? n_rows : n_chunks);
            }
            if (!sum_row(&taps)) {
                ref_ssm_conv_row(&taps);
            }
        }
        phx_next(dst, &at);
    }
    return PHX_OK;
}
