/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(ssm_conv)

/* Accepts operands of the shapes in dsp/ref/ssm_conv.h; float32, except the ids of slots. */
struct phx_mismatch phx_ssm_conv_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_operand *x = call->src[0], *weight = call->src[1], *dst = call->dst[0], *table = call->dst[1];
    const uint32_t *n = dst->view.ne, n_taps = weight->view.ne[2];
    const bool has_table = table || call->src[2] || call->src[3];
    struct phx_mismatch mismatch = phx_require_rows(dst, PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_shape(weight, PHX_F32, (const uint64_t[]){n[0], n[1], n_taps, 1});
    }
    if (!mismatch.status && n_taps <= has_table) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, weight};
    }
    if (!mismatch.status && has_table) {
        const uint64_t slot_ne[] = {(uint64_t)n[0] * n[1], n_taps - 1};
        mismatch = phx_require_slots(table, call->src[2], call->src[3], slot_ne, n[3]);
    }
    if (!mismatch.status) {
        const uint64_t n_rows = (uint64_t)n[2] + (has_table ? 0 : n_taps - 1);
        mismatch = phx_require_shape(x, PHX_F32, (const uint64_t[]){n[0], n[1], n_rows, n[3]});
    }
    call->cost_log2 = 3;
    return mismatch;
}
