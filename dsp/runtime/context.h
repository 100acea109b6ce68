/* SPDX-License-Identifier: MIT
 *
 * One open handle of the skel.
 *
 * Locks, in the order they are taken:
 *     control  start, stop, map, unmap: one at a time
 *     running  a request runs, or what it uses changes (threads, maps, queue). The queue's callback takes it for each
 *              packet, so it is never held while waiting for that callback to end.
 * echo and info take neither.
 */
#ifndef PHX_CONTEXT_H
#define PHX_CONTEXT_H

#include <stdbool.h>

#include "execute.h"
#include "hap.h"
#include "qurt.h"

struct phx_queue {
    dspqueue_t queue;                /* NULL: none */
    bool is_closing;                 /* atomic: the callback gives up waiting for room */
    uint8_t *message;                /* the packet at hand: DSPQUEUE_MAX_MESSAGE_SIZE bytes */
    struct dspqueue_buffer *buffers; /* and DSPQUEUE_MAX_BUFFERS of these */
};

struct phx_context {
    struct phx_context *next;
    uint64_t handle;
    uint32_t n_users; /* calls inside, and 1 while it is open; guarded by the registry's mutex */
    qurt_mutex_t control;
    qurt_mutex_t running;
    struct phx_engine engine;
    struct phx_queue queue;
    bool has_voted;      /* for clocks */
    uint32_t n_threads;  /* atomic: those of the pool once it is started, 0 before; for info, which takes no lock */
    uint32_t vtcm_bytes; /* likewise: what it holds of VTCM */
};

/* A new handle, or an AEE code of the DSP. */
int phx_context_open(uint64_t *handle);

/* The handle is unknown from now on; the context goes with its last user. */
int phx_context_close(uint64_t handle);

/* NULL for an unknown handle. Every acquired context is released. */
struct phx_context *phx_context_acquire(uint64_t handle);
void phx_context_release(struct phx_context *context);

/* The methods of the same names. */
int phx_context_start(struct phx_context *context, uint64_t queue_id, uint32_t n_threads);
int phx_context_stop(struct phx_context *context);
int phx_context_map(struct phx_context *context, int32_t fd, uint32_t size);
int phx_context_unmap(struct phx_context *context, int32_t fd);
int phx_context_set_power(struct phx_context *context, uint32_t power);
int phx_context_set_log(struct phx_context *context, int32_t fd, uint32_t n_bytes, uint32_t level);
int phx_context_run(struct phx_context *context, const void *request, size_t n_request, void *response,
                    size_t n_response);

/* queue.c. Open is called with `running` held, close without. */
int phx_queue_open(struct phx_context *context, uint64_t queue_id);
void phx_queue_close(struct phx_context *context);

#endif
