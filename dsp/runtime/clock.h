/* SPDX-License-Identifier: MIT */
#ifndef PHX_CLOCK_H
#define PHX_CLOCK_H

#include "hap.h"

/* Nanoseconds of the 19.2 MHz qtimer. */
static inline uint64_t phx_now_ns(void) {
    return HAP_perf_get_qtimer_count() * 625 / 12;
}

#endif
