/* SPDX-License-Identifier: MIT
 *
 * Execution counters: packets, HVX instructions, cycles and, on request, busy time of a thread. Only the QEMU process
 * domain exports phx_pd_counters. It is imported weakly, so on hardware and in host skels its address is 0 and its
 * counts stay 0.
 *
 * Cycles are UPCYCLE (C15:14), which counts cycles of the DSP's clock, not of one thread. It reads 0 under QEMU, and on
 * hardware where the system has not set SSR.CE, so 0 means that there is no counter. No board has run this yet.
 */
#ifndef PHX_COUNTERS_H
#define PHX_COUNTERS_H

#include <stdbool.h>

#include "clock.h"

struct phx_count {
    uint64_t packets;
    uint64_t hvx_instructions;
    uint64_t cycles;
    uint64_t busy;  /* qtimer ticks */
    uint64_t first; /* start of the first work unit (0: none) and end of the last one */
    uint64_t last;
};

/* Reads running totals of the calling thread: packets, HVX instructions. */
extern void phx_pd_counters(uint64_t totals[2]) __attribute__((weak));

/* Reads the cycles of the loopback's scripted clock (its option `rates`), which only host skels see. */
extern uint64_t phx_pd_cycles(void) __attribute__((weak));

/* Returns the cycles of the DSP's clock so far, or 0 without a counter. */
static inline uint64_t phx_cycles(void) {
#ifdef __hexagon__
    uint64_t cycles;
    __asm__ volatile("%0 = upcycle" : "=r"(cycles));
    return cycles;
#else
    return phx_pd_cycles ? phx_pd_cycles() : 0;
#endif
}

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
    uint64_t cycles = phx_cycles();
    if (count) {
        count->cycles += cycles - mark->cycles;
    }
    mark->cycles = cycles;
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
