/* SPDX-License-Identifier: MIT
 *
 * The table of HVX kernels.
 */
#include "../runtime/kernels.h"

extern const struct phx_matmul_kernel hvx_matmul_q4_0, hvx_matmul_q8_0, hvx_matmul_q4_k, hvx_matmul_q6_k,
    hvx_matmul_float;

const struct phx_matmul_kernel *phx_matmul_hvx(uint32_t dtype) {
    switch (dtype) {
    case PHX_Q4_0:
        return &hvx_matmul_q4_0;
    case PHX_Q8_0:
        return &hvx_matmul_q8_0;
    case PHX_Q4_K:
        return &hvx_matmul_q4_k;
    case PHX_Q6_K:
        return &hvx_matmul_q6_k;
    case PHX_F16:
    case PHX_F32:
        return &hvx_matmul_float;
    default:
        return NULL;
    }
}
