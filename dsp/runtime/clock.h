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

static inline uint64_t phx_now_ns(void) {
    return phx_ticks_to_ns(HAP_perf_get_qtimer_count());
}

#endif
