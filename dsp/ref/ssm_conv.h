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

/* A chunk of a token: a row of dst, and the rows from which it is summed, one per tap. The first n_old are rows of the
 * slot that is read, the tokens before x; the others are rows of x. Taps from first_stored on are also stored, to the
 * slot that is written. */
struct ref_taps {
    uint8_t *dst;
    const uint8_t *old, *x, *weight;        /* the first row of each */
    uint8_t *stored;                        /* the row of tap first_stored */
    uint32_t old_step, x_step, weight_step; /* bytes between rows; old_step: also of the slot that is written */
    uint32_t n_old, n_taps, first_stored;   /* first_stored: n_taps or more if no tap is stored */
    uint32_t n_elements;
};

/* Sets the slots of a sequence; without a table, there are none. Returns a phx_status. */
uint32_t ref_conv_slots_of(const struct phx_call *call, uint32_t sequence, struct ref_slots *slots);

/* Sets the taps of the row at the indices `at` of dst. */
void ref_taps_of(const struct phx_call *call, struct phx_at at, const struct ref_slots *slots, struct ref_taps *taps);

void ref_ssm_conv_row(const struct ref_taps *taps);

#endif
