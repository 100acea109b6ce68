/* SPDX-License-Identifier: MIT */
#include "executor.h"

PHX_DECLARE_CHECK(concat)

/* Accepts rows of one type with any strides, whose lengths differ in one dimension only. */
struct phx_mismatch phx_concat_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_concat_params *params = call->params;
    const struct phx_tensor *dst = &call->dst[0]->view;
    uint64_t length = 0;
    (void)executor;
    if (params->axis >= PHX_MAX_DIMS) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    for (uint32_t i = 0; i < PHX_MAX_SRC && call->src[i]; i++) {
        const struct phx_tensor *src = &call->src[i]->view;
        uint32_t status = src->layout != PHX_LAYOUT_ROWS ? PHX_E_LAYOUT
                          : src->dtype != dst->dtype     ? PHX_E_DTYPE
                                                         : PHX_OK;
        for (uint32_t j = 0; j < PHX_MAX_DIMS && !status; j++) {
            status = j == params->axis || src->ne[j] == dst->ne[j] ? PHX_OK : PHX_E_SHAPE;
        }
        if (status) {
            return (struct phx_mismatch){status, call->src[i]};
        }
        length += src->ne[params->axis];
    }
    return length == dst->ne[params->axis] ? PHX_MATCH : (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
}
