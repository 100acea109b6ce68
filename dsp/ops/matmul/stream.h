/* SPDX-License-Identifier: MIT
 *
 * Weight tiles on their way from memory through VTCM: while a thread multiplies some of them, DMA brings the next. Each
 * thread has a stream of its own, in its part of VTCM, which is two buffers, or one if everything fits there at once.
 * Tiles that are too long for a buffer come in pieces, cut along k.
 */
#ifndef PHX_STREAM_H
#define PHX_STREAM_H

#include "runtime/dma.h"
#include "kernel.h"
#include "runtime/vtcm.h"

/* Blocks first_block..last_block-1 of some tiles; n_tiles = 0: nothing. */
struct phx_piece {
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t first_block;
    uint32_t last_block;
    uint32_t first_byte; /* of these blocks in a tile in memory */
    uint32_t last_byte;
} __attribute__((aligned(8))); /* to be copied by two words at once */

/* How tiles are cut so that one of them fits a buffer, or PHX_TILES_AT_ONCE of them do. */
struct phx_cut {
    uint32_t piece_blocks; /* 0: there is no room */
    uint32_t piece_bytes;
};

struct phx_cuts {
    struct phx_cut one;
    struct phx_cut several;
};

/* Tiles first..last-1 of a matrix, n_at_once of them at a time: 1 or PHX_TILES_AT_ONCE. */
struct phx_tile_slice {
    const uint8_t *tiles; /* of the whole matrix */
    uint32_t first;
    uint32_t last;
    uint32_t n_at_once;
};

struct phx_stream {
    struct phx_dma dma[2 * PHX_TILES_AT_ONCE] __attribute__((aligned(64)));
    const struct phx_dma *last; /* of the chain that is under way */
    uint8_t *vtcm;              /* the thread's part: two buffers; NULL: everything is read from memory */
    uint32_t vtcm_bytes;
    uint32_t buffer_bytes;

    const struct phx_matmul *mm;
    struct phx_tile_slice slice;
    uint32_t piece_blocks;
    uint32_t piece_bytes;
    struct phx_piece next;   /* to be brought, or being brought */
    uint32_t arriving;       /* the buffer for it: 0 or buffer_bytes */
    uint32_t arriving_bytes; /* of it; 0: DMA is idle */
    uint64_t dma_bytes;      /* moved since phx_streams_moved() */

    /* What phx_stream_next() brought: n_tiles from first_tile on, as struct phx_matmul has them. In a buffer, what is
     * there of each tile follows that of the one before. */
    uint32_t first_tile;
    uint32_t n_tiles;
    struct phx_matmul part;
};

/* Gives each thread's stream an equal part of VTCM. */
void phx_streams_set(struct phx_stream *streams, const struct phx_vtcm *vtcm, uint32_t n_threads);

/* For tiles of a matrix that may be cut, with VTCM shared by so many threads. */
struct phx_cuts phx_stream_cuts(const struct phx_vtcm *vtcm, uint32_t n_threads, const struct phx_matmul *mm);

/* Bytes that DMA has moved since the last call. */
uint64_t phx_streams_moved(struct phx_stream *streams, uint32_t n_threads);

/* Has a slice's first piece brought. Tiles are cut only if that is needed, and not if cuts is NULL. */
void phx_stream_open(struct phx_stream *stream, const struct phx_matmul *mm, const struct phx_cuts *cuts,
                     const struct phx_tile_slice *slice);

/* The next piece, which stays where it is until the next call; false after the last. Then the engine is idle. */
bool phx_stream_next(struct phx_stream *stream);

#endif
