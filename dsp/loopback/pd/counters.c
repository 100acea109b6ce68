/* SPDX-License-Identifier: MIT
 *
 * QEMU's counters are exact and reproducible, but 32 bits wide, and a thread starts with a copy of its creator's. Each
 * thread therefore accumulates the differences between two samples.
 */
#include "counters.h"

#include <stdbool.h>

#include "../shell/pd.h"

struct counter {
    uint64_t sum;
    uint32_t last;
};

static __thread struct counter packets, hvx;
static __thread bool started;
static uint32_t sample_packets; /* packets between two consecutive samples */
static uint32_t trap_packets;   /* packets from a signal to counters_pause, and from counters_resume back */

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

static void sample(struct counter *counter, uint32_t now, bool count) {
    counter->sum += count && started ? now - counter->last : 0;
    counter->last = now;
}

static void sample_both(bool count) {
    sample(&packets, read_packets(), count);
    sample(&hvx, read_hvx(), count);
    started = true;
}

void phx_pd_counters(uint64_t out[2]) {
    sample_both(true);
    packets.sum -= sample_packets; /* only differences of sums matter */
    out[0] = packets.sum;
    out[1] = hvx.sum;
}

bool shell_scripted_ns(uint64_t *ns) {
    (void)ns;
    return false; /* only the host engine knows the option `rates` */
}

void counters_pause(void) {
    if (started) {
        packets.sum -= trap_packets; /* counted now and later; only differences of sums matter */
    }
    sample_both(true);
}

void counters_resume(void) {
    sample_both(false);
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
    packets_of(one_packet); /* from the second sample on, the cost is constant */
    phx_pd_counters(before);
    phx_pd_counters(after);
    sample_packets = (uint32_t)(after[0] - before[0]);
    trap_packets = packets_of(one_trap) - packets_of(one_packet);
}
