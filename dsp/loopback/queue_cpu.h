/* SPDX-License-Identifier: MIT
 *
 * The CPU's end of a dspqueue.
 */
#ifndef LOOPBACK_QUEUE_CPU_H
#define LOOPBACK_QUEUE_CPU_H

#include "session.h"
#include "shell/queue.h"

int queue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                 dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback, void *context,
                 dspqueue_t *queue);
int queue_close(dspqueue_t queue);
int queue_export(dspqueue_t queue, uint64_t *id);
int queue_write_checked(dspqueue_t queue, const struct queue_write *what, const uint32_t *timeout_us);

/* The session's DSP process has died: ends waits and calls the error callbacks. Takes no lock of the session. */
void queues_died(struct session *session);

/* Requires the session's lock. Registers the queues with a new process. */
void queues_hand_over(struct session *session, struct process *process);

/* In the child of a fork: drops the queues, which are the parent's, without touching shared memory. */
void queues_forked(void);

#endif
