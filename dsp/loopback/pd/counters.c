/* SPDX-License-Identifier: MIT
 *
 * QEMU's counters are exact and the same in every run, but 32 bits wide, and a thread starts with a copy of its
 * creator's. So each thread keeps its own sums of the steps between two looks.
 */
#include "counters.h"

#include <stdbool.h>

struct counter {
    uint64_t sum;
    uint32_t last;
};

static __thread struct counter packets, hvx;
static __thread bool started;
static uint32_t look_packets; /* from one look to the next, where nothing lies between */
static uint32_t trap_packets; /* of a signal's way to counters_pause, and from counters_resume back */

/* c20 and c22 have no assembler names. */
static uint32_t read_packets(void) {
    uint32_t value;
    __asm__ volatile(".word 0x6a14c000\n %0 = r0" : "=r"(value) : : "r0");
    return value;
}

static uint32_t read_hvx(void) {
    uint32_t value;
    __asm__ volatile(".word 0x6a16c000\n %0 = r0" : "=r"(value) : : "r0");
    return value;
}

static void look(struct counter *counter, uint32_t now, bool count) {
    counter->sum += count && started ? now - counter->last : 0;
    counter->last = now;
}

static void look_at_both(bool count) {
    look(&packets, read_packets(), count);
    look(&hvx, read_hvx(), count);
    started = true;
}

void phx_pd_counters(uint64_t out[2]) {
    look_at_both(true);
    packets.sum -= look_packets; /* sums are only compared */
    out[0] = packets.sum;
    out[1] = hvx.sum;
}

void counters_pause(void) {
    if (started) {
        packets.sum -= trap_packets; /* counted now, and later: sums are only compared */
    }
    look_at_both(true);
}

void counters_resume(void) {
    look_at_both(false);
}

__attribute__((noinline)) static void one_packet(void) {
    __asm__ volatile("r0 = #0" : : : "r0");
}

__attribute__((noinline)) static void one_trap(void) {
    __asm__ volatile("r0 = dmwait" : : : "r0", "memory");
}

__attribute__((noinline)) static uint32_t packets_of(void (*function)(void)) {
    uint64_t before[2], after[2];
    phx_pd_counters(before);
    function();
    phx_pd_counters(after);
    return (uint32_t)(after[0] - before[0]);
}

void counters_calibrate(void) {
    uint64_t before[2], after[2];
    packets_of(one_packet); /* from the second look on all are alike */
    phx_pd_counters(before);
    phx_pd_counters(after);
    look_packets = (uint32_t)(after[0] - before[0]);
    trap_packets = packets_of(one_trap) - packets_of(one_packet);
}
