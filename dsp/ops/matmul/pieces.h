/* SPDX-License-Identifier: MIT
 *
 * How the tiles of a thread's slice come through its part of VTCM: which buffer holds how many tiles, and where tiles
 * are cut along K because a whole tile does not fit. Pure: it depends on sizes only. stream.h moves the bytes.
 */
#ifndef PHX_PIECES_H
#define PHX_PIECES_H

#include "kernel.h"

/* Fast memory of one thread: two buffers of VTCM, or without VTCM the thread's part of the cache. */
struct phx_room {
    uint32_t n_bytes;      /* of both buffers */
    uint32_t buffer_bytes; /* of one of them */
    bool is_vtcm;
};

/* A part of n_bytes for each of n_threads; has_vtcm: of VTCM, else of the cache. */
struct phx_room phx_room_of_thread(bool has_vtcm, uint32_t n_bytes, uint32_t n_threads);

/* Blocks first_block..last_block-1 of n_tiles tiles; n_tiles = 0: nothing. */
struct phx_piece {
    uint32_t first_tile;
    uint32_t n_tiles;
    uint32_t first_block;
    uint32_t last_block;
    uint32_t first_byte; /* of these blocks in a tile in memory */
    uint32_t last_byte;
} __attribute__((aligned(8))); /* so that compilers copy it by two words */

/* Length of a piece of one tile, or of PHX_TILES_AT_ONCE tiles, that fits a buffer. */
struct phx_cut {
    uint32_t piece_blocks; /* 0: no piece of a useful length fits */
    uint32_t piece_bytes;
};

/* How the tiles of a matrix fit a buffer: cut, and n_whole: whole. */
struct phx_cuts {
    struct phx_cut one;
    struct phx_cut several;
    uint32_t n_whole;
};

struct phx_cuts phx_cuts_make(const struct phx_room *room, const struct phx_matmul *mm);

/* Only pieces of one tile fit a buffer. */
static inline bool phx_comes_by_single_tiles(const struct phx_cuts *cuts) {
    return cuts->one.piece_blocks && !cuts->several.piece_blocks;
}

#define PHX_TILES_FITTING 0 /* as many tiles as fit a buffer, at least one */

/* Tiles first..last-1 of a matrix, n_at_once of them at a time: 1, PHX_TILES_AT_ONCE, or PHX_TILES_FITTING. */
struct phx_tile_slice {
    uint32_t first;
    uint32_t last;
    uint32_t n_at_once;
    uint32_t first_block; /* of each tile, a multiple of 8 */
    uint32_t last_block;
} __attribute__((aligned(8)));

/* A slice of tiles and its pieces, for any matrix of the weight. It must not move or change while a stream reads it. */
struct phx_way {
    struct phx_tile_slice slice; /* with as many tiles at a time as the room allows */
    struct phx_piece first;
    const struct phx_matmul *mm;
    uint32_t piece_blocks;
    uint32_t piece_bytes;
    uint32_t tile_bytes; /* of a piece of one tile, with its row table, in a buffer */
    uint32_t slice_end;  /* byte behind the slice's blocks, in a tile in memory */
    bool by_dma;
    bool by_fetch;     /* prefetched into the cache, without VTCM; neither: the thread reads memory on demand */
    bool is_long;      /* the first piece takes both buffers */
    bool reads_groups; /* of struct phx_matmul: a buffer has room behind a piece, or memory another tile */
    uint8_t factor;    /* of the product */
    uint8_t sums;      /* of a part of tiles along K: number of its partial sums; PHX_WAY_WHOLE: it makes results */
    uint32_t first_row, end_row; /* of the run, which meet the tiles; end_row = PHX_ALL_ROWS: all rows */
} __attribute__((aligned(8)));

#define PHX_WAY_WHOLE 0xff
#define PHX_ALL_ROWS UINT32_MAX

/* Plans the pieces of way->slice, which is not empty. Tiles are cut along K only if no whole tile fits, and never if
 * may_cut is false. */
void phx_way_make(struct phx_way *way, const struct phx_room *room, const struct phx_matmul *mm,
                  const struct phx_cuts *cuts, bool may_cut);

/* Ends a piece that begins at its first_block. */
static inline void phx_piece_end(const struct phx_way *way, struct phx_piece *piece) {
    uint32_t last = piece->first_block + way->piece_blocks, end = way->slice.last_block;
    piece->last_block = last;
    piece->last_byte = piece->first_byte + way->piece_bytes;
    if (last >= end) {
        piece->last_block = end;
        piece->last_byte = way->slice_end;
    }
}

/* Advances to the next piece of the slice; false: there is none. */
static inline bool phx_piece_next(const struct phx_way *way, struct phx_piece *piece) {
    if (piece->last_block < way->slice.last_block) {
        piece->first_block = piece->last_block;
        piece->first_byte = piece->last_byte;
        phx_piece_end(way, piece);
        return true;
    }
    uint32_t next_tile = piece->first_tile + piece->n_tiles, n_left = way->slice.last - next_tile;
    *piece = way->first;
    piece->first_tile = next_tile;
    piece->n_tiles = way->slice.n_at_once < n_left ? way->slice.n_at_once : n_left;
    return n_left > 0;
}

#endif
