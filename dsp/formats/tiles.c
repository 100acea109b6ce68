/* SPDX-License-Identifier: MIT */
#include "tiles.h"

const struct phx_weight_type phx_weight_types[PHX_N_WEIGHT_TYPES] = {
#define TYPE(name, ...) [PHX_##name] = {__VA_ARGS__},
#include "../../idl/types.h"
#undef TYPE
};
