/* SPDX-License-Identifier: MIT
 *
 * Threads whose stacks the skel allocates. The stacks of FastRPC's threads and of dspqueue's callback thread belong to
 * the shell: 16 KiB by default, and of unknown size. No job runs on them.
 */
#ifndef PHX_THREAD_H
#define PHX_THREAD_H

#include "qurt.h"

struct phx_thread {
    qurt_thread_t id;
    void *stack;
};

/* Starts a thread with a stack of n_stack bytes and at most the priority of the caller. Returns 0 or an AEE code of the
 * DSP. */
int phx_thread_start(struct phx_thread *thread, uint32_t n_stack, void (*entry)(void *), void *argument);

/* Waits until the thread has ended and frees its stack. */
void phx_thread_join(struct phx_thread *thread);

#endif
