/* SPDX-License-Identifier: MIT
 *
 * ROPE, pair by pair: docs/math.md, ROPE.
 */
#ifndef PHX_REF_ROPE_H
#define PHX_REF_ROPE_H

#include "ops/op.h"

#define REF_ROPE_MAX_PAIRS 2048
#define REF_ROPE_EXPONENT_MIN                                                                                          \
    0x14000000 /* 40: what is rotated there is 0 or a normal number, as the scale is 2^-8 or more */
#define REF_ROPE_WORK (2 * 2 * sizeof(float) * REF_ROPE_MAX_PAIRS) /* bytes for rows that HVX keeps, and its angles */

/* What all rows of a call share. */
struct ref_rope {
    const struct phx_operand *positions; /* beside each row: dimension 0 has its positions */
    const struct phx_operand *turns;
    uint32_t n_positions;
    uint32_t n_pairs;
    uint32_t second; /* elements from the first of a pair to the second */
    uint32_t next;   /* from a pair to the next one */
    int32_t scale;   /* its mantissa in Q30 */
    int32_t unit;    /* exponent of a unit of a rotated number, less that of its pair */
    int32_t limit;   /* a smaller exponent's pair cannot become infinite */
};

struct ref_rope ref_rope_of(const struct phx_call *call);

/* The rotated pairs of a row. dst may be x. */
void ref_rope_row(const struct ref_rope *rope, uint32_t *dst, const uint32_t *x, const uint8_t *positions);

#endif
