/* SPDX-License-Identifier: MIT
 *
 * Computes the deadline of a wait, as pthread_cond_timedwait and futex_wait take it.
 */
#ifndef SHELL_DEADLINE_H
#define SHELL_DEADLINE_H

#include <stdint.h>
#include <time.h>

static inline struct timespec deadline_after(uint64_t us) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)(us / 1000000);
    t.tv_nsec += (long)(us % 1000000) * 1000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

#endif
