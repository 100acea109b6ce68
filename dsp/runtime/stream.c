/* SPDX-License-Identifier: MIT
 *
 * One DMA is under way at a time: when its tiles are wanted it is waited for, and the next one, to the other buffer,
 * begins before they are multiplied.
 */
#include "stream.h"

#define N_BUFFERS 2

static const uint8_t *tile_in_memory(const struct phx_stream *stream, uint32_t tile) {
    return stream->mm->tiles + (size_t)tile * stream->mm->tile_bytes;
}

static uint8_t *buffer(const struct phx_stream *stream, uint32_t number) {
    return stream->buffers + (size_t)number * stream->buffer_bytes;
}

static uint32_t n_until(const struct phx_stream *stream, uint32_t first) {
    return stream->last - first < stream->n_at_once ? stream->last - first : stream->n_at_once;
}

/* Has the next tiles, if any, brought to the buffer `arriving`. */
static void start(struct phx_stream *stream) {
    uint32_t n_tiles = n_until(stream, stream->next);
    uint32_t n_bytes = n_tiles * stream->mm->tile_bytes;
    stream->n_arriving = n_tiles;
    if (n_tiles) {
        phx_dma_set(&stream->dma, NULL, tile_in_memory(stream, stream->next), buffer(stream, stream->arriving), n_bytes);
        phx_dma_start(&stream->dma);
    }
}

void phx_stream_open(struct phx_stream *stream, const struct phx_vtcm *vtcm, uint32_t thread, uint32_t n_threads,
                     const struct phx_matmul *mm, uint32_t n_at_once, uint32_t first, uint32_t last) {
    uint32_t part = vtcm->n_bytes / n_threads;
    *stream = (struct phx_stream){.mm = mm, .n_at_once = n_at_once, .next = first, .last = last};
    part = part < N_BUFFERS * PHX_DMA_BYTES_MAX ? part : N_BUFFERS * PHX_DMA_BYTES_MAX;
    stream->buffer_bytes = part / N_BUFFERS / PHX_VECTOR * PHX_VECTOR;
    if (vtcm->data && (uint64_t)n_at_once * mm->tile_bytes <= stream->buffer_bytes) {
        stream->buffers = vtcm->data + (size_t)thread * N_BUFFERS * stream->buffer_bytes;
        start(stream);
    } else {
        stream->n_at_once = last - first;
    }
}

bool phx_stream_next(struct phx_stream *stream) {
    stream->first_tile = stream->next;
    stream->n_tiles = n_until(stream, stream->next);
    stream->next += stream->n_tiles;
    if (stream->n_tiles == 0) {
        return false;
    }
    stream->tiles = tile_in_memory(stream, stream->first_tile);
    if (stream->n_arriving) {
        if (phx_dma_wait()) {
            stream->tiles = buffer(stream, stream->arriving);
            stream->arriving = 1 - stream->arriving;
            stream->dma_bytes += stream->n_arriving * stream->mm->tile_bytes;
            start(stream);
        } else {
            stream->n_arriving = 0; /* the rest is read from memory */
        }
    }
    return true;
}
