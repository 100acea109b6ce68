/* SPDX-License-Identifier: MIT
 *
 * SSM_CONV: dst[t] = sum over j of x[t + j] * weight[j], elementwise, in the order of j: docs/math.md, 19.
 */
#include "ssm_conv.h"

#include "math/ref/float32.h"
#include "runtime/libc.h"

PHX_DECLARE_KERNELS(ssm_conv)

/* Returns the table's row of a chunk. */
static uint8_t *row_of(const struct phx_call *call, uint32_t chunk, uint32_t row, uint32_t slot) {
    size_t chunk_bytes = call->dst[0]->view.ne[0] * sizeof(float);
    return phx_row(call->dst[1], (struct phx_at){row, slot, 0}) + chunk * chunk_bytes;
}

uint32_t ref_conv_slots_of(const struct phx_call *call, uint32_t sequence, struct ref_slots *slots) {
    *slots = (struct ref_slots){0};
    if (!call->dst[1]) {
        return PHX_OK;
    }
    uint32_t status = ref_slots_of(call->src[2], call->src[3], call->dst[1]->view.ne[2], sequence, slots);
    /* threads may read a slot while others write it */
    return !status && !slots->is_skipped && slots->from == slots->to ? PHX_E_INDEX : status;
}

void ref_taps_of(const struct phx_call *call, struct phx_at at, const struct ref_slots *slots, struct ref_taps *taps) {
    const struct phx_tensor *x = &call->src[0]->view, *weight = &call->src[1]->view;
    uint32_t n_taps = weight->ne[2], n_tokens = call->dst[0]->view.ne[2], t = at.i2;
    *taps = (struct ref_taps){.dst = phx_row(call->dst[0], at),
                              .weight = phx_row(call->src[1], (struct phx_at){at.i1, 0, 0}),
                              .x_step = x->nb[2],
                              .weight_step = weight->nb[2],
                              .n_taps = n_taps,
                              .n_elements = call->dst[0]->view.ne[0],
                              .first_stored = n_taps};
    if (call->dst[1]) {
        taps->n_old = t < n_taps - 1 ? n_taps - 1 - t : 0;
        at.i2 = t + taps->n_old - (n_taps - 1);
        taps->old_step = call->dst[1]->view.nb[1];
        taps->old = row_of(call, at.i1, t, slots->from);
        /* the first token also stores the old rows that remain among the last J - 1 */
        taps->first_stored = t == 0 || n_tokens - t > n_taps - 1 ? n_tokens - t : n_taps - 1;
        taps->stored = row_of(call, at.i1, t + taps->first_stored - n_tokens, slots->to);
    }
    taps->x = phx_row(call->src[0], at);
}

void ref_ssm_conv_row(const struct ref_taps *taps) {
    for (uint32_t i = 0; i < taps->n_elements; i++) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < taps->n_taps; j++) {
            const uint8_t *row = j < taps->n_old ? taps->old + j * taps->old_step
                                                 : taps->x + (j - taps->n_old) * taps->x_step;
            uint32_t x = ((const uint32_t *)row)[i];
            uint32_t weight = ((const uint32_t *)(taps->weight + j * taps->weight_step))[i];
            uint32_t product = math_multiply_f32(x, weight);
            sum = j ? math_add_f32(sum, product) : product;
            if (j >= taps->first_stored) {
                ((uint32_t *)(taps->stored + (j - taps->first_stored) * taps->old_step))[i] = x;
            }
        }
        ((uint32_t *)taps->dst)[i] = sum;
    }
}

uint32_t phx_ssm_conv_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_slots slots;
        uint32_t status = ref_conv_slots_of(call, at.i3, &slots);
        if (status) {
            return status;
        }
        struct ref_taps taps;
        ref_taps_of(call, at, &slots, &taps);
        if (slots.is_skipped) {
            memset(taps.dst, 0, taps.n_elements * sizeof(float));
        } else {
            ref_ssm_conv_row(&taps);
        }
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
