/* SPDX-License-Identifier: MIT
 *
 * Fetching ahead into the cache that all threads share. The machine fetches boxes, rows of `width` bytes that lie
 * `stride` bytes apart, while the thread goes on; each thread has PHX_FETCHES of them under way, and one more would end
 * the first. It is a hint: nobody may count on what was fetched.
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
#define PHX_FETCH_MAX                                                                                                  \
    0xffffu /* of a box's width, height and stride; none may be 0, which would end all of the thread's */
#define PHX_FETCH_LOOKS 4096 /* some microseconds */

static inline void phx_fetch_box(const void *from, uint32_t width, uint32_t height, uint32_t stride) {
#ifdef __hexagon__
    uint64_t box = (uint64_t)stride << 32 | width << 16 | height;
    __asm__ volatile("l2fetch(%0, %1)" : : "r"(from), "r"(box));
#else
    (void)from, (void)width, (void)height, (void)stride;
#endif
}

/* Whole vectors, one at least, that lie side by side. */
static inline void phx_fetch(const void *from, uint32_t n_bytes) {
    uint32_t height = n_bytes / PHX_VECTOR;
    phx_fetch_box(from, PHX_VECTOR, height < PHX_FETCH_MAX ? height : PHX_FETCH_MAX, PHX_VECTOR);
}

/* Until all that the thread has under way is there, or for a while. */
static inline void phx_fetch_wait(void) {
#ifdef __hexagon__
    for (int32_t i = 0, usr = -1; usr < 0 && i < PHX_FETCH_LOOKS; i++) { /* USR:PFA is the sign */
        __asm__ volatile("%0 = usr" : "=r"(usr));
    }
#endif
}

#endif
