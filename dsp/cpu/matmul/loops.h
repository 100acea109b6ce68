/* SPDX-License-Identifier: MIT */
#ifndef PHX_CPU_LOOPS_H
#define PHX_CPU_LOOPS_H

#include "hvx/matmul/groups.h"

#define CPU_ROWS 4 /* at most, of a loop */

#define CPU_LOOPS(loops)                                                                                               \
    loops(q4_0, PHX_Q4_0) loops(q4_1, PHX_Q4_1) loops(q5_0, PHX_Q5_0) loops(q5_1, PHX_Q5_1) loops(q8_0, PHX_Q8_0)      \
        loops(q2_k, PHX_Q2_K) loops(q3_k, PHX_Q3_K) loops(q4_k, PHX_Q4_K) loops(q5_k, PHX_Q5_K) loops(q6_k, PHX_Q6_K)  \
            loops(iq4_nl, PHX_IQ4_NL) loops(iq4_xs, PHX_IQ4_XS) loops(mxfp4, PHX_MXFP4) loops(float, PHX_F16)          \
                loops(iq3_xxs, PHX_IQ3_XXS) loops(iq2_s, PHX_IQ2_S) loops(nvfp4, PHX_NVFP4)

#define CPU_DECLARE(name, dtype)                                                                                       \
    hvx_sum_groups cpu_sum_##name##_tiles, cpu_sum_##name##_tile, cpu_sum_##name##_rows, cpu_sum_##name##_rows3,       \
        cpu_sum_##name##_rows2;
CPU_LOOPS(CPU_DECLARE)

#endif
