/* SPDX-License-Identifier: MIT
 *
 * The table of HVX kernels.
 */
#include "ops/matmul/kernel.h"

extern const struct phx_matmul_kernel hvx_matmul_q4_0, hvx_matmul_q8_0, hvx_matmul_q4_k, hvx_matmul_q6_k,
    hvx_matmul_float, hvx_matmul_q4_1, hvx_matmul_q5_0, hvx_matmul_q5_1, hvx_matmul_q2_k, hvx_matmul_q3_k,
    hvx_matmul_q5_k, hvx_matmul_iq4, hvx_matmul_mxfp4;

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
    case PHX_Q4_1:
        return &hvx_matmul_q4_1;
    case PHX_Q5_0:
        return &hvx_matmul_q5_0;
    case PHX_Q5_1:
        return &hvx_matmul_q5_1;
    case PHX_Q2_K:
        return &hvx_matmul_q2_k;
    case PHX_Q3_K:
        return &hvx_matmul_q3_k;
    case PHX_Q5_K:
        return &hvx_matmul_q5_k;
    case PHX_IQ4_NL:
    case PHX_IQ4_XS:
        return &hvx_matmul_iq4;
    case PHX_MXFP4:
        return &hvx_matmul_mxfp4;
    case PHX_BF16:
    case PHX_F16:
    case PHX_F32:
        return &hvx_matmul_float;
    default:
        return NULL;
    }
}
