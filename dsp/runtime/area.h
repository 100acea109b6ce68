/* SPDX-License-Identifier: MIT
 *
 * An allocation of the workspace that is reused from request to request and only grows. Growing it discards its
 * contents.
 */
#ifndef PHX_AREA_H
#define PHX_AREA_H

#include "libc.h"
#include "workspace.h"

struct phx_area {
    struct phx_workspace *workspace;
    void *data; /* aligned to PHX_VECTOR */
    size_t size;
};

/* Grows the area to at least n_bytes and returns its address, or NULL when the workspace is exhausted. */
static inline void *phx_area_reserve(struct phx_area *area, size_t n_bytes) {
    if (n_bytes > area->size) {
        phx_workspace_free(area->data);
        area->data = phx_workspace_alloc(area->workspace, n_bytes);
        area->size = area->data ? n_bytes : 0;
    }
    return area->data;
}

static inline void phx_area_free(struct phx_area *area) {
    phx_workspace_free(area->data);
    area->data = NULL;
    area->size = 0;
}

#endif
