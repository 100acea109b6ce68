/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include <string.h>

#include "futex.h"

#define BUFFER_SIZE 24
#define HEADER_SIZE 8

/* A header word that is not a packet: an empty ring continues at 0. It is counted like a packet so that the reader
 * wakes up for it. The real library has no such word: there a packet that fits at neither end of an empty ring waits
 * for ever. */
#define WORD_REWIND 1

#define FLAG_USER_READY 16

#define POISON 0x80000000u

_Static_assert(sizeof(struct ring_block) == 48, "header of the shared block");
_Static_assert(offsetof(struct ring_block, response) == 28, "response place");
_Static_assert(sizeof(struct ring_state) == 12, "state of one end");

static uint32_t round_up(uint32_t value, uint32_t to) {
    return (value + to - 1) / to * to;
}

uint32_t ring_block_size(uint32_t request_size, uint32_t response_size) {
    return RING_ALIGN + 4 * RING_ALIGN + round_up(request_size, RING_ALIGN) + round_up(response_size, RING_ALIGN);
}

static uint32_t lay_out(struct ring_place *place, uint32_t offset, uint32_t size) {
    place->queue_offset = offset;
    place->queue_length = size;
    place->read_state_offset = offset + round_up(size, RING_ALIGN);
    place->write_state_offset = place->read_state_offset + RING_ALIGN;
    return place->write_state_offset + RING_ALIGN;
}

void ring_block_init(struct ring_block *block, uint32_t request_size, uint32_t response_size) {
    block->version = 1;
    block->queue_count = 1;
    uint32_t offset = lay_out(&block->request, RING_ALIGN, request_size);
    lay_out(&block->response, offset, response_size);
}

static bool inside(uint32_t offset, uint32_t size, uint32_t block_size, uint32_t align) {
    return offset % align == 0 && offset <= block_size && size <= block_size - offset;
}

bool ring_open(struct ring *ring, struct ring_block *block, uint32_t block_size, const struct ring_place *place) {
    struct ring_place at = *place; /* read once: the other end could change it */
    if (!inside(at.queue_offset, at.queue_length, block_size, 8) || at.queue_length % 8 != 0 || at.queue_length == 0 ||
        !inside(at.read_state_offset, sizeof(struct ring_state), block_size, 4) ||
        !inside(at.write_state_offset, sizeof(struct ring_state), block_size, 4)) {
        return false;
    }
    uint8_t *base = (uint8_t *)block;
    ring->base = base + at.queue_offset;
    ring->length = at.queue_length;
    ring->read_state = (struct ring_state *)(void *)(base + at.read_state_offset);
    ring->write_state = (struct ring_state *)(void *)(base + at.write_state_offset);
    return true;
}

uint32_t ring_packet_size(const struct ring *ring, uint32_t n_buffers, uint32_t message_length) {
    if (n_buffers > RING_MAX_BUFFERS || message_length > RING_MAX_MESSAGE) {
        return 0;
    }
    uint32_t size = round_up(HEADER_SIZE + n_buffers * BUFFER_SIZE + message_length, 8);
    return size <= ring->length - 8 ? size : 0;
}

static void put_word(struct ring *ring, uint32_t position, uint64_t word) {
    memcpy(ring->base + position, &word, sizeof word);
}

static void publish(struct ring_state *state, uint32_t position) {
    atomic_store_explicit(&state->position, position, memory_order_release);
    atomic_fetch_add(&state->packet_count, 1);
    futex_wake_all(&state->packet_count);
}

/* Finds the position of the next packet of `size` bytes. */
static enum ring_result find_room(struct ring *ring, uint32_t size, uint32_t *position) {
    uint32_t reader = atomic_load_explicit(&ring->read_state->position, memory_order_acquire);
    uint32_t writer = atomic_load_explicit(&ring->write_state->position, memory_order_relaxed);
    if (size == 0 || reader >= ring->length || writer >= ring->length || reader % 8 != 0 || writer % 8 != 0) {
        return RING_DAMAGED;
    }
    *position = writer;
    if (writer < reader) {
        return size < reader - writer ? RING_OK : RING_EMPTY;
    }
    uint32_t at_end = ring->length - writer;
    /* filling the ring to its end must not reach a reader at 0 */
    if (size < at_end || (size == at_end && reader != 0)) {
        return RING_OK;
    }
    if (size < reader) {
        *position = 0;
        return RING_OK;
    }
    if (writer == reader && writer != 0) {
        put_word(ring, writer, WORD_REWIND);
        publish(ring->write_state, 0);
    }
    return RING_EMPTY;
}

enum ring_result ring_room(struct ring *ring, uint32_t n_buffers, uint32_t message_length) {
    uint32_t position;
    return find_room(ring, ring_packet_size(ring, n_buffers, message_length), &position);
}

enum ring_result ring_write(struct ring *ring, uint32_t flags, uint8_t sequence, uint32_t n_buffers,
                            const void *buffers, uint32_t message_length, const void *message) {
    uint32_t size = ring_packet_size(ring, n_buffers, message_length);
    uint32_t writer;
    enum ring_result result = find_room(ring, size, &writer);
    if (result != RING_OK) {
        return result;
    }
    uint64_t word = (uint64_t)(HEADER_SIZE + n_buffers * BUFFER_SIZE + message_length) |
                    (uint64_t)((flags & 0xffff) | FLAG_USER_READY) << 32 | (uint64_t)n_buffers << 48 |
                    (uint64_t)sequence << 56;
    uint32_t end = atomic_load_explicit(&ring->write_state->position, memory_order_relaxed);
    if (end != writer) {
        put_word(ring, end, word); /* its length tells the reader that the packet does not fit there */
    }
    put_word(ring, writer, word);
    if (n_buffers != 0) {
        memcpy(ring->base + writer + HEADER_SIZE, buffers, n_buffers * BUFFER_SIZE);
    }
    if (message_length != 0) {
        memcpy(ring->base + writer + HEADER_SIZE + n_buffers * BUFFER_SIZE, message, message_length);
    }
    publish(ring->write_state, (writer + size) % ring->length);
    return RING_OK;
}

enum ring_result ring_peek(struct ring *ring, struct ring_packet *packet) {
    uint32_t reader = atomic_load_explicit(&ring->read_state->position, memory_order_relaxed);
    uint32_t writer = atomic_load_explicit(&ring->write_state->position, memory_order_acquire);
    if (reader >= ring->length || writer >= ring->length || reader % 8 != 0 || writer % 8 != 0) {
        return RING_DAMAGED;
    }
    if (reader == writer) {
        return RING_EMPTY;
    }
    uint64_t word;
    memcpy(&word, ring->base + reader, sizeof word);
    if (word == WORD_REWIND && reader > writer) {
        publish(ring->read_state, 0);
        if (writer == 0) {
            return RING_EMPTY;
        }
        reader = 0;
        memcpy(&word, ring->base, sizeof word);
    }
    uint32_t length = (uint32_t)word;
    if (length > ring->length - reader) { /* the packet is at the beginning */
        if (reader < writer || writer == 0) {
            return RING_DAMAGED;
        }
        reader = 0;
        memcpy(&word, ring->base, sizeof word);
        length = (uint32_t)word;
    }
    uint32_t n_buffers = (uint32_t)(word >> 48) & 0xff;
    uint32_t filled = writer > reader ? writer - reader : ring->length - reader;
    if (length > filled || n_buffers > RING_MAX_BUFFERS || length < HEADER_SIZE + n_buffers * BUFFER_SIZE ||
        length - HEADER_SIZE - n_buffers * BUFFER_SIZE > RING_MAX_MESSAGE) {
        return RING_DAMAGED;
    }
    packet->position = reader;
    packet->next = (reader + round_up(length, 8)) % ring->length;
    packet->flags = (uint32_t)(word >> 32) & 0xffff;
    packet->n_buffers = n_buffers;
    packet->message_length = length - HEADER_SIZE - n_buffers * BUFFER_SIZE;
    packet->buffers = ring->base + reader + HEADER_SIZE;
    packet->message = packet->buffers + n_buffers * BUFFER_SIZE;
    return RING_OK;
}

void ring_drop(struct ring *ring, const struct ring_packet *packet) {
    publish(ring->read_state, packet->next);
}

uint32_t ring_used_packets(const struct ring *ring) {
    return atomic_load(&ring->write_state->packet_count) - atomic_load(&ring->read_state->packet_count);
}

uint32_t ring_used_bytes(const struct ring *ring) {
    uint32_t reader = atomic_load(&ring->read_state->position);
    uint32_t writer = atomic_load(&ring->write_state->position);
    return writer >= reader ? writer - reader : ring->length - reader + writer;
}

void ring_poison(struct ring_block *block, uint32_t block_size, int32_t error) {
    const struct ring_place *places[] = {&block->request, &block->response};
    if (atomic_exchange(&block->error, error) != 0) {
        return; /* already done; flipping twice would undo it */
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct ring ring;
        if (ring_open(&ring, block, block_size, places[i])) {
            _Atomic uint32_t *counts[] = {&ring.read_state->packet_count, &ring.write_state->packet_count};
            for (size_t j = 0; j < 2; j++) {
                atomic_fetch_xor(counts[j], POISON);
                futex_wake_all(counts[j]);
            }
        }
    }
}
