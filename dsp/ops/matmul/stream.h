/* SPDX-License-Identifier: MIT
 *
 * Prefetching of weight tiles: while a thread multiplies a piece, DMA copies the next piece from memory to VTCM. Each
 * thread has a stream of its own, with two buffers in its part of VTCM, or one buffer for a slice that fits both.
 * Without VTCM, or where plan.h prefers it, a stream prefetches pieces into the cache that all threads share. pieces.h
 * plans the pieces.
 *
 * A thread may open its next slice while it still uses the last piece of the slice before, so the DMA engine does not
 * idle between slices, nor between the products of a program.
 */
#ifndef PHX_STREAM_H
#define PHX_STREAM_H

#include "ops/executor.h"
#include "pieces.h"
#include "runtime/dma.h"

struct phx_stream {
    struct phx_dma dma[2 * PHX_TILES_AT_ONCE] __attribute__((aligned(64)));
    const struct phx_dma *last; /* descriptor of the chain in flight */
    uint8_t *vtcm;              /* the thread's two buffers */
    uint32_t buffer_bytes;

    const struct phx_way *way;    /* of the open slice */
    size_t offset;                /* of its matrix, from the first matrix of the weight */
    struct phx_piece next;        /* the piece in flight, or the next one to copy */
    uint32_t arriving;            /* the buffer for it: 0 or buffer_bytes */
    uint32_t arriving_bytes;      /* bytes in flight; 0: DMA is idle */
    uint32_t n_fetched;           /* its tiles that are prefetched into the cache, or in flight */
    bool is_put_off;              /* the copy waits for the buffer that the piece before still uses */
    bool is_ahead;                /* the open slice belongs to the next product */
    uint64_t dma_bytes;           /* moved since phx_streams_bytes() was called */
    struct phx_dma_faults faults; /* since phx_streams_faults() was called */
    bool is_abandoned;            /* a chain never completed: its engine may still write to the buffers */

    /* The current piece: n_tiles from first_tile on, `part` describes them. In a buffer, tiles follow each other. */
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t used_bytes; /* of VTCM; 0: none is in use */
    bool is_first;       /* piece of its slice */
    bool is_last;
    struct phx_matmul part;
};

/* The streams, one for each thread; the executor keeps them from op to op. NULL: out of memory. */
struct phx_stream *phx_streams(const struct phx_executor *executor);

/* Opens the first slice of a product, unless phx_stream_open_ahead() has opened it; NULL: the thread has none.
 * `offset`: bytes from the first matrix to its matrix. */
void phx_stream_begin(struct phx_stream *stream, const struct phx_way *way, size_t offset);

/* Opens a slice: begins to copy its first piece. phx_stream_next() must have returned the last piece of the slice
 * before, which stays valid. */
void phx_stream_open(struct phx_stream *stream, const struct phx_way *way, size_t offset);

/* Opens the first slice of the next product, of its first matrix. */
void phx_stream_open_ahead(struct phx_stream *stream, const struct phx_way *way);

/* Waits for the next piece and begins to copy the one after it. The piece stays valid until the next call. Not to be
 * called after the slice's last piece. */
void phx_stream_next(struct phx_stream *stream);

/* Ends the product: closes the stream, unless the open slice belongs to the next product. */
void phx_stream_end(struct phx_stream *stream);

#endif
