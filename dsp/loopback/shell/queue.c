/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include <string.h>
#include <unistd.h>

#include "deadline.h"
#include "futex.h"

#define EARLY_WAKEUP_DEFAULT_US 1000
#define EARLY_WAKEUP_MAX_US 2500

/* Flags of the packet header that the reader sees; the user-ready flag is internal. */
#define VISIBLE_FLAGS 0x7

bool queue_init(struct dspqueue *queue, const struct queue_side *side, void *owner, struct ring_block *block,
                uint32_t block_size) {
    memset(queue, 0, sizeof *queue);
    queue->side = side;
    queue->owner = owner;
    queue->block = block;
    queue->block_size = block_size;
    const struct ring_place *in = side->is_cpu ? &block->response : &block->request;
    const struct ring_place *out = side->is_cpu ? &block->request : &block->response;
    if (!ring_open(&queue->in, block, block_size, in) || !ring_open(&queue->out, block, block_size, out)) {
        return false;
    }
    pthread_mutex_init(&queue->lock, NULL);
    pthread_mutex_init(&queue->read_lock, NULL);
    return true;
}

void queue_destroy(struct dspqueue *queue) {
    pthread_mutex_destroy(&queue->lock);
    pthread_mutex_destroy(&queue->read_lock);
}

bool queue_is_dead(const struct dspqueue *queue) {
    return atomic_load(&queue->block->error) != 0;
}

static int shifted(const struct dspqueue *queue, int code) {
    bool plain = code == AEE_SUCCESS || code == AEE_EWOULDBLOCK || code == AEE_EINTERRUPTED;
    return plain ? code : (int)(queue->side->code_base + (uint32_t)code);
}

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void open_gate(struct dspqueue *queue) {
    if (queue->side->gate != NULL) {
        queue->side->gate(queue);
    }
}

typedef int attempt(struct dspqueue *queue, const void *packet);

/* Retries whenever the other side has advanced its count, until the deadline (NULL: none) or a death. */
static int try_until(struct dspqueue *queue, attempt *attempt, const void *packet, const _Atomic uint32_t *count,
                     const struct timespec *deadline) {
    bool in_time = true;
    for (;;) {
        uint32_t seen = atomic_load(count);
        int code = attempt(queue, packet);
        if (code != AEE_EWOULDBLOCK) {
            return code;
        }
        if (queue_is_dead(queue)) {
            return AEE_EINTERRUPTED;
        }
        if (!in_time) {
            return AEE_EEXPIRED;
        }
        in_time = futex_wait(count, seen, deadline);
    }
}

/* --- Reading --- */

static void set(uint32_t *where, uint32_t value) {
    if (where != NULL) {
        *where = value;
    }
}

static int take_packet(struct dspqueue *queue, const struct queue_read *want, const struct ring_packet *packet) {
    set(want->flags, packet->flags & VISIBLE_FLAGS);
    set(want->num_buffers, packet->n_buffers);
    set(want->message_length, packet->message_length);
    if (want->peek) {
        return AEE_SUCCESS;
    }
    if (packet->n_buffers > want->max_buffers || packet->message_length > want->max_message_length ||
        (packet->n_buffers != 0 && want->buffers == NULL) || (packet->message_length != 0 && want->message == NULL)) {
        return AEE_EBADPARM;
    }
    if (packet->n_buffers != 0) {
        memcpy(want->buffers, packet->buffers, packet->n_buffers * sizeof *want->buffers);
        int code = queue->side->buffers(queue, want->buffers, packet->n_buffers, true);
        if (code != AEE_SUCCESS) {
            return code;
        }
    }
    if (packet->message_length != 0) {
        memcpy(want->message, packet->message, packet->message_length);
    }
    ring_drop(&queue->in, packet);
    return AEE_SUCCESS;
}

/* The marker of dspqueue_write_early_wakeup_noblock announces a packet: waits briefly for it. The real library
 * spins. */
static void heed_early_wakeup(struct dspqueue *queue, uint32_t delay_us) {
    uint32_t limit = delay_us == 0 ? EARLY_WAKEUP_DEFAULT_US : delay_us;
    struct timespec deadline = deadline_after(limit < EARLY_WAKEUP_MAX_US ? limit : EARLY_WAKEUP_MAX_US);
    uint64_t start = now_us();
    bool in_time = true;
    for (;;) {
        uint32_t seen = atomic_load(&queue->in.write_state->packet_count);
        if (ring_used_bytes(&queue->in) != 0 || queue_is_dead(queue) || !in_time) {
            break;
        }
        in_time = futex_wait(&queue->in.write_state->packet_count, seen, &deadline);
    }
    pthread_mutex_lock(&queue->lock);
    queue->early_wakeup_us += now_us() - start;
    queue->early_wakeup_misses += ring_used_bytes(&queue->in) == 0;
    pthread_mutex_unlock(&queue->lock);
}

static int try_read(struct dspqueue *queue, const void *packet_wanted) {
    const struct queue_read *want = packet_wanted;
    for (;;) {
        struct ring_packet packet;
        int code = AEE_EWOULDBLOCK;
        uint32_t delay_us = 0;
        bool marker = false;

        open_gate(queue);
        pthread_mutex_lock(&queue->lock);
        enum ring_result result = ring_peek(&queue->in, &packet);
        if (result == RING_OK && (packet.flags & DSPQUEUE_PACKET_FLAG_WAKEUP) != 0) {
            marker = true;
            memcpy(&delay_us, packet.message, packet.message_length < 4 ? packet.message_length : 4);
            ring_drop(&queue->in, &packet);
        } else if (result == RING_OK) {
            code = take_packet(queue, want, &packet);
        } else if (result == RING_DAMAGED) {
            code = AEE_EBADITEM;
        }
        pthread_mutex_unlock(&queue->lock);
        if (!marker) {
            return code;
        }
        heed_early_wakeup(queue, delay_us);
    }
}

int queue_read_noblock(struct dspqueue *queue, const struct queue_read *want) {
    return shifted(queue, try_read(queue, want));
}

static void hang(void) {
    for (;;) {
        pause();
    }
}

int queue_read_wait(struct dspqueue *queue, const struct queue_read *want, uint32_t timeout_us) {
    bool endless = timeout_us == DSPQUEUE_TIMEOUT_NONE;
    if (endless && queue->side->is_cpu && queue_is_dead(queue)) {
        hang(); /* the real library hangs here, reproduced on purpose */
    }
    struct timespec deadline = deadline_after(endless ? 0 : timeout_us);
    pthread_mutex_t *readers = &queue->read_lock;
    if ((endless ? pthread_mutex_lock(readers) : pthread_mutex_timedlock(readers, &deadline)) != 0) {
        return shifted(queue, AEE_EEXPIRED);
    }
    int code = try_until(queue, try_read, want, &queue->in.write_state->packet_count, endless ? NULL : &deadline);
    pthread_mutex_unlock(readers);
    return shifted(queue, code);
}

/* --- Writing --- */

static int try_write(struct dspqueue *queue, const void *packet_given) {
    const struct queue_write *what = packet_given;
    uint32_t flags = what->flags | (what->num_buffers != 0 ? DSPQUEUE_PACKET_FLAG_BUFFERS : 0) |
                     (what->message_length != 0 ? DSPQUEUE_PACKET_FLAG_MESSAGE : 0);
    struct dspqueue_buffer buffers[RING_MAX_BUFFERS];

    if ((what->flags & DSPQUEUE_PACKET_FLAG_RESERVED_ZERO) != 0 || what->flags > 0xffff ||
        ring_packet_size(&queue->out, what->num_buffers, what->message_length) == 0 ||
        (what->num_buffers != 0 && what->buffers == NULL) || (what->message_length != 0 && what->message == NULL)) {
        return AEE_EBADPARM;
    }
    if (what->num_buffers != 0) {
        memcpy(buffers, what->buffers, what->num_buffers * sizeof buffers[0]); /* leaves the caller's array unchanged */
    }
    open_gate(queue);
    pthread_mutex_lock(&queue->lock);
    int code = AEE_SUCCESS;
    enum ring_result result = ring_room(&queue->out, what->num_buffers, what->message_length);
    if (result == RING_OK && what->num_buffers != 0) {
        code = queue->side->buffers(queue, buffers, what->num_buffers, false);
    }
    if (result == RING_OK && code == AEE_SUCCESS) {
        result = ring_write(&queue->out, flags, queue->sequence, what->num_buffers, buffers, what->message_length,
                            what->message);
        queue->sequence++;
    }
    pthread_mutex_unlock(&queue->lock);
    if (result != RING_OK) {
        return result == RING_EMPTY ? AEE_EWOULDBLOCK : AEE_EBADITEM;
    }
    return code;
}

static int write_to_dead(const struct dspqueue *queue) {
    return queue->side->is_cpu ? AEE_SUCCESS : AEE_EINTERRUPTED;
}

int queue_write_noblock(struct dspqueue *queue, const struct queue_write *what) {
    return shifted(queue, queue_is_dead(queue) ? write_to_dead(queue) : try_write(queue, what));
}

int queue_write_wait(struct dspqueue *queue, const struct queue_write *what, uint32_t timeout_us) {
    if (queue_is_dead(queue)) {
        return write_to_dead(queue);
    }
    bool endless = timeout_us == DSPQUEUE_TIMEOUT_NONE;
    struct timespec deadline = deadline_after(endless ? 0 : timeout_us);
    return shifted(queue,
                   try_until(queue, try_write, what, &queue->out.read_state->packet_count, endless ? NULL : &deadline));
}

int queue_early_wakeup(struct dspqueue *queue, uint32_t delay_us, uint32_t flags) {
    struct queue_write marker = {
        .flags = flags | DSPQUEUE_PACKET_FLAG_WAKEUP,
        .message_length = sizeof delay_us,
        .message = (const uint8_t *)&delay_us,
    };
    return queue_write_noblock(queue, &marker);
}

/* --- Statistics, callbacks --- */

int queue_stat(struct dspqueue *queue, enum dspqueue_stat stat, uint64_t *value) {
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&queue->lock);
    switch (stat) {
    case DSPQUEUE_STAT_READ_QUEUE_PACKETS:
        *value = ring_used_packets(&queue->in);
        break;
    case DSPQUEUE_STAT_READ_QUEUE_BYTES:
        *value = ring_used_bytes(&queue->in);
        break;
    case DSPQUEUE_STAT_WRITE_QUEUE_PACKETS:
        *value = ring_used_packets(&queue->out);
        break;
    case DSPQUEUE_STAT_WRITE_QUEUE_BYTES:
        *value = ring_used_bytes(&queue->out);
        break;
    case DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME:
        *value = queue->early_wakeup_us;
        queue->early_wakeup_us = 0;
        break;
    case DSPQUEUE_STAT_EARLY_WAKEUP_MISSES:
        *value = queue->early_wakeup_misses;
        queue->early_wakeup_misses = 0;
        break;
    case DSPQUEUE_STAT_SIGNALING_PERF:
        *value = 0; /* version 1 signalling, as in the Dragon Q6A's firmware */
        break;
    default:
        code = AEE_EBADPARM;
    }
    pthread_mutex_unlock(&queue->lock);
    return shifted(queue, code);
}

void queue_callback_loop(struct dspqueue *queue) {
    const _Atomic uint32_t *count = &queue->in.write_state->packet_count;
    uint32_t seen = 0;
    while (!atomic_load(&queue->stopping) && !queue_is_dead(queue)) {
        uint32_t now = atomic_load(count);
        if (now == seen) {
            futex_wait(count, now, NULL);
            continue;
        }
        seen = now;
        open_gate(queue);
        pthread_mutex_lock(&queue->read_lock);
        queue->packet_callback(queue, AEE_SUCCESS, queue->callback_context);
        pthread_mutex_unlock(&queue->read_lock);
    }
}

void queue_callback_stop(struct dspqueue *queue) {
    atomic_store(&queue->stopping, true);
    futex_wake_all(&queue->in.write_state->packet_count);
}
