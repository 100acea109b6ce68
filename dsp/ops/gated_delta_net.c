/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/gated_delta_net.h"

PHX_DECLARE_CHECK(gated_delta_net)

/* Accepts operands of the shapes in dsp/ref/gated_delta_net.h; float32, except the ids of slots. */
struct phx_mismatch phx_gated_delta_net_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_gated_delta_net_params *params = call->params;
    const uint32_t *v = call->src[3]->view.ne, *dst = call->dst[0]->view.ne;
    const uint32_t n_values = v[0], n_keys = call->src[2]->view.ne[0], n_tokens = v[1];
    const uint32_t widths[] = {n_keys, n_keys, n_values, 1, 1};
    const uint64_t state_ne[] = {n_values, n_keys, dst[1], dst[2]};
    const uint64_t slot_ne[] = {(uint64_t)n_values * (n_keys + REF_DELTA_SCALE_ROWS), dst[1]};
    const bool has_table = call->dst[1] || call->src[6];
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = has_table ? phx_require_slots(call->dst[1], call->src[0], call->src[6], slot_ne, dst[2])
                             : phx_require_shape(call->src[0], PHX_F32, state_ne);
    }
    for (uint32_t i = 1; i < 6 && !mismatch.status; i++) {
        mismatch = phx_require_shape(call->src[i], PHX_F32,
                                     (const uint64_t[]){widths[i - 1], n_tokens, dst[1], dst[2]});
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (n_values == 0 || n_keys == 0 || n_keys > REF_DELTA_MAX_KEYS || n_tokens == 0) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[2]};
    }
    if (dst[0] != ((uint64_t)n_tokens + (has_table ? 0 : n_keys)) * n_values || dst[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    /* each element costs about as many packets as 128 multiplications per key */
    if (phx_exceeds_limit(call->dst[0], (uint64_t)n_keys * 128)) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    if (!(params->scale >= 0x1p-64f && params->scale <= 0x1p64f) || params->delta_rule > 1) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    /* without a table, the elements of the new state account for the keys */
    call->cost_log2 = has_table ? 31u - (uint32_t)__builtin_clz(n_keys) : 0;
    call->work_bytes = ref_delta_work_bytes(n_keys, n_values, has_table);
    return PHX_MATCH;
}
