/* SPDX-License-Identifier: MIT
 *
 * In place of dsp/runtime/fetch.h: prefetches are reported to the test program.
 */
#ifndef PHX_FETCH_H
#define PHX_FETCH_H

#include "runtime/contract.h"

#define PHX_FETCHES 3

/* Takes the arguments of the instruction l2fetch. */
void fetched(const void *from, uint64_t box);

static inline uint64_t phx_box(uint32_t width, uint32_t height, uint32_t stride) {
    return (uint64_t)stride << 32 | width << 16 | height;
}

static inline const uint32_t *phx_fetch_next(const void *from, uint64_t box, const uint32_t *at, const uint32_t *last) {
    fetched(from, box);
    return at < last ? at + 1 : at;
}

static inline void phx_fetch_end(const uint32_t *at) {
    (void)at;
}

static inline const uint32_t *phx_fetch_in_order(const void *from, uint64_t box, const uint32_t *at,
                                                 const uint32_t *last) {
    return phx_fetch_next(from, box, at, last);
}

#endif
