/* SPDX-License-Identifier: MIT */
#include "executor.h"
#include "picks.h"

/* Float32 rows that are not empty, and one int32 for each. */
struct phx_misfit phx_argmax_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_misfit misfit = phx_pick_check(call, 0);
    (void)executor;
    if (!misfit.status && call->dst[0]->view.ne[0] != 1) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    return misfit;
}
