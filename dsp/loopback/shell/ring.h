/* SPDX-License-Identifier: MIT
 *
 * The shared block of a dspqueue and its two packet rings. One source for both ends: the CPU end in the loopback, the
 * DSP end in the host engine's shell and in the PD that runs under QEMU. The layout is the real library's.
 *
 *     struct ring_block, padded to 256
 *     request ring        CPU writes, DSP reads     round256(bytes), then read state and write state, 256 each
 *     response ring       DSP writes, CPU reads     round256(bytes), then read state and write state, 256 each
 *
 * A packet is one header word, its buffers, its message, padded to 8 bytes. It never wraps: a writer without room at
 * the end stores the header word there, and the packet, header included, at 0. Positions are byte offsets; equal
 * positions mean empty, so a ring of n bytes holds at most n - 8.
 *
 * Signals. Each end counts the packets that it wrote or read in its state's packet_count, and wakes sleepers on that
 * word: a reader sleeps on the writer's count, a writer without room on the reader's count. To end all waits
 * permanently, ring_poison() sets `error` first and then flips the top bit of each count, so that a waiter that read
 * `error` just before cannot fall asleep.
 *
 * The other end is not trusted: every offset and length is checked against private values.
 */
#ifndef SHELL_RING_H
#define SHELL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_ALIGN 256
#define RING_MAX_BUFFERS 64
#define RING_MAX_MESSAGE 65536
#define RING_MAX_PACKET (8 + RING_MAX_BUFFERS * 24 + RING_MAX_MESSAGE)

struct ring_place {
    uint32_t queue_offset;
    uint32_t queue_length;
    uint32_t read_state_offset;
    uint32_t write_state_offset;
};

struct ring_state {
    _Atomic uint32_t position;
    _Atomic uint32_t packet_count;
    _Atomic uint32_t wait_count; /* stays 0: this is version 1 signalling */
};

struct ring_block {
    uint32_t version;
    _Atomic int32_t error; /* not 0: the other side has ended */
    uint32_t flags;
    struct ring_place request;
    struct ring_place response;
    uint32_t queue_count;
};

/* One end's view of a ring. */
struct ring {
    uint8_t *base;
    uint32_t length;
    struct ring_state *read_state;
    struct ring_state *write_state;
};

/* A packet in the ring. */
struct ring_packet {
    uint32_t position;
    uint32_t next; /* position behind it */
    uint32_t flags;
    uint32_t n_buffers;
    uint32_t message_length;
    const uint8_t *buffers; /* 24 bytes each */
    const uint8_t *message;
};

enum ring_result {
    RING_OK,
    RING_EMPTY,  /* for a writer: full */
    RING_DAMAGED /* the other end has written invalid data */
};

/* Returns the bytes of a block with rings of these sizes, which must be multiples of 8. */
uint32_t ring_block_size(uint32_t request_size, uint32_t response_size);

/* Initializes the layout of a zeroed block. */
void ring_block_init(struct ring_block *block, uint32_t request_size, uint32_t response_size);

/* Opens one of its rings. Returns false when its places are not within block_size. */
bool ring_open(struct ring *ring, struct ring_block *block, uint32_t block_size, const struct ring_place *place);

/* Returns the bytes that a packet takes; 0 when it can never fit. */
uint32_t ring_packet_size(const struct ring *ring, uint32_t n_buffers, uint32_t message_length);

/* Returns whether a packet has room now. Rewinds an empty ring to 0 if it stands too close to its end, which takes
 * effect when the reader looks next. */
enum ring_result ring_room(struct ring *ring, uint32_t n_buffers, uint32_t message_length);

/* Appends a packet if there is room, and wakes the reader. */
enum ring_result ring_write(struct ring *ring, uint32_t flags, uint8_t sequence, uint32_t n_buffers,
                            const void *buffers, uint32_t message_length, const void *message);

/* Finds the oldest packet and leaves it in the ring. */
enum ring_result ring_peek(struct ring *ring, struct ring_packet *packet);

/* Removes the packet that ring_peek() found, and wakes the writer. */
void ring_drop(struct ring *ring, const struct ring_packet *packet);

uint32_t ring_used_packets(const struct ring *ring);
uint32_t ring_used_bytes(const struct ring *ring);

/* Ends every wait on the block, now and later. */
void ring_poison(struct ring_block *block, uint32_t block_size, int32_t error);

#endif
