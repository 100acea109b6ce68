/* SPDX-License-Identifier: MIT
 *
 * The job thread executes requests on a stack that the skel allocates. It is thread 0 of the pool's jobs. The threads
 * of FastRPC and of dspqueue hand a request over and sleep until the job thread has executed it: they must not spin,
 * because the pool's threads occupy all HVX contexts.
 */
#ifndef PHX_JOB_THREAD_H
#define PHX_JOB_THREAD_H

#include <stdbool.h>

#include "thread.h"

struct phx_job_thread {
    struct phx_thread thread;
    qurt_signal_t start; /* the job thread waits here */
    qurt_signal_t done;  /* the caller of phx_job_thread_call() waits here */
    void (*function)(void *argument);
    void *argument;
    bool is_stopping; /* set before the last signal */
};

/* Returns 0 or an AEE code of the DSP. The structure must not move until it is stopped. */
int phx_job_thread_start(struct phx_job_thread *job_thread);
void phx_job_thread_stop(struct phx_job_thread *job_thread);

/* Calls function(argument) on the job thread and returns when it has returned. One caller at a time. */
void phx_job_thread_call(struct phx_job_thread *job_thread, void (*function)(void *argument), void *argument);

#endif
