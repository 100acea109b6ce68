/* SPDX-License-Identifier: MIT
 *
 * Prefetch into the L2 cache, which all threads share. The hardware asynchronously fetches a box: rows of `width` bytes
 * that are `stride` bytes apart. Each thread has at most PHX_FETCHES boxes in flight; one more cancels the oldest.
 * Prefetches are hints, and no code may rely on them.
 */
#ifndef PHX_FETCH_H
#define PHX_FETCH_H

#include "contract.h"

#ifdef __hexagon__
#define PHX_CAN_FETCH true
#else
#define PHX_CAN_FETCH false
#endif

#define PHX_FETCHES 3
/* Limit of a box's width, height and stride. A zero in any of them would cancel all prefetches of the thread. */
#define PHX_FETCH_MAX 0xffffu
#define PHX_FETCH_POLLS 4096 /* some microseconds */

static inline uint64_t phx_box(uint32_t width, uint32_t height, uint32_t stride) {
    return (uint64_t)stride << 32 | width << 16 | height;
}

static inline void phx_fetch_box(const void *from, uint32_t width, uint32_t height, uint32_t stride) {
#ifdef __hexagon__
    __asm__ volatile("l2fetch(%0, %1)" : : "r"(from), "r"(phx_box(width, height, stride)));
#else
    (void)from, (void)width, (void)height, (void)stride;
#endif
}

/* Prefetches whole contiguous vectors, at least one. */
static inline void phx_fetch(const void *from, uint32_t n_bytes) {
    uint32_t height = n_bytes / PHX_VECTOR;
    phx_fetch_box(from, PHX_VECTOR, height < PHX_FETCH_MAX ? height : PHX_FETCH_MAX, PHX_VECTOR);
}

#define PHX_L1_LINE 64 /* bytes */

/* Prefetches n bytes, at least one, into the L1 data cache: for scalar loads of what HVX has stored, since HVX stores to
 * L2 and invalidates L1. */
static inline void phx_dcfetch(const void *from, uint32_t n_bytes) {
#ifdef __hexagon__
    uint32_t before = (uint32_t)(uintptr_t)from % PHX_L1_LINE;
    __asm__ volatile("loop0(1f, %1)\n"
                     "1:\n"
                     "{ dcfetch(%0 + #0); %0 = add(%0, #64) }:endloop0"
                     : "+r"(from)
                     : "r"((before + n_bytes + PHX_L1_LINE - 1) / PHX_L1_LINE)
                     : "lc0", "sa0");
#else
    (void)from, (void)n_bytes;
#endif
}

/* For loops over a list of offsets: prefetches a box, and returns the entry of the list behind `at`, or `last` if that
 * is the last one. It takes a single packet. It is not volatile, so that loops with it can be software-pipelined: the
 * compiler keeps it only if phx_fetch_end() takes the result behind the loop. */
static inline const uint32_t *phx_fetch_next(const void *from, uint64_t box, const uint32_t *at, const uint32_t *last) {
#ifdef __hexagon__
    __asm__("{ p0 = cmp.gtu(%3, %0); if (p0.new) %0 = add(%0, #4); l2fetch(%1, %2) }"
            : "+r"(at)
            : "r"(from), "r"(box), "r"(last)
            : "p0");
#else
    (void)from, (void)box, (void)last;
#endif
    return at;
}

static inline void phx_fetch_end(const uint32_t *at) {
    __asm__ volatile("" : : "r"(at));
}

/* phx_fetch_next() in the order of the program: for loops that the compiler schedules better so. */
static inline const uint32_t *phx_fetch_in_order(const void *from, uint64_t box, const uint32_t *at,
                                                 const uint32_t *last) {
#ifdef __hexagon__
    __builtin_HEXAGON_Y5_l2fetch((void *)(uintptr_t)from, box);
#else
    (void)from, (void)box;
#endif
    return at < last ? at + 1 : at;
}

/* Waits until the thread's prefetches have completed, for at most PHX_FETCH_POLLS polls. */
static inline void phx_fetch_wait(void) {
#ifdef __hexagon__
    for (int32_t i = 0, usr = -1; usr < 0 && i < PHX_FETCH_POLLS; i++) { /* the sign bit is USR:PFA, prefetch active */
        __asm__ volatile("%0 = usr" : "=r"(usr));
    }
#endif
}

#endif
