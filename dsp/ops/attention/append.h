/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND in parts, for ops that run together with it: its places are found before anything is written.
 */
#ifndef PHX_ATTENTION_APPEND_H
#define PHX_ATTENTION_APPEND_H

#include "attention.h"

/* Bytes of the places of all rows. */
size_t phx_append_bytes(const struct phx_call *call);

/* Returns a phx_status. */
uint32_t phx_append_find_places(const struct phx_call *call, struct phx_place *places);

/* Puts the rows of KV heads first..end-1 there. */
void phx_append_heads(const struct phx_call *call, const struct phx_place *places, uint32_t first, uint32_t end);

#endif
