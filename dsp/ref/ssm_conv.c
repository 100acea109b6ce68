/* SPDX-License-Identifier: MIT
 *
 * SSM_CONV: dst[t] = sum over j of x[t + j] * weight[j], elementwise, in the order of j: docs/math.md, 19.
 */
#include "ssm_conv.h"

#include "math/ref/float32.h"

void ref_ssm_conv_row(const struct ref_taps *taps) {
    for (uint32_t i = 0; i < taps->n_elements; i++) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < taps->n_taps; j++) {
            uint32_t x = ((const uint32_t *)(taps->x + j * taps->x_step))[i];
            uint32_t weight = ((const uint32_t *)(taps->weight + j * taps->weight_step))[i];
            uint32_t product = math_multiply_f32(x, weight);
            sum = j ? math_add_f32(sum, product) : product;
        }
        ((uint32_t *)taps->dst)[i] = sum;
    }
}

uint32_t phx_ssm_conv_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_taps taps = ref_taps_of(call, at);
        ref_ssm_conv_row(&taps);
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
