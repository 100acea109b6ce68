/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND in parts, for fused groups: all destinations are resolved before anything is written.
 */
#ifndef PHX_ATTENTION_APPEND_H
#define PHX_ATTENTION_APPEND_H

#include "attention.h"

/* Returns the bytes of all rows' destinations. */
size_t phx_append_bytes(const struct phx_call *call);

/* Resolves the destination of each row. Returns a phx_status. */
uint32_t phx_append_find_slots(const struct phx_call *call, struct phx_slot *slots);

/* Writes the rows of KV heads first..end-1 to the resolved destinations. */
void phx_append_heads(const struct phx_call *call, const struct phx_slot *slots, uint32_t first, uint32_t end);

#endif
