/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "picks.h"
#include "ref/pick.h"

PHX_DECLARE_CHECK(top_k)

/* Accepts float32 rows of at most PHX_MAX_K elements and int32 rows that are not longer. */
struct phx_mismatch phx_top_k_check(const struct phx_executor *executor, struct phx_call *call) {
    (void)executor;
    if (call->src[0]->view.ne[0] > PHX_MAX_K) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[0]};
    }
    return phx_pick_check(call, ref_picks_bytes(call->dst[0]->view.ne[0]) + REF_KEYS_BYTES);
}
