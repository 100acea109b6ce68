/* SPDX-License-Identifier: MIT
 *
 * Quantized activation rows of the reference kernels (docs/arithmetic.md, 1).
 */
#ifndef PHX_REF_ACTIVATIONS_H
#define PHX_REF_ACTIVATIONS_H

#include <stdbool.h>

#include "tiles.h"

/* Header of a quantized row, followed by da[n_blocks], t[2 * n_blocks] and q[32 * n_blocks]. */
struct ref_row {
    int32_t exponent; /* Et */
    uint32_t is_nan;  /* the row has NaN or infinity; its other fields are undefined */
};

static inline const int16_t *ref_row_da(const struct ref_row *row) {
    return (const int16_t *)(row + 1);
}

/* Returns t, one per scale block of 32 k, or 16. */
static inline const int16_t *ref_row_t(const struct phx_matmul *mm, const struct ref_row *row) {
    return ref_row_da(row) + mm->n_blocks;
}

static inline const int16_t *ref_row_q(const struct phx_matmul *mm, const struct ref_row *row) {
    return ref_row_t(mm, row) + 2 * mm->n_blocks;
}

/* Returns a number below REF_ROW_FORMS that identifies the row format of a weight type. */
#define REF_ROW_FORMS 4
uint32_t ref_row_form(const struct phx_weight_type *type);

#define REF_PART_BYTES 2304 /* of a row: 3 + 32 int16 per block, padded to whole vectors */

/* Runs steps 1 to 8 for parts first..last-1 of a row of mm->k floats at x: int8 activations for quantized weights,
 * int16 for float weights. Part 0 includes the struct ref_row. */
void ref_quantise(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);

#endif
