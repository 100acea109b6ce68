/* SPDX-License-Identifier: MIT
 *
 * Counters of what the calling thread has executed, from QEMU.
 */
#ifndef PD_COUNTERS_H
#define PD_COUNTERS_H

#include <stdint.h>

/* Returns in out[0] packets, in out[1] HVX instructions, without those of signal handlers and of sampling itself. No
 * board exports this name: a skel imports it weakly and gets address 0 there. Must be called at least once per 2^32
 * packets. */
void phx_pd_counters(uint64_t out[2]);

/* Measures with a DMA instruction the cost of a signal beyond its handler, so that an emulated instruction counts as a
 * single packet. Call it after the handlers are installed. */
void counters_calibrate(void);

/* Bracket the body of a signal handler. */
void counters_pause(void);
void counters_resume(void);

#endif
