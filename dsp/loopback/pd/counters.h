/* SPDX-License-Identifier: MIT
 *
 * What the calling thread has executed, as QEMU counts it.
 */
#ifndef PD_COUNTERS_H
#define PD_COUNTERS_H

#include <stdint.h>

/* out[0] packets, out[1] HVX instructions; what signal handlers did is left out, and what looking costs. The board has
 * no such name: a skel imports it weakly and finds 0 there. Call it at least once per 2^32 packets. */
void phx_pd_counters(uint64_t out[2]);

/* Finds out, by a DMA instruction, what a signal costs besides its handler: so that one counts as a single packet. The
 * handlers are installed. */
void counters_calibrate(void);

/* Around the body of a signal handler. */
void counters_pause(void);
void counters_resume(void);

#endif
