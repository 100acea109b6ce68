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

/* c20 and c22 have no assembler names. */
static uint32_t read_packets(void)
{
    uint32_t value;
    __asm__ volatile(".word 0x6a14c000\n %0 = r0" : "=r"(value) : : "r0");
    return value;
}

static uint32_t read_hvx(void)
{
    uint32_t value;
    __asm__ volatile(".word 0x6a16c000\n %0 = r0" : "=r"(value) : : "r0");
    return value;
}

static void look(struct counter *counter, uint32_t now, bool count)
{
    counter->sum += count && started ? now - counter->last : 0;
    counter->last = now;
}

static void look_at_both(bool count)
{
    look(&packets, read_packets(), count);
    look(&hvx, read_hvx(), count);
    started = true;
}

void phx_pd_counters(uint64_t out[2])
{
    look_at_both(true);
    out[0] = packets.sum;
    out[1] = hvx.sum;
}

void counters_pause(void)
{
    look_at_both(true);
}

void counters_resume(void)
{
    look_at_both(false);
}
