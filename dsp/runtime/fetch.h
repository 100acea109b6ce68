/* SPDX-License-Identifier: MIT
 *
 * Fetching ahead into the cache that all threads share.
 */
#ifndef PHX_FETCH_H
#define PHX_FETCH_H

#include "contract.h"

#define PHX_FETCH_WIDTH 2048u

/* Some bytes from a place on, rounded down; the thread goes on meanwhile. */
static inline void phx_fetch(const void *from, uint32_t n_bytes) {
#ifdef __hexagon__
    uint32_t width = PHX_FETCH_WIDTH, height = n_bytes / width;
    uint64_t box = (uint64_t)width << 32 | width << 16 | (height < 0xffff ? height : 0xffff);
    __asm__ volatile("l2fetch(%0, %1)" : : "r"(from), "r"(box));
#else
    (void)from, (void)n_bytes;
#endif
}

#endif
