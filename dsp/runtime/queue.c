/* SPDX-License-Identifier: MIT
 *
 * Requests through dspqueue.
 *
 * Life of a packet: the shell calls on_packet() on its own thread when packets have arrived. The callback reads all of
 * them, one at a time under `running`, so requests of the queue and of plain invokes alternate. It answers each packet
 * with one packet that has the same buffers; a buffer that came with a reference (REF) returns with the reference
 * released (DEREF). An invalid packet is answered with an error result.
 *
 * Closing: `is_closing` ends a callback that waits for space in the response queue. dspqueue_close waits until the
 * callback has returned, so no memory is freed while it is in use. The packet memory has the maximum size of a packet:
 * a packet that did not fit would block the head of the queue forever.
 */
#include "context.h"

#include "libc.h"

#define WRITE_TIMEOUT_US 20000

/* Cleans and invalidates the cache lines of a packet's buffer. */
static void clean_buffer(const struct dspqueue_buffer *buffer) {
    qurt_mem_cache_clean((uintptr_t)buffer->ptr, buffer->size, QURT_MEM_CACHE_FLUSH_INVALIDATE, QURT_MEM_DCACHE);
}

static int run(struct phx_context *context, const struct dspqueue_buffer *buffers, uint32_t n_buffers) {
    if (n_buffers != 2 || !buffers[0].ptr || !buffers[1].ptr) {
        return DSP_EBADPARM;
    }
    const struct dspqueue_buffer *request = &buffers[0];
    const struct dspqueue_buffer *response = &buffers[1];
    clean_buffer(request);
    clean_buffer(response); /* lines that the CPU has written would shadow ours */
    int error = phx_execute(&context->engine, request->ptr, request->size, response->ptr, response->size);
    clean_buffer(response);
    return error;
}

/* Executes the packet and writes the answer in place of the message. */
static void handle(struct phx_context *context, const struct dspqueue_buffer *buffers, uint32_t n_buffers,
                   uint32_t n_message) {
    struct phx_message message;
    if (n_message < sizeof(message)) {
        return; /* no room for a result: the message returns unchanged */
    }
    memcpy(&message, context->queue.message, sizeof(message));
    if (message.kind == PHX_MESSAGE_ECHO) {
        return;
    }
    message.result = (uint32_t)DSP_EBADPARM;
    if (message.kind == PHX_MESSAGE_RUN && n_message == sizeof(message)) {
        message.result = (uint32_t)run(context, buffers, n_buffers);
    }
    memcpy(context->queue.message, &message, sizeof(message));
}

static void answer(struct phx_context *context, uint32_t n_buffers, uint32_t n_message) {
    struct phx_queue *queue = &context->queue;
    for (uint32_t i = 0; i < n_buffers; i++) {
        queue->buffers[i].flags = queue->buffers[i].flags & DSPQUEUE_BUFFER_FLAG_REF ? DSPQUEUE_BUFFER_FLAG_DEREF : 0;
    }
    AEEResult error;
    do {
        error = dspqueue_write(queue->queue, 0, n_buffers, queue->buffers, n_message, queue->message, WRITE_TIMEOUT_US);
    } while ((error == DSP_EEXPIRED || error == AEE_EEXPIRED) &&
             !__atomic_load_n(&queue->is_closing, __ATOMIC_ACQUIRE));
    if (error) {
        phx_log_write(&context->engine.log, PHX_LOG_ERROR, "dspqueue: answer lost, 0x%x", (unsigned)error);
    }
}

/* Serves one packet. Returns false if the queue is empty. */
static bool serve(struct phx_context *context) {
    struct phx_queue *queue = &context->queue;
    uint32_t flags;
    uint32_t n_buffers = 0;
    uint32_t n_message = 0;
    AEEResult error = dspqueue_read_noblock(queue->queue, &flags, DSPQUEUE_MAX_BUFFERS, &n_buffers, queue->buffers,
                                            DSPQUEUE_MAX_MESSAGE_SIZE, &n_message, queue->message);
    if (error) {
        if (error != AEE_EWOULDBLOCK) {
            phx_log_write(&context->engine.log, PHX_LOG_ERROR, "dspqueue: unreadable packet, 0x%x", (unsigned)error);
        }
        return false;
    }
    handle(context, queue->buffers, n_buffers, n_message);
    answer(context, n_buffers, n_message);
    return true;
}

static void on_packet(dspqueue_t queue, AEEResult error, void *argument) {
    struct phx_context *context = argument;
    (void)queue;
    (void)error;
    bool is_more = true;
    while (is_more) {
        qurt_mutex_lock(&context->running);
        is_more = context->queue.queue && !__atomic_load_n(&context->queue.is_closing, __ATOMIC_ACQUIRE) &&
                  serve(context);
        qurt_mutex_unlock(&context->running);
    }
}

/* The host is gone or has closed its side, so answers are no longer delivered. */
static void on_error(dspqueue_t queue, AEEResult error, void *argument) {
    struct phx_context *context = argument;
    (void)queue;
    phx_log_write(&context->engine.log, PHX_LOG_ERROR, "dspqueue: error 0x%x", (unsigned)error);
    __atomic_store_n(&context->queue.is_closing, true, __ATOMIC_RELEASE);
}

static void free_packet(struct phx_queue *queue) {
    phx_free(queue->message);
    phx_free(queue->buffers);
    *queue = (struct phx_queue){0};
}

int phx_queue_open(struct phx_context *context, uint64_t queue_id) {
    struct phx_queue *queue = &context->queue;
    queue->message = phx_malloc(DSPQUEUE_MAX_MESSAGE_SIZE);
    queue->buffers = phx_malloc(DSPQUEUE_MAX_BUFFERS * sizeof(*queue->buffers));
    int error = DSP_ENOMEMORY;
    if (queue->message && queue->buffers) {
        error = dspqueue_import(queue_id, on_packet, on_error, context, &queue->queue);
    }
    if (error) {
        free_packet(queue);
    }
    return error;
}

void phx_queue_close(struct phx_context *context) {
    struct phx_queue *queue = &context->queue;
    if (queue->queue) { /* changes only under `control`, which the caller holds */
        __atomic_store_n(&queue->is_closing, true, __ATOMIC_RELEASE);
        dspqueue_close(queue->queue);
        qurt_mutex_lock(&context->running);
        free_packet(queue);
        qurt_mutex_unlock(&context->running);
    }
}
