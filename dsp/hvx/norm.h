/* SPDX-License-Identifier: MIT
 *
 * The two halves of NORM: integers of a row, and what becomes of them.
 */
#ifndef PHX_HVX_NORM_H
#define PHX_HVX_NORM_H

#include "ref/norm.h"
#include "rows.h"

/* What goes with a row. A step of 0: a vector full of one element. */
struct factors {
    const uint8_t *data;
    uint32_t step;
};

/* Of integers in dst, whose distances normed says all of: the numbers that they stand for, and the bias. */
void hvx_norm_finish(struct span dst, struct factors weight, struct factors bias, const struct ref_affine *affine,
                     const struct ref_normed *normed);

#endif
