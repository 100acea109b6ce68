/* SPDX-License-Identifier: MIT
 *
 * Weight tiles on their way from memory through VTCM: while a thread multiplies some of them, DMA brings the next. Each
 * thread has a stream of its own, in its part of VTCM, which is two buffers, or one if everything fits there at once.
 * Tiles that are too long for a buffer come in pieces, cut along k, or fewer at once. Without VTCM they come to the cache
 * that all threads share, ahead of the multiplying as well.
 *
 * A slice may be opened while the last piece of the one before is still in use: so the engine does not idle in between,
 * not even from one product of a program to the next.
 */
#ifndef PHX_STREAM_H
#define PHX_STREAM_H

#include "kernel.h"
#include "ops/executor.h"
#include "runtime/dma.h"

/* Blocks first_block..last_block-1 of some tiles; n_tiles = 0: nothing. */
struct phx_piece {
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t first_block;
    uint32_t last_block;
    uint32_t first_byte; /* of these blocks in a tile in memory */
    uint32_t last_byte;
} __attribute__((aligned(8))); /* to be copied by two words at once */

/* How tiles are cut so that one of them fits a buffer, or PHX_TILES_AT_ONCE of them do; and how many do as they are. */
struct phx_cut {
    uint32_t piece_blocks; /* 0: there is no room */
    uint32_t piece_bytes;
};

struct phx_cuts {
    struct phx_cut one;
    struct phx_cut several;
    uint32_t n_whole;
};

/* Tiles first..last-1 of a matrix, n_at_once of them at a time: 1, PHX_TILES_AT_ONCE, or PHX_TILES_FITTING. */
struct phx_tile_slice {
    uint32_t first;
    uint32_t last;
    uint32_t n_at_once;
    uint32_t first_block; /* of each, a multiple of 8 */
    uint32_t last_block;
} __attribute__((aligned(8)));

#define PHX_TILES_FITTING 0 /* as many as fit a buffer, one at least */

/* How a slice comes, of whichever matrix. It is found out once and must not move or change while the slice is open. */
struct phx_way {
    struct phx_tile_slice slice; /* with as many tiles at a time as there is room for */
    struct phx_piece first;
    const struct phx_matmul *mm;
    uint32_t piece_blocks;
    uint32_t piece_bytes;
    uint32_t tile_bytes; /* of a piece, with the row table, in a buffer */
    uint32_t slice_end;  /* of the slice's blocks, in a tile in memory */
    bool by_dma;
    bool by_fetch;  /* without VTCM; if neither, it is read from memory as it lies there */
    bool is_long;   /* the first piece takes both buffers */
    uint8_t factor; /* of the product */
    uint8_t sums;   /* of a part of tiles along k: number of its sums; PHX_WAY_WHOLE: floats are made */
} __attribute__((aligned(8)));

#define PHX_WAY_WHOLE 0xff

struct phx_stream {
    struct phx_dma dma[2 * PHX_TILES_AT_ONCE] __attribute__((aligned(64)));
    const struct phx_dma *last; /* of the chain that is under way */
    uint8_t *vtcm;              /* the thread's part: two buffers */
    uint32_t vtcm_bytes;
    uint32_t buffer_bytes;

    const struct phx_way *way; /* of the slice that is open */
    size_t offset;             /* of its matrix, from the tiles of the first one */
    struct phx_piece next;     /* to be brought, or being brought */
    uint32_t arriving;         /* the buffer for it: 0 or buffer_bytes */
    uint32_t arriving_bytes;   /* of it; 0: DMA is idle */
    uint32_t n_fetched;        /* tiles of it that are on their way to the cache */
    bool is_put_off;           /* its copy, until the piece before is no longer in use */
    bool is_ahead;             /* the slice that is open is one of a product that has not begun */
    uint64_t dma_bytes;        /* moved since phx_streams_bytes() was called */

    /* What phx_stream_next() brought: n_tiles from first_tile on, as struct phx_matmul has them. In a buffer, what is
     * there of each tile follows that of the one before. */
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t used_bytes; /* of VTCM; 0: none is in use */
    bool is_first;       /* of its slice: nothing of that was brought yet */
    bool is_last;
    struct phx_matmul part;
};

/* One for each thread, each with its part of VTCM, kept from op to op; NULL when the heap is exhausted. */
struct phx_stream *phx_streams(const struct phx_executor *executor);

/* For tiles of a matrix that may be cut, with VTCM shared by so many threads. */
struct phx_cuts phx_stream_cuts(const struct phx_vtcm *vtcm, uint32_t n_threads, const struct phx_matmul *mm);

/* How the slice of a way, which is not empty, will come to one of the streams. Tiles are cut only if that is needed, and
 * not if may_cut is false. */
void phx_way_make(struct phx_way *way, const struct phx_stream *stream, const struct phx_matmul *mm,
                  const struct phx_cuts *cuts, bool may_cut);

/* The product's first slice, whose copy may be under way already: phx_stream_open_ahead(); or NULL. Its matrix lies
 * `offset` bytes behind the first one. */
void phx_stream_begin(struct phx_stream *stream, const struct phx_way *way, size_t offset);

/* Has the first piece of a slice brought. The slice before, if there is any, must have had its last piece brought, which
 * stays where it is. */
void phx_stream_open(struct phx_stream *stream, const struct phx_way *way, size_t offset);

/* The same of the first slice of the product that comes next, of its first matrix. */
void phx_stream_open_ahead(struct phx_stream *stream, const struct phx_way *way);

/* The next piece, which stays where it is until the next call. Not after the slice's last one: then the engine is idle. */
void phx_stream_next(struct phx_stream *stream);

/* The product is done. What is open belongs to the next one, or nothing is. */
void phx_stream_end(struct phx_stream *stream);

#endif
