/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_CONVERT_H
#define PHX_REF_CONVERT_H

#include "ops/elements.h"

/* Returns whether elements of one type can be converted to the other. */
static inline bool phx_is_convertible(uint32_t from, uint32_t to) {
    return from == to || (from != PHX_I32 && to != PHX_I32);
}

/* Converts n contiguous elements of one type to another: docs/math.md, 14. n is a multiple of 32 if either type is
 * quantized. */
void ref_convert(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n);

/* ref_convert() or its HVX counterpart. */
typedef void phx_converter(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n);

/* A row, or a part of one: elements `step` bytes apart; contiguous blocks if the type is quantized. */
struct phx_run {
    uint32_t dtype;
    uint32_t step;
    uint8_t *data;
};

/* Returns the run of a row from element `first` on, which must start a block. */
static inline struct phx_run phx_run_of(const struct phx_tensor *view, uint8_t *row, uint32_t first) {
    struct phx_grain grain = phx_grain_of(view->dtype);
    uint32_t step = phx_is_dense(view) ? grain.n_bytes : view->nb[0];
    return (struct phx_run){view->dtype, step, row + (grain.n_elements == 1 ? first * step : first / 32 * step)};
}

/* Converts n elements of one run to another. */
void ref_convert_run(phx_converter *convert, const struct phx_run *from, const struct phx_run *to, uint32_t n);

#endif
