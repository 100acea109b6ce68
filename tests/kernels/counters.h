/* SPDX-License-Identifier: MIT
 *
 * QEMU's counters of the calling thread: 32 bits, exact. The assembler has no names for these registers, so the
 * instructions (r0 = c20 and r0 = c22) are given as words. On hardware they have another meaning.
 */
#ifndef PHX_TESTS_COUNTERS_H
#define PHX_TESTS_COUNTERS_H

#include <stdint.h>

static inline uint32_t count_packets(void) {
    register uint32_t count __asm__("r0");
    __asm__ volatile(".word 0x6a14c000" : "=r"(count)::"memory");
    return count;
}

#endif
