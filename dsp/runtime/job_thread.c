/* SPDX-License-Identifier: MIT
 *
 * Signals are latched: a signal that is set before its waiter waits ends that wait at once. Each call sets each signal
 * exactly once, so none is lost and none is left over.
 */
#include "job_thread.h"

#include "pool.h"

#define SIGNAL 1u

static void await(qurt_signal_t *signal) {
    qurt_signal_wait(signal, SIGNAL, QURT_SIGNAL_ATTR_WAIT_ANY);
    qurt_signal_clear(signal, SIGNAL);
}

static void serve(void *argument) {
    struct phx_job_thread *job_thread = argument;
    for (await(&job_thread->start); !job_thread->is_stopping; await(&job_thread->start)) {
        job_thread->function(job_thread->argument);
        qurt_signal_set(&job_thread->done, SIGNAL);
    }
    qurt_thread_exit(QURT_EOK);
}

int phx_job_thread_start(struct phx_job_thread *job_thread) {
    job_thread->is_stopping = false;
    qurt_signal_init(&job_thread->start);
    qurt_signal_init(&job_thread->done);
    int error = phx_thread_start(&job_thread->thread, PHX_POOL_STACK_BYTES, serve, job_thread);
    if (error) {
        qurt_signal_destroy(&job_thread->start);
        qurt_signal_destroy(&job_thread->done);
    }
    return error;
}

void phx_job_thread_stop(struct phx_job_thread *job_thread) {
    job_thread->is_stopping = true;
    qurt_signal_set(&job_thread->start, SIGNAL);
    phx_thread_join(&job_thread->thread);
    qurt_signal_destroy(&job_thread->start);
    qurt_signal_destroy(&job_thread->done);
}

void phx_job_thread_call(struct phx_job_thread *job_thread, void (*function)(void *argument), void *argument) {
    job_thread->function = function;
    job_thread->argument = argument;
    qurt_signal_set(&job_thread->start, SIGNAL);
    await(&job_thread->done);
}
