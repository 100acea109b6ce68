/* SPDX-License-Identifier: MIT
 *
 * What threads execute, where something counts it: the QEMU PD has one name that no board's shell has. It is imported
 * weakly, so on hardware, and on a host, it is 0 and all counts stay 0.
 */
#ifndef PHX_COUNTERS_H
#define PHX_COUNTERS_H

#include <stdint.h>

struct phx_count {
    uint64_t packets;
    uint64_t hvx_instructions;
};

/* Running totals of the calling thread: packets, HVX instructions. */
extern void phx_pd_counters(uint64_t totals[2]) __attribute__((weak));

/* Adds what the calling thread has executed since `mark` to `count`, if not NULL, and moves the mark here. */
static inline void phx_count_since(struct phx_count *mark, struct phx_count *count) {
    uint64_t totals[2];
    if (!phx_pd_counters) {
        return;
    }
    phx_pd_counters(totals);
    if (count) {
        count->packets += totals[0] - mark->packets;
        count->hvx_instructions += totals[1] - mark->hvx_instructions;
    }
    *mark = (struct phx_count){totals[0], totals[1]};
}

#endif
