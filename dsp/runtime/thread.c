/* SPDX-License-Identifier: MIT */
#include "thread.h"

#include "hap.h"
#include "libc.h"

#define LOWEST_PRIORITY 254

int phx_thread_start(struct phx_thread *thread, uint32_t n_stack, void (*entry)(void *), void *argument) {
    thread->stack = phx_memalign(16, n_stack);
    if (!thread->stack) {
        return DSP_ENOMEMORY;
    }
    int priority = qurt_thread_get_priority(qurt_thread_get_id()); /* FASTRPC_THREAD_PARAMS may say 255 */
    qurt_thread_attr_t attr = {
        .name = "pyhexagon",
        .priority = (uint16_t)(priority < LOWEST_PRIORITY ? priority : LOWEST_PRIORITY),
        .bus_priority = QURT_BUS_PRIORITY_DEFAULT,
        .timetest_id = QURT_TIMETEST_ID_DEFAULT,
        .stack_size = n_stack,
        .stack = thread->stack,
    };
    if (qurt_thread_create(&thread->id, &attr, entry, argument) != QURT_EOK) {
        phx_free(thread->stack);
        return DSP_ETHREADCREATE;
    }
    return AEE_SUCCESS;
}

void phx_thread_join(struct phx_thread *thread) {
    int status;
    qurt_thread_join(thread->id, &status);
    phx_free(thread->stack);
}
