/* SPDX-License-Identifier: MIT
 *
 * One chain of copies is under way at a time: when its piece is wanted it is waited for, and the next one, to the other
 * buffer, begins before the piece is multiplied.
 *
 * In a buffer, each tile has its row table, which comes with the last piece, and then the piece's blocks. So whole
 * tiles look as in memory, and one copy brings all of them.
 *
 * Without VTCM a piece is fetched into the cache instead, in the same order, and multiplied where it lies in memory. Of
 * four tiles that are far apart the last is fetched when the first three have come: more may not be under way.
 */
#include "stream.h"

#include "ops/rolled.h"
#include "runtime/fetch.h"
#include "tiles.h"

#define SUPER_BLOCK (PHX_SUPER_BLOCK / PHX_BLOCK) /* in blocks */
#define LEAST_BLOCKS 8                            /* of a piece of one tile */
#define LEAST_OF_SEVERAL 16                       /* shorter ones cost more than taking each tile by itself */
#define LEAST_OF_FLOATS 8                         /* which take four times as long to multiply */
#define BATCH 32               /* blocks: kernels for several rows like pieces to begin at a multiple */
#define CACHE_BYTES (1u << 20) /* for tiles, where there is no VTCM */

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t bytes_each(const struct phx_vtcm *vtcm, uint32_t n_threads) {
    uint32_t n_bytes = vtcm->data ? vtcm->n_bytes : CACHE_BYTES;
    return smaller(phx_cut_evenly(n_bytes, n_threads).each, PHX_DMA_BYTES_MAX) / PHX_VECTOR * PHX_VECTOR;
}

static uint32_t buffer_bytes(uint32_t n_bytes) {
    return n_bytes / 2 / PHX_VECTOR * PHX_VECTOR;
}

struct phx_stream *phx_streams(const struct phx_executor *executor) {
    uint32_t n_threads = executor->pool->n_threads, n_bytes = bytes_each(executor->vtcm, n_threads);
    if (executor->streams->data) {
        return executor->streams->data;
    }
    struct phx_stream *streams = phx_area_reserve(executor->streams, n_threads * sizeof(*streams));
    for (uint32_t i = 0; streams && i < n_threads; i++) {
        uint8_t *vtcm = executor->vtcm->data;
        memset(&streams[i], 0, sizeof(streams[i]));
        streams[i].vtcm = vtcm ? vtcm + i * n_bytes : NULL;
        streams[i].vtcm_bytes = n_bytes;
        streams[i].buffer_bytes = buffer_bytes(n_bytes);
    }
    return streams;
}

static const uint8_t *tile_in_memory(const struct phx_stream *stream, uint32_t tile) {
    const struct phx_way *way = stream->way;
    return way->mm->tiles + stream->offset + (size_t)tile * way->mm->tile_bytes;
}

/* Of super-blocks, as bytes; the short one at the end of a tile is not among them. */
static uint32_t bytes_of(const struct phx_matmul *mm, uint32_t n_blocks) {
    return n_blocks / SUPER_BLOCK * phx_super_bytes(phx_weight_type(mm->dtype));
}

/* Where a piece ends that begins with these blocks. */
static inline void end_piece(const struct phx_way *way, struct phx_piece *piece) {
    uint32_t last = piece->first_block + way->piece_blocks, end = way->slice.last_block;
    piece->last_block = last;
    piece->last_byte = piece->first_byte + way->piece_bytes;
    if (last >= end) {
        piece->last_block = end;
        piece->last_byte = way->slice_end;
    }
}

/* The first piece of the slice. */
static struct phx_piece first_piece(const struct phx_way *way) {
    const struct phx_tile_slice *slice = &way->slice;
    struct phx_piece piece = {.first_tile = slice->first,
                              .n_tiles = smaller(slice->n_at_once, slice->last - slice->first),
                              .first_block = slice->first_block,
                              .first_byte = PHX_TABLE_BYTES + bytes_of(way->mm, slice->first_block)};
    end_piece(way, &piece);
    return piece;
}

/* Moves on to the piece after; false: there is none. */
static inline bool move_on(const struct phx_way *way, struct phx_piece *piece) {
    if (piece->last_block < way->slice.last_block) {
        piece->first_block = piece->last_block;
        piece->first_byte = piece->last_byte;
        end_piece(way, piece);
        return true;
    }
    uint32_t next_tile = piece->first_tile + piece->n_tiles, n_left = way->slice.last - next_tile;
    *piece = way->first;
    piece->first_tile = next_tile;
    piece->n_tiles = smaller(way->slice.n_at_once, n_left);
    return n_left > 0;
}

/* Adds a copy of n_bytes from each of n_tiles to the chain that ends before dma; returns its new end. */
static inline struct phx_dma *add_copies(struct phx_dma *dma, uint32_t n_tiles, const uint8_t *from, uint32_t from_step,
                                         const uint8_t *to, uint32_t to_step, uint32_t n_bytes) {
    PHX_KEEP_ROLLED
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
    uint32_t n_tiles = piece->n_tiles, step = stream->way->mm->tile_bytes;
    struct phx_dma *end = stream->dma;
    if (stream->way->tile_bytes == step) {
        stream->arriving_bytes = n_tiles * step;
        phx_dma_set(end++, NULL, tiles, there, n_tiles * step);
    } else {
        uint32_t n_bytes = piece->last_byte - piece->first_byte;
        uint32_t to_step = stream->way->tile_bytes;
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

/* Has more of a piece fetched, as much as may be under way at once. */
static void fetch_more(struct phx_stream *stream, const struct phx_piece *piece) {
    uint32_t step = stream->way->mm->tile_bytes, n = piece->n_tiles - stream->n_fetched;
    uint32_t first_byte = piece->first_byte > PHX_TABLE_BYTES ? piece->first_byte : 0; /* the row table, too */
    uint32_t n_bytes = piece->last_byte - first_byte;
    const uint8_t *from = tile_in_memory(stream, piece->first_tile + stream->n_fetched) + first_byte;
    if (n_bytes == step) {
        phx_fetch(from, n * step);
    } else if (step <= PHX_FETCH_MAX) {
        phx_fetch_box(from, n_bytes, n, step);
    } else {
        n = smaller(n, PHX_FETCHES);
        PHX_KEEP_ROLLED
        for (uint32_t i = 0; i < n; i++) {
            phx_fetch(from, n_bytes);
            from += step;
        }
    }
    stream->n_fetched += n;
}

static bool is_fetched(const struct phx_way *way) {
    return PHX_CAN_FETCH && way->by_fetch;
}

/* Begins with the next one. */
static __attribute__((noinline)) void fetch_next(struct phx_stream *stream) {
    stream->n_fetched = 0;
    fetch_more(stream, &stream->next);
}

/* Until all of this one is there. */
static __attribute__((noinline)) void await_fetched(struct phx_stream *stream, const struct phx_piece *piece) {
    phx_fetch_wait();
    while (stream->n_fetched < piece->n_tiles) {
        fetch_more(stream, piece);
        phx_fetch_wait();
    }
}

static uint32_t room_of_tile(uint32_t room, uint32_t n_at_once) {
    return n_at_once == 1 ? room : room / PHX_TILES_AT_ONCE / PHX_VECTOR * PHX_VECTOR;
}

/* Pieces of nearly equal length. */
static struct phx_cut make_cut(const struct phx_matmul *mm, uint32_t n_bytes, uint32_t n_at_once) {
    uint32_t room = room_of_tile(n_bytes, n_at_once);
    const struct phx_weight_type *type = phx_weight_type(mm->dtype);
    uint32_t super_bytes = phx_super_bytes(type);
    uint32_t least_of_several = type->is_float ? LEAST_OF_FLOATS : LEAST_OF_SEVERAL;
    uint32_t most = room < PHX_TABLE_BYTES ? 0 : (room - PHX_TABLE_BYTES) / super_bytes * SUPER_BLOCK;
    uint32_t step = n_at_once > 1 || most < BATCH ? SUPER_BLOCK : BATCH;
    uint32_t n_blocks = 0;
    most -= most % step;
    if (most >= (n_at_once > 1 ? least_of_several : LEAST_BLOCKS)) {
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

/* For each tile, in a buffer or, if everything fits there at once, in both. */
static uint32_t room_for(const struct phx_stream *room, const struct phx_tile_slice *slice) {
    bool is_all = slice->last - slice->first <= slice->n_at_once;
    return room_of_tile(is_all ? room->vtcm_bytes : room->buffer_bytes, slice->n_at_once);
}

/* Whole tiles, n_at_once of them. */
static bool fit_whole(struct phx_way *way, const struct phx_cuts *cuts, const struct phx_stream *room) {
    if (way->slice.n_at_once == PHX_TILES_FITTING) {
        way->slice.n_at_once = cuts->n_whole ? cuts->n_whole : 1;
        return cuts->n_whole || (way->slice.last - way->slice.first == 1 && way->mm->tile_bytes <= room->vtcm_bytes);
    }
    return way->mm->tile_bytes <= room_for(room, &way->slice);
}

/* Pieces of n_at_once tiles or, where those would be too short, of one. */
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

/* A part of tiles, along k, in one piece. */
static bool fit_part(struct phx_way *way, const struct phx_stream *room) {
    const struct phx_tile_slice *slice = &way->slice;
    way->piece_blocks = slice->last_block - slice->first_block;
    way->piece_bytes = way->mm->tile_bytes - PHX_TABLE_BYTES - bytes_of(way->mm, slice->first_block);
    if (slice->last_block < way->mm->n_blocks) {
        way->piece_bytes = bytes_of(way->mm, way->piece_blocks);
    }
    way->tile_bytes = way->piece_bytes + PHX_TABLE_BYTES;
    return way->tile_bytes <= room_for(room, slice);
}

void phx_way_make(struct phx_way *way, const struct phx_stream *stream, const struct phx_matmul *mm,
                  const struct phx_cuts *cuts, bool may_cut) {
    const struct phx_tile_slice *slice = &way->slice;
    way->mm = mm;
    way->piece_blocks = mm->n_blocks;
    way->piece_bytes = mm->tile_bytes - PHX_TABLE_BYTES;
    way->tile_bytes = mm->tile_bytes;
    bool is_whole = slice->last_block - slice->first_block == mm->n_blocks;
    bool fits = is_whole ? fit_whole(way, cuts, stream) : fit_part(way, stream);
    bool is_ahead = fits || (may_cut && fit_cut(way, cuts));
    way->by_dma = is_ahead && stream->vtcm;
    way->by_fetch = is_ahead && !stream->vtcm;
    if (!is_ahead) {
        way->piece_blocks = mm->n_blocks;
        way->slice.n_at_once = slice->last - slice->first;
    }
    way->slice_end = mm->tile_bytes;
    if (slice->last_block < mm->n_blocks) {
        way->slice_end = PHX_TABLE_BYTES + bytes_of(mm, slice->last_block);
    }
    way->first = first_piece(way);
    way->is_long = way->first.n_tiles * way->tile_bytes > stream->buffer_bytes;
}

void phx_stream_open(struct phx_stream *stream, const struct phx_way *way, size_t offset) {
    stream->way = way;
    stream->offset = offset;
    stream->next = way->first;
    stream->arriving_bytes = 0;
    stream->is_put_off = false;
    stream->is_first = true;
    if (!way->by_dma) {
        if (is_fetched(way)) {
            fetch_next(stream);
        }
        return;
    }
    if (way->is_long || !stream->used_bytes || stream->used_bytes > stream->buffer_bytes) {
        stream->arriving = 0;
        stream->is_put_off = stream->used_bytes;
    }
    if (!stream->is_put_off) {
        start_first(stream);
    }
}

static void close_stream(struct phx_stream *stream) {
    if (stream->arriving_bytes) {
        phx_dma_wait(stream->last);
        stream->arriving_bytes = 0;
    }
    stream->is_ahead = false;
}

void phx_stream_begin(struct phx_stream *stream, const struct phx_way *way, size_t offset) {
    if (stream->is_ahead && stream->way == way) {
        stream->is_ahead = false;
        return;
    }
    close_stream(stream);
    stream->used_bytes = 0;
    if (way) {
        phx_stream_open(stream, way, offset);
    }
}

void phx_stream_open_ahead(struct phx_stream *stream, const struct phx_way *way) {
    phx_stream_open(stream, way, 0);
    stream->is_ahead = true;
}

void phx_stream_next(struct phx_stream *stream) {
    const struct phx_way *way = stream->way;
    struct phx_piece *next = &stream->next;
    uint32_t first_tile = next->first_tile, n_tiles = next->n_tiles;
    uint32_t before = next->first_byte - PHX_TABLE_BYTES, tile_bytes = way->tile_bytes;
    if (stream->is_put_off) {
        stream->is_put_off = false;
        start_first(stream);
    }
    if (is_fetched(way)) {
        await_fetched(stream, next);
    }
    stream->first_tile = first_tile;
    stream->n_tiles = n_tiles;
    if (stream->is_first) {
        stream->is_first = false;
        stream->part = *way->mm;
    }
    stream->part.n = way->mm->n - first_tile * PHX_TILE_ROWS;
    stream->part.first_block = next->first_block;
    stream->part.last_block = next->last_block;
    stream->part.first_byte = next->first_byte;
    stream->is_last = !move_on(way, next);
    if (!stream->arriving_bytes || !phx_dma_wait(stream->last)) {
        stream->arriving_bytes = stream->used_bytes = 0; /* nor will anything more of the slice */
        stream->part.tiles = tile_in_memory(stream, first_tile);
        stream->part.tile_bytes = way->mm->tile_bytes;
        stream->part.table = 0;
        if (is_fetched(way) && !stream->is_last) {
            fetch_next(stream);
        }
        return;
    }
    stream->part.tiles = (const uint8_t *)((uintptr_t)stream->vtcm + stream->arriving - before);
    stream->part.tile_bytes = tile_bytes;
    stream->part.table = before;
    stream->dma_bytes += stream->arriving_bytes;
    stream->used_bytes = tile_bytes * n_tiles;
    stream->arriving_bytes = 0;
    stream->arriving = stream->buffer_bytes - stream->arriving;
    if (!stream->is_last) {
        start(stream, next);
    }
}

void phx_stream_end(struct phx_stream *stream) {
    stream->used_bytes = 0;
    if (!stream->is_ahead) {
        close_stream(stream);
    } else if (stream->is_put_off) {
        stream->is_put_off = false;
        start_first(stream);
    }
}

static void close_job(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_stream *streams = argument;
    (void)n_threads;
    close_stream(&streams[thread]);
}

uint64_t phx_streams_bytes(const struct phx_executor *executor) {
    struct phx_stream *streams = executor->streams->data;
    uint64_t n_bytes = 0;
    for (uint32_t i = 0; streams && i < executor->pool->n_threads; i++) {
        n_bytes += streams[i].dma_bytes;
        streams[i].dma_bytes = 0;
    }
    return n_bytes;
}

void phx_streams_close(const struct phx_executor *executor) {
    if (executor->streams->data) {
        phx_pool_run(executor->pool, executor->pool->n_threads, close_job, executor->streams->data);
    }
}
