/* SPDX-License-Identifier: MIT
 *
 * Sums of rows: docs/math.md, SUM_ROWS.
 */
#ifndef PHX_REF_SUM_ROWS_H
#define PHX_REF_SUM_ROWS_H

#include "ops/op.h"
#include "rms_norm.h"

/* Returns sum * 2^(E - 154), E = exponent >> 23, times 1 / n if there is a reciprocal, as a float32. */
uint32_t ref_sum_rows_pack(int64_t sum, int32_t exponent, const struct ref_scale *reciprocal);

/* Sums a whole row by definition, with any numbers. */
uint32_t ref_sum_row(const uint32_t *x, uint32_t n, const struct ref_scale *reciprocal);

void ref_sum_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_scale *reciprocal);

#endif
