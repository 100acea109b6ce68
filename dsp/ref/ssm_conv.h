/* SPDX-License-Identifier: MIT
 *
 * SSM_CONV: docs/math.md, 19. Operands, innermost dimension first; a chunk of C channels, T tokens, J taps, B sequences:
 *
 *     src[0]     x: C, chunks, T + J - 1, B
 *     src[1]     weight: C, chunks, J
 *     dst        C, chunks, T, B
 *
 * Or the J - 1 tokens before are in slots of a table, and each sequence reads one slot and writes its last J - 1 tokens
 * to another one:
 *
 *     src[0]     x: C, chunks, T, B
 *     src[2, 3]  int32 slot that each sequence reads, and the one that it writes: B
 *     dst[1]     the table: C * chunks, J - 1, slots
 */
#ifndef PHX_REF_SSM_CONV_H
#define PHX_REF_SSM_CONV_H

#include "slots.h"

/* A row of the result, and the operands that it sums: n_old rows of a slot, then rows of x. */
struct ref_taps {
    uint8_t *dst;
    const uint8_t *old, *x, *weight;        /* first row of each */
    uint32_t old_step, x_step, weight_step; /* bytes between rows */
    uint32_t n_old, n_taps, n_elements;
    uint8_t *kept; /* row of the slot to write that gets what tap first_kept reads; the next one follows, old_step on */
    uint32_t first_kept; /* n_taps or more: none */
};

/* Sets the slots of a sequence; without a table, there are none. Returns a phx_status. */
uint32_t ref_conv_slots_of(const struct phx_call *call, uint32_t sequence, struct ref_slots *slots);

void ref_taps_of(const struct phx_call *call, struct phx_at at, const struct ref_slots *slots, struct ref_taps *taps);

void ref_ssm_conv_row(const struct ref_taps *taps);

#endif
