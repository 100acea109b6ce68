/* SPDX-License-Identifier: MIT
 *
 * For tests that run another FastRPC library on top of the loopback's DSP: queues whose CPU end and memory belong to
 * that library.
 */
#ifndef LOOPBACK_ATTACH_H
#define LOOPBACK_ATTACH_H

#include <stdint.h>

/* Registers a queue with the session's DSP process, so that the skel can import it by *id. The memory behind fd has the
 * layout of shell/ring.h; a signal to the DSP is a wake of its futexes. Returns 0, or 0x6b without a process. */
int loopback_attach_queue(int effective_domain, int fd, uint32_t size, uint64_t *id);

/* Returns 0, or 0xe while the skel has it imported. */
int loopback_detach_queue(int effective_domain, uint64_t id);

#endif
