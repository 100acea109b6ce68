/* SPDX-License-Identifier: MIT
 *
 * The workspace: memory that the host allocates and maps for the skel, because the heap of a process domain does not
 * grow on every board. Programs, plans, scratch memory and the table of mapped buffers live in it. The heap holds the
 * context, the stacks and the queue's packet only, all of them allocated by open and start.
 *
 * The workspace is a list of regions from the host. If an allocation fails, the response reports its size, then the
 * host adds a region and sends the request again, from the op that failed. A request cannot use a region as a tensor's
 * buffer. The functions take no lock: their callers hold the mutex `running` of struct phx_context.
 */
#ifndef PHX_WORKSPACE_H
#define PHX_WORKSPACE_H

#include <stdbool.h>

#include "contract.h"

struct phx_workspace {
    struct phx_workspace_region *regions; /* NULL: none; the newest first */
    uint64_t needed;                      /* smallest region in which the last failed allocation would succeed */
};

/* Adds a buffer of `size` bytes that the CPU mapped with fastrpc_mmap. Returns 0 or an AEE code of the DSP. */
int phx_workspace_add(struct phx_workspace *workspace, int32_t fd, uint32_t size);

/* Returns whether the buffer is a region. */
bool phx_workspace_has(const struct phx_workspace *workspace, int32_t fd);

/* Unmaps all regions. Every allocation must be free. */
void phx_workspace_clear(struct phx_workspace *workspace);

/* Returns n_bytes aligned to PHX_VECTOR, or NULL. */
void *phx_workspace_alloc(struct phx_workspace *workspace, size_t n_bytes);

/* Frees an allocation; NULL is allowed. */
void phx_workspace_free(void *memory);

#endif
