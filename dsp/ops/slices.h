/* SPDX-License-Identifier: MIT
 *
 * Cutting work into equal slices, without dividing: the v68 has no instruction for that.
 */
#ifndef PHX_SLICES_H
#define PHX_SLICES_H

#include "runtime/contract.h"

/* Equal slices, but that the first `more` are one longer. */
struct phx_slices {
    uint32_t each;
    uint32_t more;
};

/* 2^32 over 1, 2, 3 and so on, rounded up but for the first, where one is left over. */
static const uint32_t phx_reciprocals[] = {0,          0xffffffff, 0x80000000, 0x55555556, 0x40000000,
                                           0x33333334, 0x2aaaaaab, 0x24924925, 0x20000000};
_Static_assert(sizeof(phx_reciprocals) / sizeof(phx_reciprocals[0]) > PHX_MAX_THREADS, "one for each number of slices");

/* n below 2^29, 1..PHX_MAX_THREADS slices */
static inline struct phx_slices phx_cut_evenly(uint32_t n, uint32_t n_slices) {
    uint32_t each = (uint32_t)((uint64_t)n * phx_reciprocals[n_slices] >> 32);
    return (struct phx_slices){each, n - each * n_slices};
}

static inline uint32_t phx_slice_start(struct phx_slices slices, uint32_t i) {
    return i * slices.each + (i < slices.more ? i : slices.more);
}

#endif
