/* SPDX-License-Identifier: MIT
 *
 * For tests that put another FastRPC library over the loopback's DSP: queues whose CPU end and memory are that library's.
 */
#ifndef LOOPBACK_ATTACH_H
#define LOOPBACK_ATTACH_H

#include <stdint.h>

/* Makes a queue known to the session's DSP process, so that the skel can import it by *id. The memory behind fd has the
 * layout of shell/ring.h; a signal to the DSP is a wake of the futexes in it. 0, or 0x6b without a process. */
int loopback_attach_queue(int effective_domain, int fd, uint32_t size, uint64_t *id);

/* 0xe while the skel has it imported. */
int loopback_detach_queue(int effective_domain, uint64_t id);

#endif
