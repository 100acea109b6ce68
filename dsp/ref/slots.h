/* SPDX-License-Identifier: MIT
 *
 * Slots of a table that holds recurrent states: each sequence reads one slot and writes the same or another one.
 */
#ifndef PHX_REF_SLOTS_H
#define PHX_REF_SLOTS_H

#include <stdbool.h>

#include "ops/op.h"

/* The slots of a sequence. */
struct ref_slots {
    uint32_t from, to;
    bool is_skipped; /* a slot is negative: the sequence's results are 0, and it writes nothing */
};

/* Sets the slots of a sequence from the ids of all. Returns PHX_E_INDEX for a slot beyond the table, or one that a
 * sequence writes and another one reads or writes: their order would matter. */
uint32_t ref_slots_of(const struct phx_operand *reads, const struct phx_operand *writes, uint32_t n_slots,
                      uint32_t sequence, struct ref_slots *slots);

#endif
