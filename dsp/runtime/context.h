/* SPDX-License-Identifier: MIT
 *
 * One open handle of the skel.
 *
 * Locks, in acquisition order:
 *     control  start, stop, map and unmap run one at a time
 *     running  a request runs, or its resources change (threads, maps, queue). The queue's callback takes it for each
 *              packet, so nobody may hold it while waiting for that callback to end.
 * echo and info take neither.
 */
#ifndef PHX_CONTEXT_H
#define PHX_CONTEXT_H

#include <stdbool.h>

#include "execute.h"
#include "hap.h"
#include "probes/probe.h"
#include "qurt.h"

struct phx_queue {
    dspqueue_t queue;                /* NULL: no queue */
    bool is_closing;                 /* atomic: makes the callback stop waiting for space in the response queue */
    uint8_t *message;                /* the current packet: DSPQUEUE_MAX_MESSAGE_SIZE bytes */
    struct dspqueue_buffer *buffers; /* DSPQUEUE_MAX_BUFFERS of them */
};

struct phx_context {
    struct phx_context *next;
    uint64_t handle;
    uint32_t n_users; /* calls in progress, plus 1 while the handle is open; guarded by the registry's mutex */
    qurt_mutex_t control;
    qurt_mutex_t running;
    struct phx_engine engine;
    struct phx_queue queue;
    bool has_voted;      /* a clock vote is active */
    uint32_t n_threads;  /* atomic copy of the pool's thread count (0 before start), for info, which takes no lock */
    uint32_t vtcm_bytes; /* atomic copy of the size of the acquired VTCM, for info */
};

/* Creates a handle. Returns 0 or an AEE code of the DSP. */
int phx_context_open(uint64_t *handle);

/* Unregisters the handle. The context is freed when its last user releases it. */
int phx_context_close(uint64_t handle);

/* Returns the context of a handle with one more user, or NULL for an unknown handle. Pair with
 * phx_context_release(). */
struct phx_context *phx_context_acquire(uint64_t handle);
void phx_context_release(struct phx_context *context);

/* The methods of idl/pyhexagon.idl with the same names. */
int phx_context_start(struct phx_context *context, uint64_t queue_id, uint32_t n_threads);
int phx_context_stop(struct phx_context *context);
int phx_context_map(struct phx_context *context, int32_t fd, uint32_t size);
int phx_context_unmap(struct phx_context *context, int32_t fd);
int phx_context_add_workspace(struct phx_context *context, int32_t fd, uint32_t size);
int phx_context_set_power(struct phx_context *context, uint32_t power);
int phx_context_set_log(struct phx_context *context, int32_t fd, uint32_t n_bytes, uint32_t level);
int phx_context_run(struct phx_context *context, const void *request, size_t n_request, void *response,
                    size_t n_response);
int phx_context_load_kernel(struct phx_context *context, uint32_t number, const char *name, const void *image,
                            uint32_t n_bytes, bool is_path);
int phx_context_probe(struct phx_context *context, const struct phx_probe_request *request,
                      struct phx_probe_record records[PHX_MAX_THREADS]);

/* queue.c. The caller holds `running` for open, and must not hold it for close. */
int phx_queue_open(struct phx_context *context, uint64_t queue_id);
void phx_queue_close(struct phx_context *context);

#endif
