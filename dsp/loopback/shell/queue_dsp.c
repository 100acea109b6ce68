/* SPDX-License-Identifier: MIT
 *
 * The DSP's end of a dspqueue.
 */
#include <stdlib.h>

#include "deadline.h"
#include "pd.h"
#include "queue.h"
#include "shell.h"

#define CALLBACK_STACK 16384 /* unknown on boards: the default of FastRPC threads, so that no skel relies on more */

struct import {
    struct dspqueue queue;
    struct shell_pd *pd;
    uint64_t id;
    bool has_thread; /* both protected by the PD's lock */
    uint32_t thread_id;
};

static int resolve(struct dspqueue *queue, struct dspqueue_buffer *buffers, uint32_t n_buffers, bool reading) {
    struct import *import = queue->owner;
    for (uint32_t i = 0; i < n_buffers; i++) {
        struct shell_mapping mapping;
        if (!shell_mapping_find(import->pd, (int)buffers[i].fd, &mapping)) {
            return AEE_ENOSUCHMAP;
        }
        bool whole = buffers[i].size == 0 && buffers[i].offset == 0;
        uint64_t size = whole ? mapping.size : buffers[i].size;
        if (size == 0 || buffers[i].offset > mapping.size || size > mapping.size - buffers[i].offset) {
            return reading ? AEE_EBADITEM : AEE_EBADPARM;
        }
        if (reading) {
            buffers[i].size = (uint32_t)size;
            buffers[i].address = 0; /* ptr is the lower half on the DSP */
            buffers[i].ptr = (uint8_t *)mapping.address + buffers[i].offset;
        }
    }
    return AEE_SUCCESS;
}

static void gate(struct dspqueue *queue) {
    (void)queue;
    shell_gate();
}

const struct queue_side shell_queue_side = {
    .code_base = 0x80000400u,
    .buffers = resolve,
    .gate = gate,
    .is_cpu = false,
};

static void callback_thread(void *argument) {
    struct import *import = argument;
    struct shell_thread *self = shell_self();
    pthread_mutex_lock(&import->pd->lock);
    import->thread_id = self->id;
    pthread_mutex_unlock(&import->pd->lock);
    queue_callback_loop(&import->queue);
    shell_leave_if_dead();
    pthread_mutex_lock(&import->pd->lock);
    import->has_thread = false;
    pthread_cond_broadcast(&import->pd->ended);
    pthread_mutex_unlock(&import->pd->lock);
}

AEEResult dspqueue_import(uint64_t id, dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *context, dspqueue_t *queue) {
    struct shell_thread *self = shell_self();
    void *block;
    uint32_t size;
    if (self == NULL || queue == NULL) {
        return AEE_DSP(AEE_EBADPARM);
    }
    shell_leave_if_dead();
    if (self->pd->dspqueue_import != AEE_SUCCESS) {
        return self->pd->dspqueue_import;
    }
    if (!shell_queue_import(self->pd, id, &block, &size)) {
        return AEE_DSP(AEE_EBADPARM);
    }
    struct import *import = __wrap_calloc(1, sizeof *import);
    if (import == NULL) {
        shell_queue_release(self->pd, id);
        return AEE_DSP(AEE_ENOMEMORY);
    }
    import->pd = self->pd;
    import->id = id;
    if (!queue_init(&import->queue, &shell_queue_side, import, block, size)) {
        shell_queue_release(self->pd, id);
        __wrap_free(import);
        return AEE_DSP(AEE_EBADITEM);
    }
    import->queue.packet_callback = packet_callback;
    import->queue.error_callback = error_callback;
    import->queue.callback_context = context;
    *queue = &import->queue; /* before the first callback */
    if (packet_callback != NULL) {
        import->has_thread = true;
        const struct shell_thread_attr attr = {"dspqueue", self->priority, SHELL_TIMETEST_ID, CALLBACK_STACK, false};
        if (shell_thread_start(self->pd, &attr, callback_thread, import) == NULL) {
            shell_queue_release(self->pd, id);
            queue_destroy(&import->queue);
            __wrap_free(import);
            *queue = NULL;
            return AEE_DSP(AEE_EQURTTHREADCREATE);
        }
    }
    return AEE_SUCCESS;
}

/* Returns 0x8000040d when called from the queue's own packet callback. */
int shell_dspqueue_close(dspqueue_t queue) {
    struct import *import = queue->owner;
    struct shell_thread *self = shell_self();
    struct shell_pd *pd = import->pd;
    if (self == NULL || self->pd != pd) {
        return AEE_DSP(AEE_EBADPARM);
    }
    pthread_mutex_lock(&pd->lock);
    if (import->has_thread && import->thread_id == self->id) {
        pthread_mutex_unlock(&pd->lock);
        return AEE_DSP(AEE_EBADSTATE);
    }
    while (import->has_thread && !atomic_load(&pd->dead)) {
        struct timespec soon = deadline_after(1000);
        queue_callback_stop(queue);
        pthread_cond_timedwait(&pd->ended, &pd->lock, &soon);
    }
    pthread_mutex_unlock(&pd->lock);
    shell_leave_if_dead();
    shell_queue_release(pd, import->id);
    queue_destroy(queue);
    __wrap_free(import);
    return AEE_SUCCESS;
}
