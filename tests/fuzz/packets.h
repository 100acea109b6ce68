/* SPDX-License-Identifier: MIT
 *
 * Several packets in the queue at a time, in any order, some of them twice.
 */
#ifndef FUZZ_PACKETS_H
#define FUZZ_PACKETS_H

#include "requests.h" /* dspqueue.h has no includes of its own */

#include "../../pyhexagon/_ffi/cdef/dspqueue.h"

#define N_KINDS 4       /* of requests */
#define MAX_IN_QUEUE 8u /* packets */
#define PACKETS_BYTES ((N_KINDS + MAX_IN_QUEUE) * MAX_REQUEST_BYTES)

/* Sends packets that define, run and drop a program that no unmutated request uses, and reads the answers. Each must be
 * what the order of the packets makes it. Returns a finding, or NULL. */
const char *send_packets(struct random *random, dspqueue_t queue, const struct fuzz_memory *memory, uint8_t *bytes,
                         int32_t fd);

#endif
