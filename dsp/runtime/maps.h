/* SPDX-License-Identifier: MIT
 *
 * The buffers a session has made known: fd -> address and size. Not locked: struct phx_context has the mutex.
 */
#ifndef PHX_MAPS_H
#define PHX_MAPS_H

#include "contract.h"

struct phx_map {
    int32_t fd;
    uint32_t size;
    uint8_t *data;
};

struct phx_maps {
    struct phx_map *entries; /* sorted by fd */
    uint32_t n_entries;
    uint32_t capacity;
    uint32_t epoch; /* changes when an entry goes: addresses that were looked up before may be stale */
};

/* The CPU mapped fd with fastrpc_mmap before, `size` bytes. On a board only the CPU knows the true size: the shell has no
 * call that tells it, so a size that lies makes the process domain fault. The loopback's tells, and a size beyond it is
 * refused there. Both return 0 or an AEE code of the DSP. */
int phx_maps_add(struct phx_maps *maps, int32_t fd, uint32_t size);
int phx_maps_remove(struct phx_maps *maps, int32_t fd);

/* NULL for an unknown fd. */
const struct phx_map *phx_maps_find(const struct phx_maps *maps, int32_t fd);

void phx_maps_clear(struct phx_maps *maps);

#endif
