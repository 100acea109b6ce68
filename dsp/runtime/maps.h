/* SPDX-License-Identifier: MIT
 *
 * The buffers that a session has mapped: fd -> address and size. Not locked: struct phx_context holds the mutex.
 */
#ifndef PHX_MAPS_H
#define PHX_MAPS_H

#include "area.h"

#define PHX_FEW_MAPS 16 /* enough for a session until it has a workspace */

struct phx_map {
    int32_t fd;
    uint32_t size;
    uint8_t *data;
};

struct phx_maps {
    struct phx_area entries; /* struct phx_map, sorted by fd; empty: they are in `few` */
    struct phx_map few[PHX_FEW_MAPS];
    uint32_t n_entries;
    uint32_t epoch; /* incremented when an entry is removed: addresses looked up earlier may be stale */
};

/* Finds the address of a buffer that the CPU mapped; pair it with HAP_mmap_put(). Returns 0 or an AEE code of the DSP. */
int phx_map_get(int32_t fd, uint32_t size, uint8_t **data);

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
