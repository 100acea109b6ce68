/* SPDX-License-Identifier: MIT
 *
 * A heap allocation that is reused from request to request and only grows. Growing it discards its contents.
 */
#ifndef PHX_AREA_H
#define PHX_AREA_H

#include "contract.h"
#include "libc.h"

struct phx_area {
    void *data; /* aligned to PHX_VECTOR */
    size_t size;
};

/* Grows the area to at least n_bytes and returns its address, or NULL when the heap is exhausted. */
static inline void *phx_area_reserve(struct phx_area *area, size_t n_bytes) {
    if (n_bytes > area->size) {
        phx_free(area->data);
        area->data = phx_memalign(PHX_VECTOR, n_bytes);
        area->size = area->data ? n_bytes : 0;
    }
    return area->data;
}

static inline void phx_area_free(struct phx_area *area) {
    phx_free(area->data);
    *area = (struct phx_area){0};
}

#endif
