/* SPDX-License-Identifier: MIT
 *
 * ROPE per pair: docs/math.md, ROPE.
 */
#ifndef PHX_REF_ROPE_H
#define PHX_REF_ROPE_H

#include "ops/op.h"

#define REF_ROPE_MAX_PAIRS 2048
#define REF_ROPE_EXPONENT_MIN                                                                                          \
    0x14000000 /* 40: results at this exponent are 0 or normal numbers, since the scale is at least 2^-8 */
/* bytes: rows saved by the HVX kernel, and its angles */
#define REF_ROPE_WORK (2 * 2 * sizeof(float) * REF_ROPE_MAX_PAIRS)

/* Parameters common to all rows of a call. */
struct ref_rope {
    const struct phx_operand *positions; /* dimension 0 has the positions of a row */
    const struct phx_operand *turns;
    uint32_t n_positions;
    uint32_t n_pairs;
    uint32_t second; /* elements between the two of a pair */
    uint32_t next;   /* elements between pairs */
    int32_t scale;   /* mantissa of the scale in Q30 */
    int32_t unit;    /* exponent of a unit of a rotated number, minus that of its pair */
    int32_t limit;   /* pairs with a smaller exponent cannot overflow to infinity */
};

struct ref_rope ref_rope_of(const struct phx_call *call);

/* Rotates the pairs of a row. dst may be x. */
void ref_rope_row(const struct ref_rope *rope, uint32_t *dst, const uint32_t *x, const uint8_t *positions);

#endif
