/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "picks.h"

PHX_DECLARE_CHECK(argmax)

/* Accepts non-empty float32 rows and one int32 per row. */
struct phx_mismatch phx_argmax_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_mismatch mismatch = phx_pick_check(call, 0);
    (void)executor;
    if (!mismatch.status && call->dst[0]->view.ne[0] != 1) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    return mismatch;
}
