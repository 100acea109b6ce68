/* SPDX-License-Identifier: MIT
 *
 * Execution counters: packets, HVX instructions and, on request, busy time of a thread. Only the QEMU process domain
 * exports phx_pd_counters. It is imported weakly, so on hardware and in host skels its address is 0 and all counts stay
 * 0.
 */
#ifndef PHX_COUNTERS_H
#define PHX_COUNTERS_H

#include <stdbool.h>

#include "clock.h"

struct phx_count {
    uint64_t packets;
    uint64_t hvx_instructions;
    uint64_t busy;  /* qtimer ticks */
    uint64_t first; /* start of the first work unit (0: none) and end of the last one */
    uint64_t last;
};

/* Reads running totals of the calling thread: packets, HVX instructions. */
extern void phx_pd_counters(uint64_t totals[2]) __attribute__((weak));

/* Returns the packets that the calling thread has executed so far. */
static inline uint64_t phx_packets(void) {
    uint64_t totals[2] = {0};
    if (phx_pd_counters) {
        phx_pd_counters(totals);
    }
    return totals[0];
}

static inline void phx_add_time(const struct phx_count *mark, struct phx_count *count, uint64_t now) {
    if (count->first == 0) {
        count->first = mark->last;
    }
    count->busy += now - mark->last;
    count->last = now;
}

/* Adds the calling thread's execution since `mark` to `count` (unless NULL) and moves the mark to now. It subtracts
 * `own`, the packets of one sample, and excludes the instructions between its two reads of the counters, so packet
 * counts do not depend on `timed`. */
static inline void phx_count_since(struct phx_count *mark, struct phx_count *count, uint64_t own, bool timed) {
    uint64_t totals[2] = {0};
    if (phx_pd_counters) {
        phx_pd_counters(totals);
    }
    if (count) {
        count->packets += totals[0] - mark->packets - own;
        count->hvx_instructions += totals[1] - mark->hvx_instructions;
    }
    if (timed) {
        uint64_t now = HAP_perf_get_qtimer_count();
        if (count) {
            phx_add_time(mark, count, now);
        }
        mark->last = now;
    }
    if (phx_pd_counters) {
        phx_pd_counters(totals);
    }
    mark->packets = totals[0];
    mark->hvx_instructions = totals[1];
}

#endif
