/* SPDX-License-Identifier: MIT */
#include "pieces.h"

#include "formats/tiles.h"
#include "ops/slices.h"
#include "runtime/dma.h"

#define LEAST_BLOCKS 8      /* of a piece of one tile */
#define LEAST_OF_SEVERAL 16 /* shorter pieces of several tiles cost more than single tiles */
#define LEAST_OF_FLOATS 8   /* float tiles take four times as long to multiply */
#define BATCH 32            /* blocks: GEMM kernels prefer pieces that begin at a multiple */

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

struct phx_room phx_room_of_thread(bool has_vtcm, uint32_t n_bytes, uint32_t n_threads) {
    uint32_t each = smaller(phx_split_evenly(n_bytes, n_threads).each, PHX_DMA_BYTES_MAX) / PHX_VECTOR * PHX_VECTOR;
    return (struct phx_room){each, each / 2 / PHX_VECTOR * PHX_VECTOR, has_vtcm};
}

/* Bytes of n_blocks in whole super-blocks. */
static uint32_t bytes_of(const struct phx_matmul *mm, uint32_t n_blocks) {
    return n_blocks / PHX_BLOCKS_OF_SUPER * phx_super_bytes(phx_weight_type(mm->dtype));
}

static struct phx_piece first_piece(const struct phx_way *way) {
    const struct phx_tile_slice *slice = &way->slice;
    struct phx_piece piece = {.first_tile = slice->first,
                              .n_tiles = smaller(slice->n_at_once, slice->last - slice->first),
                              .first_block = slice->first_block,
                              .first_byte = PHX_TABLE_BYTES + bytes_of(way->mm, slice->first_block)};
    phx_piece_end(way, &piece);
    return piece;
}

static uint32_t room_of_tile(uint32_t n_bytes, uint32_t n_at_once) {
    return n_at_once == 1 ? n_bytes : n_bytes / PHX_TILES_AT_ONCE / PHX_VECTOR * PHX_VECTOR;
}

/* Cuts tiles into pieces of nearly equal length. */
static struct phx_cut make_cut(const struct phx_matmul *mm, uint32_t n_bytes, uint32_t n_at_once) {
    uint32_t room = room_of_tile(n_bytes, n_at_once);
    const struct phx_weight_type *type = phx_weight_type(mm->dtype);
    uint32_t super_bytes = phx_super_bytes(type);
    uint32_t least_of_several = type->is_float ? LEAST_OF_FLOATS : LEAST_OF_SEVERAL;
    uint32_t most = room < PHX_TABLE_BYTES ? 0 : (room - PHX_TABLE_BYTES) / super_bytes * PHX_BLOCKS_OF_SUPER;
    uint32_t step = n_at_once > 1 || most < BATCH ? PHX_BLOCKS_OF_SUPER : BATCH;
    uint32_t n_blocks = 0;
    most -= most % step;
    if (most >= (n_at_once > 1 ? least_of_several : LEAST_BLOCKS)) {
        uint32_t n_pieces = (mm->n_blocks + most - 1) / most;
        n_blocks = ((mm->n_blocks + n_pieces - 1) / n_pieces + step - 1) / step * step;
    }
    return (struct phx_cut){n_blocks, n_blocks / PHX_BLOCKS_OF_SUPER * super_bytes};
}

/* Bytes from a tile's last block to the end of the group. */
static uint32_t bytes_behind(const struct phx_matmul *mm) {
    return -mm->n_blocks % PHX_BLOCKS_OF_GROUP * phx_weight_type(mm->dtype)->vectors_per_block * PHX_VECTOR;
}

struct phx_cuts phx_cuts_make(const struct phx_room *room, const struct phx_matmul *mm) {
    return (struct phx_cuts){make_cut(mm, room->buffer_bytes, 1), make_cut(mm, room->buffer_bytes, PHX_TILES_AT_ONCE),
                             (room->buffer_bytes - smaller(bytes_behind(mm), room->buffer_bytes)) / mm->tile_bytes};
}

/* Room for each tile: in one buffer, or in both if they hold the whole slice at once. */
static uint32_t room_for(const struct phx_room *room, const struct phx_tile_slice *slice) {
    bool is_all = slice->last - slice->first <= slice->n_at_once;
    return room_of_tile(is_all ? room->n_bytes : room->buffer_bytes, slice->n_at_once);
}

/* Whether n_at_once whole tiles fit. */
static bool fit_whole(struct phx_way *way, const struct phx_cuts *cuts, const struct phx_room *room) {
    if (way->slice.n_at_once == PHX_TILES_FITTING) {
        way->slice.n_at_once = cuts->n_whole ? cuts->n_whole : 1;
        return cuts->n_whole || (way->slice.last - way->slice.first == 1 && way->mm->tile_bytes <= room->n_bytes);
    }
    return way->mm->tile_bytes <= room_for(room, &way->slice);
}

/* Takes pieces of n_at_once tiles, or of one tile if those would be too short. */
static bool fit_cut(struct phx_way *way, const struct phx_cuts *cuts) {
    const struct phx_cut *cut = &cuts->several;
    if (way->slice.n_at_once == 1 || !cut->piece_blocks) {
        cut = &cuts->one;
        way->slice.n_at_once = 1;
    }
    way->piece_blocks = cut->piece_blocks;
    way->piece_bytes = cut->piece_bytes;
    way->tile_bytes = cut->piece_bytes + PHX_TABLE_BYTES;
    return cut->piece_blocks > 0;
}

/* Whether the slice's part of each tile along K fits as one piece. */
static bool fit_part(struct phx_way *way, const struct phx_room *room) {
    const struct phx_tile_slice *slice = &way->slice;
    way->piece_blocks = slice->last_block - slice->first_block;
    way->piece_bytes = way->mm->tile_bytes - PHX_TABLE_BYTES - bytes_of(way->mm, slice->first_block);
    if (slice->last_block < way->mm->n_blocks) {
        way->piece_bytes = bytes_of(way->mm, way->piece_blocks);
    }
    way->tile_bytes = way->piece_bytes + PHX_TABLE_BYTES;
    return way->tile_bytes <= room_for(room, slice);
}

/* Whether bytes behind the tiles of any piece can be read up to the end of a group: in the buffer or, in memory, in the
 * next tile. They meet activations whose scale is 0. */
static bool reads_groups(const struct phx_way *way, const struct phx_room *room) {
    const struct phx_matmul *mm = way->mm;
    uint32_t n_behind = bytes_behind(mm), n_bytes = way->first.n_tiles * way->tile_bytes + n_behind;
    uint32_t n_most = way->is_long ? room->n_bytes : room->buffer_bytes;
    return mm->reads_groups || (n_behind <= mm->tile_bytes && (!way->by_dma || n_bytes <= n_most));
}

void phx_way_make(struct phx_way *way, const struct phx_room *room, const struct phx_matmul *mm,
                  const struct phx_cuts *cuts, bool may_cut) {
    const struct phx_tile_slice *slice = &way->slice;
    way->mm = mm;
    way->piece_blocks = mm->n_blocks;
    way->piece_bytes = mm->tile_bytes - PHX_TABLE_BYTES;
    way->tile_bytes = mm->tile_bytes;
    bool is_whole = slice->last_block - slice->first_block == mm->n_blocks;
    bool fits = is_whole ? fit_whole(way, cuts, room) : fit_part(way, room);
    bool is_ahead = fits || (may_cut && fit_cut(way, cuts));
    way->by_dma = is_ahead && room->is_vtcm;
    way->by_fetch = is_ahead && !room->is_vtcm;
    if (!is_ahead) {
        way->piece_blocks = mm->n_blocks;
        way->slice.n_at_once = slice->last - slice->first;
    }
    way->slice_end = mm->tile_bytes;
    if (slice->last_block < mm->n_blocks) {
        way->slice_end = PHX_TABLE_BYTES + bytes_of(mm, slice->last_block);
    }
    way->first = first_piece(way);
    way->is_long = way->first.n_tiles * way->tile_bytes > room->buffer_bytes;
    way->reads_groups = reads_groups(way, room);
}
