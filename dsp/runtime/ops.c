/* SPDX-License-Identifier: MIT */
#include "ops.h"

static const struct phx_op_type types[] = {
    {PHX_OP_MUL_MAT, 2, 0, phx_mul_mat_check, phx_mul_mat_run},
    {PHX_OP_MUL_MAT_ID, 3, 0, phx_mul_mat_id_check, phx_mul_mat_id_run},
};

const struct phx_op_type *phx_op_type(uint32_t code) {
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].code == code) {
            return &types[i];
        }
    }
    return NULL;
}
