/* SPDX-License-Identifier: MIT
 *
 * The interface between the two halves of NORM: the integers of a row, and the results computed from them.
 */
#ifndef PHX_HVX_NORM_H
#define PHX_HVX_NORM_H

#include "ref/norm.h"
#include "rows.h"

/* The weight or the bias of a row. A step of 0: a vector full of one element. */
struct factors {
    const uint8_t *data;
    uint32_t step;
};

/* Converts the integers in dst, described by `normed`, to results: scales them, multiplies by the weight, adds the
 * bias. */
void hvx_norm_finish(struct span dst, struct factors weight, struct factors bias, const struct ref_affine *affine,
                     const struct ref_normed *normed);

#endif
