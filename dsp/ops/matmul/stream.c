/* SPDX-License-Identifier: MIT
 *
 * One chain of copies is under way at a time: when its piece is wanted it is waited for, and the next one, to the other
 * buffer, begins before the piece is multiplied.
 *
 * In a buffer, each tile has its row table, which comes with the last piece, and then the piece's blocks. So whole
 * tiles look as in memory, and one copy brings all of them.
 */
#include "stream.h"

#include "ops/slices.h"
#include "tiles.h"

#define SUPER_BLOCK (PHX_SUPER_BLOCK / PHX_BLOCK) /* in blocks */
#define LEAST_BLOCKS 8                            /* of a piece of one tile */
#define LEAST_OF_SEVERAL 16                       /* shorter ones cost more than taking each tile by itself */
#define BATCH 32 /* blocks: kernels for several rows like pieces to begin at a multiple */

/* A loop of a few rounds, which would be unrolled to eight. */
#ifdef __clang__
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define KEEP_ROLLED
#endif

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t bytes_each(const struct phx_vtcm *vtcm, uint32_t n_threads) {
    return smaller(phx_cut_evenly(vtcm->n_bytes, n_threads).each, PHX_DMA_BYTES_MAX) / PHX_VECTOR * PHX_VECTOR;
}

static uint32_t buffer_bytes(uint32_t n_bytes) {
    return n_bytes / 2 / PHX_VECTOR * PHX_VECTOR;
}

void phx_stream_set(struct phx_stream *stream, const struct phx_vtcm *vtcm, uint32_t thread, uint32_t n_threads) {
    uint32_t n_bytes = bytes_each(vtcm, n_threads);
    stream->vtcm = vtcm->data ? vtcm->data + thread * n_bytes : NULL;
    stream->vtcm_bytes = n_bytes;
    stream->buffer_bytes = buffer_bytes(n_bytes);
    stream->arriving_bytes = 0;
    stream->dma_bytes = 0;
}

static const uint8_t *tile_in_memory(const struct phx_stream *stream, uint32_t tile) {
    return stream->slice.tiles + (size_t)tile * stream->mm->tile_bytes;
}

/* Of super-blocks, as bytes; the short one at the end of a tile is not among them. */
static uint32_t bytes_of(const struct phx_matmul *mm, uint32_t n_blocks) {
    return n_blocks / SUPER_BLOCK * phx_super_bytes(phx_weight_type(mm->dtype));
}

/* The piece of n_tiles that begins with this block and byte. */
static struct phx_piece piece_from(const struct phx_stream *stream, uint32_t first_tile, uint32_t n_tiles,
                                   uint32_t first_block, uint32_t first_byte) {
    uint32_t last = first_block + stream->piece_blocks, last_byte = first_byte + stream->piece_bytes;
    if (last >= stream->slice.last_block) {
        last_byte = stream->slice.last_block == stream->mm->n_blocks
                        ? stream->mm->tile_bytes
                        : first_byte + bytes_of(stream->mm, stream->slice.last_block - first_block);
        last = stream->slice.last_block;
    }
    return (struct phx_piece){first_tile, n_tiles, first_block, last, first_byte, last_byte};
}

/* The first piece of the tiles from `first_tile` on. */
static struct phx_piece first_piece(const struct phx_stream *stream, uint32_t first_tile) {
    uint32_t first_block = stream->slice.first_block, first_byte = PHX_TABLE_BYTES;
    if (first_block) {
        first_byte += bytes_of(stream->mm, first_block);
    }
    return piece_from(stream, first_tile, smaller(stream->slice.n_at_once, stream->slice.last - first_tile),
                      first_block, first_byte);
}

static struct phx_piece piece_after(const struct phx_stream *stream, const struct phx_piece *piece) {
    if (piece->last_block == stream->slice.last_block) {
        return first_piece(stream, piece->first_tile + piece->n_tiles);
    }
    return piece_from(stream, piece->first_tile, piece->n_tiles, piece->last_block, piece->last_byte);
}

/* Adds a copy of n_bytes from each of n_tiles to the chain that ends before dma; returns its new end. */
static inline struct phx_dma *add_copies(struct phx_dma *dma, uint32_t n_tiles, const uint8_t *from, uint32_t from_step,
                                         const uint8_t *to, uint32_t to_step, uint32_t n_bytes) {
    KEEP_ROLLED
    for (uint32_t i = 0; i < n_tiles; i++) {
        phx_dma_set(dma, dma + 1, from, to, n_bytes);
        from += from_step;
        to += to_step;
        dma++;
    }
    return dma;
}

/* Has a piece brought to the buffer `arriving`. */
static inline __attribute__((always_inline)) void start(struct phx_stream *stream, const struct phx_piece *piece) {
    const uint8_t *tiles = tile_in_memory(stream, piece->first_tile);
    uint8_t *there = stream->vtcm + stream->arriving;
    uint32_t n_tiles = piece->n_tiles, step = stream->mm->tile_bytes;
    struct phx_dma *end = stream->dma;
    if (stream->tile_bytes == step) {
        stream->arriving_bytes = n_tiles * step;
        phx_dma_set(end++, NULL, tiles, there, n_tiles * step);
    } else {
        uint32_t n_bytes = piece->last_byte - piece->first_byte;
        uint32_t to_step = stream->tile_bytes;
        end = add_copies(end, n_tiles, tiles + piece->first_byte, step, there + PHX_TABLE_BYTES, to_step, n_bytes);
        if (piece->last_byte == step) {
            end = add_copies(end, n_tiles, tiles, step, there, to_step, PHX_TABLE_BYTES);
            n_bytes += PHX_TABLE_BYTES;
        }
        stream->arriving_bytes = n_tiles * n_bytes;
        phx_dma_end(end - 1);
    }
    stream->last = end - 1;
    phx_dma_start(stream->dma);
}

static __attribute__((noinline)) void start_first(struct phx_stream *stream) {
    start(stream, &stream->next);
}

static uint32_t room_of_tile(uint32_t room, uint32_t n_at_once) {
    return n_at_once == 1 ? room : room / PHX_TILES_AT_ONCE / PHX_VECTOR * PHX_VECTOR;
}

/* Pieces of nearly equal length. */
static struct phx_cut make_cut(const struct phx_matmul *mm, uint32_t n_bytes, uint32_t n_at_once) {
    uint32_t room = room_of_tile(n_bytes, n_at_once);
    uint32_t super_bytes = phx_super_bytes(phx_weight_type(mm->dtype));
    uint32_t most = room < PHX_TABLE_BYTES ? 0 : (room - PHX_TABLE_BYTES) / super_bytes * SUPER_BLOCK;
    uint32_t step = n_at_once > 1 || most < BATCH ? SUPER_BLOCK : BATCH;
    uint32_t n_blocks = 0;
    most -= most % step;
    if (most >= (n_at_once > 1 ? LEAST_OF_SEVERAL : LEAST_BLOCKS)) {
        uint32_t n_pieces = (mm->n_blocks + most - 1) / most;
        n_blocks = ((mm->n_blocks + n_pieces - 1) / n_pieces + step - 1) / step * step;
    }
    return (struct phx_cut){n_blocks, n_blocks / SUPER_BLOCK * super_bytes};
}

struct phx_cuts phx_stream_cuts(const struct phx_vtcm *vtcm, uint32_t n_threads, const struct phx_matmul *mm) {
    uint32_t n_bytes = buffer_bytes(bytes_each(vtcm, n_threads));
    return (struct phx_cuts){make_cut(mm, n_bytes, 1), make_cut(mm, n_bytes, PHX_TILES_AT_ONCE),
                             n_bytes / mm->tile_bytes};
}

/* Whole tiles, n_at_once of them. */
static bool fit_whole(struct phx_stream *stream, const struct phx_cuts *cuts, const struct phx_tile_slice *slice) {
    uint32_t n_tiles = slice->last - slice->first, n_at_once = slice->n_at_once;
    if (n_at_once == PHX_TILES_FITTING) {
        stream->slice.n_at_once = n_at_once = cuts->n_whole ? cuts->n_whole : 1;
        return cuts->n_whole || (n_tiles == 1 && stream->mm->tile_bytes <= stream->vtcm_bytes);
    }
    uint32_t room = n_tiles <= n_at_once ? stream->vtcm_bytes : stream->buffer_bytes;
    return stream->mm->tile_bytes <= room_of_tile(room, n_at_once);
}

/* Pieces of n_at_once tiles or, where those would be too short, of one. */
static bool fit_cut(struct phx_stream *stream, const struct phx_cuts *cuts) {
    const struct phx_cut *cut = &cuts->several;
    if (stream->slice.n_at_once == 1 || !cut->piece_blocks) {
        cut = &cuts->one;
        stream->slice.n_at_once = 1;
    }
    stream->piece_blocks = cut->piece_blocks;
    stream->piece_bytes = cut->piece_bytes;
    stream->tile_bytes = cut->piece_bytes + PHX_TABLE_BYTES;
    return cut->piece_blocks > 0;
}

/* A part of tiles, along k, in one piece. */
static bool fit_part(struct phx_stream *stream, const struct phx_tile_slice *slice) {
    uint32_t n_tiles = slice->last - slice->first;
    uint32_t room = n_tiles <= slice->n_at_once ? stream->vtcm_bytes : stream->buffer_bytes;
    stream->piece_blocks = slice->last_block - slice->first_block;
    stream->piece_bytes = stream->mm->tile_bytes - PHX_TABLE_BYTES - bytes_of(stream->mm, slice->first_block);
    if (slice->last_block < stream->mm->n_blocks) {
        stream->piece_bytes = bytes_of(stream->mm, stream->piece_blocks);
    }
    stream->tile_bytes = stream->piece_bytes + PHX_TABLE_BYTES;
    return stream->tile_bytes <= room_of_tile(room, slice->n_at_once);
}

void phx_stream_open(struct phx_stream *stream, const struct phx_matmul *mm, const struct phx_cuts *cuts, bool may_cut,
                     const struct phx_tile_slice *slice) {
    stream->mm = mm;
    stream->slice = *slice;
    stream->piece_blocks = mm->n_blocks;
    stream->piece_bytes = mm->tile_bytes - PHX_TABLE_BYTES;
    stream->tile_bytes = mm->tile_bytes;
    stream->arriving_bytes = 0;
    stream->is_put_off = false;
    stream->is_first = true;
    bool is_whole = slice->last_block - slice->first_block == mm->n_blocks;
    bool fits = is_whole ? fit_whole(stream, cuts, slice) : fit_part(stream, slice);
    fits = stream->vtcm && (fits || (may_cut && fit_cut(stream, cuts)));
    if (!fits) {
        stream->piece_blocks = mm->n_blocks;
        stream->slice.n_at_once = slice->last - slice->first;
    }
    stream->next = first_piece(stream, slice->first);
    if (fits) {
        bool is_long = stream->next.n_tiles * stream->tile_bytes > stream->buffer_bytes; /* it takes both buffers */
        if (is_long || !stream->used_bytes || stream->used_bytes > stream->buffer_bytes) {
            stream->arriving = 0;
            stream->is_put_off = stream->used_bytes;
        }
        if (!stream->is_put_off) {
            start_first(stream);
        }
    }
}

void phx_stream_next(struct phx_stream *stream) {
    const struct phx_piece piece = stream->next;
    if (stream->is_put_off) {
        stream->is_put_off = false;
        start_first(stream);
    }
    stream->next = piece_after(stream, &piece);
    stream->is_last = stream->next.n_tiles == 0;
    stream->first_tile = piece.first_tile;
    stream->n_tiles = piece.n_tiles;
    if (stream->is_first) {
        stream->is_first = false;
        stream->part = *stream->mm;
    }
    stream->part.n = stream->mm->n - piece.first_tile * PHX_TILE_ROWS;
    stream->part.first_block = piece.first_block;
    stream->part.last_block = piece.last_block;
    if (!stream->arriving_bytes || !phx_dma_wait(stream->last)) {
        stream->arriving_bytes = stream->used_bytes = 0; /* nor will anything more of the slice */
        stream->part.tiles = tile_in_memory(stream, piece.first_tile);
        stream->part.tile_bytes = stream->mm->tile_bytes;
        stream->part.table = 0;
        return;
    }
    uint32_t before = piece.first_byte - PHX_TABLE_BYTES;
    stream->part.tiles = (const uint8_t *)((uintptr_t)stream->vtcm + stream->arriving - before);
    stream->part.tile_bytes = stream->tile_bytes;
    stream->part.table = before;
    stream->dma_bytes += stream->arriving_bytes;
    stream->used_bytes = stream->tile_bytes * piece.n_tiles;
    stream->arriving_bytes = 0;
    stream->arriving = stream->buffer_bytes - stream->arriving;
    if (!stream->is_last) {
        start(stream, &stream->next);
    }
}

void phx_stream_close(struct phx_stream *stream) {
    if (stream->arriving_bytes) {
        phx_dma_wait(stream->last);
        stream->arriving_bytes = 0;
    }
}
