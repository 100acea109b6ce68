/* SPDX-License-Identifier: MIT
 *
 * The buffers that a session has mapped: fd -> address and size. Not locked: struct phx_context holds the mutex.
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
    uint32_t epoch; /* incremented when an entry is removed: addresses looked up earlier may be stale */
};

/* Adds or removes a buffer of `size` bytes that the CPU mapped with fastrpc_mmap. A board's shell has no call that
 * returns the true size, so the skel trusts it, and a size that is too large makes the process domain fault. The
 * loopback's shell has one, and the skel refuses such a size there. Both functions return 0 or an AEE code of the
 * DSP. */
int phx_maps_add(struct phx_maps *maps, int32_t fd, uint32_t size);
int phx_maps_remove(struct phx_maps *maps, int32_t fd);

/* Returns the map of fd, or NULL if it is unknown. */
const struct phx_map *phx_maps_find(const struct phx_maps *maps, int32_t fd);

void phx_maps_clear(struct phx_maps *maps);

#endif
