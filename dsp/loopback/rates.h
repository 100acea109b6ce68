/* SPDX-License-Identifier: MIT
 *
 * A scripted board: the option rates=FILE of PYHEXAGON_LOOPBACK. In the host engine each thread has clocks that only
 * phx_pd_elapse() advances, and calls take the time that the file says. loopback.h describes the file.
 */
#ifndef LOOPBACK_RATES_H
#define LOOPBACK_RATES_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a file of rates, once in a process. Returns false if it cannot be read or a line is invalid. */
bool rates_load(const char *path);
bool rates_are_loaded(void);

enum rates_call {
    RATES_INVOKE,
    RATES_POLL, /* an invoke in poll mode */
    RATES_QUEUE,
    RATES_MAP /* for each MiB */
};

/* Spins until the scripted time of n calls, or MiB, is over. */
void rates_wait(enum rates_call call, double n);

#endif
