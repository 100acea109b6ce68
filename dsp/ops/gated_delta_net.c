/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/gated_delta_net.h"

/* Accepts float32 operands of the shapes in dsp/ref/gated_delta_net.h. */
struct phx_mismatch phx_gated_delta_net_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_gated_delta_net_params *params = call->params;
    const uint32_t *state = call->src[0]->view.ne, *v = call->src[3]->view.ne, *dst = call->dst[0]->view.ne;
    const uint32_t n_values = state[0], n_keys = state[1], n_tokens = v[1];
    const uint32_t widths[] = {n_values, n_keys, n_keys, n_values, 1, 1};
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    for (uint32_t i = 0; i < 6 && !mismatch.status; i++) {
        const uint32_t *ne = call->src[i]->view.ne;
        mismatch = phx_require_rows(call->src[i], PHX_F32);
        if (!mismatch.status &&
            (ne[0] != widths[i] || (i > 0 && ne[1] != n_tokens) || ne[2] != dst[1] || ne[3] != dst[2])) {
            mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->src[i]};
        }
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (n_values == 0 || n_keys == 0 || n_keys > REF_DELTA_MAX_KEYS || n_tokens == 0) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[0]};
    }
    if (dst[0] != ((uint64_t)n_tokens + n_keys) * n_values || dst[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    /* each element costs about as many packets as 128 multiplications per key */
    if (phx_exceeds_limit(call->dst[0], (uint64_t)n_keys * 128)) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!(params->scale >= 0x1p-64f && params->scale <= 0x1p64f)) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    call->work_bytes = 2 * ref_delta_key_bytes(n_keys) + n_keys * PHX_VECTOR;
    return PHX_MATCH;
}
