/* SPDX-License-Identifier: MIT
 *
 * Splits work into equal slices without a division, for which the v68 has no instruction.
 */
#ifndef PHX_SLICES_H
#define PHX_SLICES_H

#include "runtime/contract.h"

/* Slices of equal length, except that the first `more` slices are one longer. */
struct phx_slices {
    uint32_t each;
    uint32_t more;
};

/* ceil(2^32 / n) for n = 1, 2, 3 and so on; 2^32 - 1 for n = 1. */
static const uint32_t phx_reciprocals[] = {0,          0xffffffff, 0x80000000, 0x55555556, 0x40000000,
                                           0x33333334, 0x2aaaaaab, 0x24924925, 0x20000000};
_Static_assert(sizeof(phx_reciprocals) / sizeof(phx_reciprocals[0]) > PHX_MAX_THREADS, "one for each number of slices");

/* Splits n < 2^29 items into n_slices = 1..PHX_MAX_THREADS slices. */
static inline struct phx_slices phx_split_evenly(uint32_t n, uint32_t n_slices) {
    uint32_t each = (uint32_t)((uint64_t)n * phx_reciprocals[n_slices] >> 32);
    return (struct phx_slices){each, n - each * n_slices};
}

static inline uint32_t phx_slice_start(struct phx_slices slices, uint32_t i) {
    return i * slices.each + (i < slices.more ? i : slices.more);
}

#endif
