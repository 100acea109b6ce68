/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "ref/gated_delta_net.h"

/* Requires the dtype, the rows layout, and this shape. */
static struct phx_mismatch require(const struct phx_operand *operand, uint32_t dtype, const uint32_t ne[PHX_MAX_DIMS]) {
    struct phx_mismatch mismatch = phx_require_rows(operand, dtype);
    for (uint32_t i = 0; i < PHX_MAX_DIMS && !mismatch.status; i++) {
        if (operand->view.ne[i] != ne[i]) {
            mismatch = (struct phx_mismatch){PHX_E_SHAPE, operand};
        }
    }
    return mismatch;
}

/* Requires the ids of slots, and a table of states. */
static struct phx_mismatch require_table(const struct phx_call *call, uint32_t n_values, uint32_t n_rows) {
    const struct phx_operand *table = call->dst[1];
    const uint32_t *dst = call->dst[0]->view.ne;
    if (!table || !call->src[6]) {
        return (struct phx_mismatch){PHX_E_INDEX, NULL}; /* they come together */
    }
    struct phx_mismatch mismatch = phx_require_rows(table, PHX_F32);
    for (uint32_t i = 0; i <= 6 && !mismatch.status; i += 6) {
        mismatch = require(call->src[i], PHX_I32, (const uint32_t[]){dst[2], 1, 1, 1});
    }
    const uint32_t *ne = table->view.ne;
    if (!mismatch.status && (ne[0] != (uint64_t)n_values * n_rows || ne[1] != dst[1] || ne[3] != 1)) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, table};
    }
    return mismatch;
}

/* Accepts operands of the shapes in dsp/ref/gated_delta_net.h; float32, except the ids of slots. */
struct phx_mismatch phx_gated_delta_net_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_gated_delta_net_params *params = call->params;
    const uint32_t *v = call->src[3]->view.ne, *dst = call->dst[0]->view.ne;
    const uint32_t n_values = v[0], n_keys = call->src[2]->view.ne[0], n_tokens = v[1];
    const uint32_t widths[] = {n_keys, n_keys, n_values, 1, 1};
    const bool has_table = call->dst[1] || call->src[6];
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = has_table ? require_table(call, n_values, n_keys + REF_DELTA_SCALE_ROWS)
                             : require(call->src[0], PHX_F32, (const uint32_t[]){n_values, n_keys, dst[1], dst[2]});
    }
    for (uint32_t i = 1; i < 6 && !mismatch.status; i++) {
        mismatch = require(call->src[i], PHX_F32, (const uint32_t[]){widths[i - 1], n_tokens, dst[1], dst[2]});
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
