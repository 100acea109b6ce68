/* SPDX-License-Identifier: MIT
 *
 * Waits on a word of shared memory, between threads and between processes, of either word size.
 */
#ifndef SHELL_FUTEX_H
#define SHELL_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A 32-bit musl has a 64-bit time_t: only the time64 call accepts its struct timespec. */
#if defined(SYS_futex_time64) && __SIZEOF_POINTER__ == 4
#define SHELL_SYS_FUTEX SYS_futex_time64
#else
#define SHELL_SYS_FUTEX SYS_futex
#endif

/* Returns when the word differs from `seen`, on a wake, at the deadline (CLOCK_REALTIME; NULL: none) or spuriously.
 * Returns false at the deadline. */
static inline bool futex_wait(const _Atomic uint32_t *word, uint32_t seen, const struct timespec *deadline) {
    long rc = syscall(SHELL_SYS_FUTEX, word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, seen, deadline, NULL,
                      FUTEX_BITSET_MATCH_ANY);
    return !(rc < 0 && errno == ETIMEDOUT);
}

static inline void futex_wake_all(const _Atomic uint32_t *word) {
    syscall(SHELL_SYS_FUTEX, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
