/* SPDX-License-Identifier: MIT
 *
 * One chain of copies is under way at a time: when its piece is wanted it is waited for, and the next one, to the other
 * buffer, begins before the piece is multiplied.
 *
 * In a buffer, each tile has its row table, which comes with the last piece, and then the piece's blocks. So whole tiles
 * look as in memory, and one copy brings all of them.
 */
#include "stream.h"

#include "tiles.h"

#define N_BUFFERS 2
#define SUPER_BLOCK 8
#define LEAST_BLOCKS 16 /* shorter pieces cost more than they gain */
#define BATCH 32        /* blocks: kernels for several rows like pieces to begin at a multiple */

/* From the start of a tile in memory to a block where it may be cut, or to its end. */
static uint32_t offset(const struct phx_stream *stream, uint32_t block) {
    return block == stream->mm->n_blocks ? stream->mm->tile_bytes
                                         : PHX_TABLE_BYTES + block / SUPER_BLOCK * stream->super_bytes;
}

static const uint8_t *tile_in_memory(const struct phx_stream *stream, uint32_t tile) {
    return stream->mm->tiles + (size_t)tile * stream->mm->tile_bytes;
}

static uint8_t *buffer(const struct phx_stream *stream) {
    return stream->buffers + (size_t)stream->arriving * stream->buffer_bytes;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The first piece of the tiles from `first_tile` on. */
static struct phx_piece first_piece(const struct phx_stream *stream, uint32_t first_tile) {
    return (struct phx_piece){first_tile, smaller(stream->n_at_once, stream->last_tile - first_tile), 0,
                              smaller(stream->piece_blocks, stream->mm->n_blocks)};
}

static struct phx_piece piece_after(const struct phx_stream *stream, const struct phx_piece *piece) {
    uint32_t n_blocks = stream->mm->n_blocks;
    if (piece->last_block == n_blocks) {
        return first_piece(stream, piece->first_tile + piece->n_tiles);
    }
    return (struct phx_piece){piece->first_tile, piece->n_tiles, piece->last_block,
                              smaller(piece->last_block + stream->piece_blocks, n_blocks)};
}

/* Adds a copy of n_bytes from each of n_tiles to the chain that ends before dma; returns its new end. */
static struct phx_dma *add_copies(struct phx_dma *dma, uint32_t n_tiles, const uint8_t *from, uint32_t from_step,
                                  const uint8_t *to, uint32_t to_step, uint32_t n_bytes) {
    for (uint32_t i = 0; i < n_tiles; i++) {
        phx_dma_set(dma, dma + 1, from, to, n_bytes);
        from += from_step;
        to += to_step;
        dma++;
    }
    return dma;
}

/* Has a piece brought to the buffer `arriving`. */
static void start(struct phx_stream *stream, const struct phx_piece *piece) {
    const uint8_t *tiles = tile_in_memory(stream, piece->first_tile);
    uint8_t *there = buffer(stream);
    uint32_t step = stream->mm->tile_bytes;
    struct phx_dma *end = stream->dma;
    bool is_last = piece->last_block == stream->mm->n_blocks;
    if (is_last && piece->first_block == 0) {
        stream->arriving_bytes = piece->n_tiles * step;
        end = add_copies(end, 1, tiles, 0, there, 0, stream->arriving_bytes);
    } else {
        uint32_t before = offset(stream, piece->first_block);
        uint32_t n_bytes = offset(stream, piece->last_block) - before;
        end = add_copies(end, piece->n_tiles, tiles + before, step, there + PHX_TABLE_BYTES, stream->tile_bytes, n_bytes);
        if (is_last) {
            end = add_copies(end, piece->n_tiles, tiles, step, there, stream->tile_bytes, PHX_TABLE_BYTES);
            n_bytes += PHX_TABLE_BYTES;
        }
        stream->arriving_bytes = piece->n_tiles * n_bytes;
    }
    phx_dma_end(end - 1);
    phx_dma_start(stream->dma);
}

/* Blocks of a piece for that many bytes of each tile; 0: there is no room. */
static uint32_t blocks_that_fit(const struct phx_stream *stream, uint32_t n_bytes) {
    uint32_t n_blocks = n_bytes < PHX_TABLE_BYTES ? 0 : (n_bytes - PHX_TABLE_BYTES) / stream->super_bytes * SUPER_BLOCK;
    uint32_t step = stream->n_at_once > 1 || n_blocks < BATCH ? SUPER_BLOCK : BATCH;
    n_blocks -= n_blocks % step;
    if (n_blocks < LEAST_BLOCKS) {
        return 0;
    }
    uint32_t n_pieces = (stream->mm->n_blocks + n_blocks - 1) / n_blocks; /* of nearly equal length */
    return ((stream->mm->n_blocks + n_pieces - 1) / n_pieces + step - 1) / step * step;
}

void phx_stream_open(struct phx_stream *stream, const struct phx_vtcm *vtcm, uint32_t thread, uint32_t n_threads,
                     const struct phx_matmul *mm, bool can_cut, uint32_t n_at_once, uint32_t first, uint32_t last) {
    uint32_t room = smaller(vtcm->n_bytes / n_threads / N_BUFFERS, PHX_DMA_BYTES_MAX) / PHX_VECTOR * PHX_VECTOR;
    uint32_t room_of_tile = room / n_at_once / PHX_VECTOR * PHX_VECTOR;
    stream->mm = mm;
    stream->part = *mm;
    stream->buffers = vtcm->data ? vtcm->data + (size_t)thread * N_BUFFERS * room : NULL;
    stream->buffer_bytes = room;
    stream->tile_bytes = mm->tile_bytes;
    stream->n_at_once = n_at_once;
    stream->last_tile = last;
    stream->piece_blocks = mm->n_blocks;
    stream->arriving = 0;
    stream->arriving_bytes = 0;
    stream->dma_bytes = 0;
    if (stream->buffers && mm->tile_bytes > room_of_tile) {
        stream->super_bytes = phx_super_bytes(phx_weight_type(mm->dtype));
        stream->piece_blocks = can_cut ? blocks_that_fit(stream, room_of_tile) : 0;
        stream->tile_bytes = offset(stream, stream->piece_blocks);
    }
    if (!stream->buffers || !stream->piece_blocks) {
        stream->buffers = NULL;
        stream->piece_blocks = mm->n_blocks;
        stream->n_at_once = last - first;
    }
    stream->next = first_piece(stream, first);
    if (stream->buffers && stream->next.n_tiles) {
        start(stream, &stream->next);
    }
}

static void show_in_memory(struct phx_stream *stream) {
    stream->part.tiles = tile_in_memory(stream, stream->piece.first_tile);
    stream->part.tile_bytes = stream->mm->tile_bytes;
    stream->part.table = 0;
}

static void show_in_buffer(struct phx_stream *stream) {
    uint32_t before = stream->piece.first_block ? offset(stream, stream->piece.first_block) - PHX_TABLE_BYTES : 0;
    stream->part.tiles = (const uint8_t *)((uintptr_t)buffer(stream) - before);
    stream->part.tile_bytes = stream->tile_bytes;
    stream->part.table = before;
}

bool phx_stream_next(struct phx_stream *stream) {
    struct phx_piece *piece = &stream->piece;
    *piece = stream->next;
    if (piece->n_tiles == 0) {
        return false;
    }
    stream->next = piece_after(stream, piece);
    stream->part.n = stream->mm->n - piece->first_tile * PHX_TILE_ROWS;
    stream->part.first_block = piece->first_block;
    stream->part.last_block = piece->last_block;
    if (!stream->arriving_bytes || !phx_dma_wait()) {
        stream->arriving_bytes = 0; /* nor will anything more */
        show_in_memory(stream);
        return true;
    }
    show_in_buffer(stream);
    stream->dma_bytes += stream->arriving_bytes;
    stream->arriving_bytes = 0;
    stream->arriving = 1 - stream->arriving;
    if (stream->next.n_tiles) {
        start(stream, &stream->next);
    }
    return true;
}
