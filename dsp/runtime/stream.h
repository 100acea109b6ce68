/* SPDX-License-Identifier: MIT
 *
 * Weight tiles on their way from memory through VTCM: while a thread multiplies some of them, DMA brings the next. Each
 * thread has a stream of its own, in its part of VTCM, which is two buffers. Tiles that are too long for a buffer come
 * in pieces, cut along k.
 */
#ifndef PHX_STREAM_H
#define PHX_STREAM_H

#include "dma.h"
#include "kernels.h"
#include "vtcm.h"

/* Blocks first_block..last_block-1 of some tiles; n_tiles = 0: nothing. */
struct phx_piece {
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t first_block;
    uint32_t last_block;
};

struct phx_stream {
    const struct phx_matmul *mm;
    uint8_t *buffers; /* two, buffer_bytes apart; NULL: everything is read from memory */
    uint32_t buffer_bytes;
    uint32_t tile_bytes; /* in a buffer: distance of what is there of each tile */
    uint32_t super_bytes; /* of 8 blocks */
    uint32_t n_at_once;
    uint32_t last_tile;
    uint32_t piece_blocks;
    struct phx_piece next;   /* to be brought, or being brought */
    uint32_t arriving;       /* the buffer for it */
    uint32_t arriving_bytes; /* of it; 0: DMA is idle */
    uint64_t dma_bytes;      /* moved so far */
    struct phx_dma dma[2 * PHX_TILES_AT_ONCE] __attribute__((aligned(64)));

    /* What phx_stream_next() brought: as struct phx_matmul has it. */
    struct phx_piece piece;
    struct phx_matmul part;
};

/* Begins with tiles first..last-1, n_at_once of them at a time, in part number `thread` of n_threads equal ones. Pieces
 * are only made if the kernel can_cut. */
void phx_stream_open(struct phx_stream *stream, const struct phx_vtcm *vtcm, uint32_t thread, uint32_t n_threads,
                     const struct phx_matmul *mm, bool can_cut, uint32_t n_at_once, uint32_t first, uint32_t last);

/* The next piece, which stays where it is until the next call; false after the last. Then the engine is idle. */
bool phx_stream_next(struct phx_stream *stream);

#endif
