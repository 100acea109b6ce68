/* SPDX-License-Identifier: MIT
 *
 * The DSP's clock: the qtimer, 19.2 MHz.
 */
#ifndef PHX_CLOCK_H
#define PHX_CLOCK_H

#include "hap.h"

static inline uint64_t phx_ticks_to_ns(uint64_t ticks) {
    return ticks * 625 / 12;
}

/* Converts up to 223 seconds with a relative error of 1e-7. It avoids a division, for which the v68 has no
 * instruction. */
static inline uint64_t phx_short_ticks_to_ns(uint32_t ticks) {
    return (uint64_t)ticks * (uint32_t)(625.0 / 12 * 65536) >> 16;
}

static inline uint64_t phx_now_ns(void) {
    return phx_ticks_to_ns(HAP_perf_get_qtimer_count());
}

#endif
