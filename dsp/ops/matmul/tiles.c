/* SPDX-License-Identifier: MIT */
#include "tiles.h"

const struct phx_weight_type phx_weight_types[PHX_N_WEIGHT_TYPES] = {
    [PHX_F32] = {1, 33, 1, 0, 0}, [PHX_F16] = {1, 33, 1, 0, 0}, [PHX_BF16] = {1, 33, 1, 0, 0},
    [PHX_Q4_0] = {32, 9, 1, 0, 0}, [PHX_Q4_1] = {32, 10, 1, 0, 0}, [PHX_Q5_0] = {32, 11, 1, 0, 0},
    [PHX_Q5_1] = {32, 12, 1, 0, 0}, [PHX_Q8_0] = {32, 17, 1, 0, 0}, [PHX_Q2_K] = {256, 5, 2, 2, 2},
    [PHX_Q3_K] = {256, 7, 2, 1, 2}, [PHX_Q4_K] = {256, 9, 1, 5, 0}, [PHX_Q5_K] = {256, 11, 1, 5, 0},
    [PHX_Q6_K] = {256, 14, 2, 0, 0}, [PHX_IQ4_NL] = {32, 9, 1, 0, 0}, [PHX_IQ4_XS] = {256, 9, 1, 0, 0},
    [PHX_MXFP4] = {32, 9, 1, 0, 0},
};
