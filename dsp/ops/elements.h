/* SPDX-License-Identifier: MIT
 *
 * The elements of a row: single numbers, or blocks of a quantized type.
 */
#ifndef PHX_ELEMENTS_H
#define PHX_ELEMENTS_H

#include <stdbool.h>

#include "runtime/contract.h"

/* The smallest addressable group of elements: one of a plain type, a block of a quantized one. */
struct phx_grain {
    uint32_t n_elements;
    uint32_t n_bytes;
    uint32_t alignment; /* of offsets and strides */
};

/* Returns the grain of a dtype, all zeros for a type without the rows layout. */
static inline struct phx_grain phx_grain_of(uint32_t dtype) {
    switch (dtype) {
    case PHX_F32:
    case PHX_I32:
        return (struct phx_grain){1, 4, 4};
    case PHX_I8:
    case PHX_U8:
        return (struct phx_grain){1, 1, 1};
    case PHX_F16:
    case PHX_BF16:
    case PHX_I16:
    case PHX_U16:
        return (struct phx_grain){1, 2, 2};
    case PHX_Q8_0:
        return (struct phx_grain){32, 34, 2};
    case PHX_Q4_0:
        return (struct phx_grain){32, 18, 2};
    default:
        return (struct phx_grain){0, 0, 0};
    }
}

/* Returns whether only user kernels take elements of this type. */
static inline bool phx_is_of_user_kernels(uint32_t dtype) {
    return dtype == PHX_I8 || dtype == PHX_I16 || dtype == PHX_U8 || dtype == PHX_U16;
}

/* Returns the bytes of n contiguous elements. */
static inline uint32_t phx_bytes_of(struct phx_grain grain, uint32_t n) {
    return grain.n_elements == 1 ? n * grain.n_bytes : n / 32 * grain.n_bytes;
}

/* Returns whether the grains of a row are contiguous. */
static inline bool phx_is_dense(const struct phx_tensor *view) {
    struct phx_grain grain = phx_grain_of(view->dtype);
    return view->ne[0] <= grain.n_elements || view->nb[0] == grain.n_bytes;
}

#endif
