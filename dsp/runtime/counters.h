/* SPDX-License-Identifier: MIT
 *
 * What threads execute, where something counts it: the QEMU PD has one name that no board's shell has. It is imported
 * weakly, so on hardware, and on a host, it is 0 and all counts stay 0. And how long they work, where that is asked for.
 */
#ifndef PHX_COUNTERS_H
#define PHX_COUNTERS_H

#include <stdbool.h>

#include "clock.h"

struct phx_count {
    uint64_t packets;
    uint64_t hvx_instructions;
    uint64_t busy;  /* qtimer ticks */
    uint64_t first; /* when its first piece began, 0 without one, and when its last one ended */
    uint64_t last;
};

/* Running totals of the calling thread: packets, HVX instructions. */
extern void phx_pd_counters(uint64_t totals[2]) __attribute__((weak));

/* Packets of the calling thread so far. */
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

/* Adds what the calling thread has executed since `mark` to `count`, if not NULL, and moves the mark here. What lies
 * between the two looks at the counters is not counted, so packets do not depend on `timed`; nor is what a look itself
 * takes, `own` packets. */
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
