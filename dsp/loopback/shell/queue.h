/* SPDX-License-Identifier: MIT
 *
 * One end of a dspqueue: the common part of the CPU's and the DSP's dspqueue_* functions. struct queue_side holds the
 * differences (how a packet's buffers are resolved, the base of the error codes, the effect of a dead peer).
 */
#ifndef SHELL_QUEUE_H
#define SHELL_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>

#include "../abi.h"
#include "ring.h"

struct queue_side {
    uint32_t code_base; /* 0x80000400 on the DSP */

    /* Checks the buffers of a packet and applies REF and DEREF, all of them or none. When reading, also sets ptr and
     * replaces size 0 by the mapped size. Returns a plain AEE code; called with the queue's lock held. */
    int (*buffers)(struct dspqueue *queue, struct dspqueue_buffer *buffers, uint32_t n_buffers, bool reading);

    /* Returns when the end may access its rings: a stalled PD waits here. May be NULL. */
    void (*gate)(struct dspqueue *queue);

    /* Set on the CPU end only: writes to a dead DSP are discarded, and an endless read from it hangs, as in the real
     * library. */
    bool is_cpu;
};

struct dspqueue {
    const struct queue_side *side;
    void *owner; /* the side's own record */
    struct ring_block *block;
    uint32_t block_size;
    struct ring in;
    struct ring out;
    pthread_mutex_t lock;      /* one operation on the rings at a time */
    pthread_mutex_t read_lock; /* one blocking reader or packet callback at a time */
    uint8_t sequence;
    uint64_t early_wakeup_us;
    uint64_t early_wakeup_misses;
    dspqueue_callback_t packet_callback;
    dspqueue_callback_t error_callback;
    void *callback_context;
    _Atomic bool stopping; /* asks the callback thread to leave */
};

/* The outputs of a read or a peek; NULL pointers are not filled in. */
struct queue_read {
    bool peek;
    uint32_t *flags;
    uint32_t max_buffers;
    uint32_t *num_buffers;
    struct dspqueue_buffer *buffers;
    uint32_t max_message_length;
    uint32_t *message_length;
    uint8_t *message;
};

struct queue_write {
    uint32_t flags;
    uint32_t num_buffers;
    struct dspqueue_buffer *buffers;
    uint32_t message_length;
    const uint8_t *message;
};

/* Opens a block that is already initialized. Returns false when its layout is invalid. `cpu` writes requests, the other
 * end responses. */
bool queue_init(struct dspqueue *queue, const struct queue_side *side, void *owner, struct ring_block *block,
                uint32_t block_size);
void queue_destroy(struct dspqueue *queue);
bool queue_is_dead(const struct dspqueue *queue);

/* These return the codes that the caller of dspqueue_* sees, base included. */
int queue_read_noblock(struct dspqueue *queue, const struct queue_read *want);
int queue_read_wait(struct dspqueue *queue, const struct queue_read *want, uint32_t timeout_us);
int queue_write_noblock(struct dspqueue *queue, const struct queue_write *what);
int queue_write_wait(struct dspqueue *queue, const struct queue_write *what, uint32_t timeout_us);
int queue_early_wakeup(struct dspqueue *queue, uint32_t delay_us, uint32_t flags);
int queue_stat(struct dspqueue *queue, enum dspqueue_stat stat, uint64_t *value);

/* Body of the thread that calls the packet callback. Ends when the queue dies or after queue_callback_stop(). */
void queue_callback_loop(struct dspqueue *queue);

/* Tells the callback loop to leave, and wakes it. The loop may miss one wake: repeat until its thread has ended. */
void queue_callback_stop(struct dspqueue *queue);

#endif
