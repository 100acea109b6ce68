/* SPDX-License-Identifier: MIT
 *
 * Weight tiles on their way from memory through VTCM: while a thread multiplies some of them, DMA brings the next. Each
 * thread has a stream of its own, in its part of VTCM, which is two buffers.
 */
#ifndef PHX_STREAM_H
#define PHX_STREAM_H

#include "dma.h"
#include "kernels.h"
#include "vtcm.h"

#define PHX_STREAM_TILES 4 /* at once at most */

struct phx_stream {
    const struct phx_matmul *mm;
    uint8_t *buffers; /* two, buffer_bytes apart; NULL: everything is read from memory */
    uint32_t buffer_bytes;
    uint32_t n_at_once;
    uint32_t next, last; /* tiles to start, and the end */
    uint32_t arriving;   /* the buffer that DMA fills */
    uint32_t n_arriving; /* tiles; 0: none */
    uint64_t dma_bytes;  /* moved */
    struct phx_dma dma __attribute__((aligned(64)));

    /* What phx_stream_next() brought. */
    const uint8_t *tiles;
    uint32_t first_tile;
    uint32_t n_tiles;
};

/* Begins with tiles first..last-1, n_at_once of them at a time, in part number `thread` of n_threads equal ones. */
void phx_stream_open(struct phx_stream *stream, const struct phx_vtcm *vtcm, uint32_t thread, uint32_t n_threads,
                     const struct phx_matmul *mm, uint32_t n_at_once, uint32_t first, uint32_t last);

/* The next tiles, which stay where they are until the next call; false after the last. Then the engine is idle. */
bool phx_stream_next(struct phx_stream *stream);

#endif
