/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_SSM_CONV_H
#define PHX_REF_SSM_CONV_H

#include "ops/op.h"

/* A row of the result, and the operands that it sums. */
struct ref_taps {
    uint8_t *dst;
    const uint8_t *x, *weight;    /* first row of each */
    uint32_t x_step, weight_step; /* bytes between rows */
    uint32_t n_taps, n_elements;
};

static inline struct ref_taps ref_taps_of(const struct phx_call *call, struct phx_at at) {
    const struct phx_tensor *x = &call->src[0]->view, *weight = &call->src[1]->view;
    return (struct ref_taps){.dst = phx_row(call->dst[0], at),
                             .x = phx_row(call->src[0], at),
                             .weight = phx_row(call->src[1], (struct phx_at){at.i1, 0, 0}),
                             .x_step = x->nb[2],
                             .weight_step = weight->nb[2],
                             .n_taps = weight->ne[2],
                             .n_elements = call->dst[0]->view.ne[0]};
}

void ref_ssm_conv_row(const struct ref_taps *taps);

#endif
