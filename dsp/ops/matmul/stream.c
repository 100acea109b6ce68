/* SPDX-License-Identifier: MIT
 *
 * One chain of DMA descriptors is in flight at a time. phx_stream_next() waits for its piece and starts the copy of the
 * next piece to the other buffer before the thread multiplies.
 *
 * If a copy fails, the stream reads the rest of the slice from memory. If a copy does not complete in time, the engine
 * may write to the buffers at any later time, so the stream reads from memory from then on.
 *
 * In a buffer, each tile has its row table, which arrives with the last piece, and then the blocks of the piece. So
 * whole tiles look as in memory, and one descriptor copies all of them.
 *
 * Without VTCM, pieces are prefetched into the cache in the same order and multiplied in place. At most three fetches
 * are in flight: of four tiles that are far apart, the stream fetches the last one when the first three have arrived.
 */
#include "stream.h"

#include "ops/rolled.h"
#include "runtime/fetch.h"
#include "formats/tiles.h"

struct phx_stream *phx_streams(const struct phx_executor *executor) {
    uint32_t n_threads = executor->pool->n_threads;
    if (executor->streams->data) {
        return executor->streams->data;
    }
    struct phx_room room = phx_room_of_thread(true, executor->vtcm->n_bytes, n_threads);
    struct phx_stream *streams = phx_area_reserve(executor->streams, n_threads * sizeof(*streams));
    for (uint32_t i = 0; streams && i < n_threads; i++) {
        uint8_t *vtcm = executor->vtcm->data;
        memset(&streams[i], 0, sizeof(streams[i]));
        streams[i].vtcm = vtcm ? vtcm + i * room.n_bytes : NULL;
        streams[i].buffer_bytes = room.buffer_bytes;
    }
    return streams;
}

static const uint8_t *tile_in_memory(const struct phx_stream *stream, uint32_t tile) {
    const struct phx_way *way = stream->way;
    return way->mm->tiles + stream->offset + (size_t)tile * way->mm->tile_bytes;
}

/* Appends descriptors for n_bytes of each of n_tiles to the chain that ends before `dma`; returns its new end. */
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

/* Starts to copy a piece to the buffer `arriving`. */
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

/* Fetches more of a piece, as much as may be in flight at once. */
static void fetch_more(struct phx_stream *stream, const struct phx_piece *piece) {
    uint32_t step = stream->way->mm->tile_bytes, n = piece->n_tiles - stream->n_fetched;
    uint32_t first_byte = piece->first_byte > PHX_TABLE_BYTES ? piece->first_byte : 0; /* with the row table */
    uint32_t n_bytes = piece->last_byte - first_byte;
    const uint8_t *from = tile_in_memory(stream, piece->first_tile + stream->n_fetched) + first_byte;
    if (n_bytes == step) {
        phx_fetch(from, n * step);
    } else if (step <= PHX_FETCH_MAX) {
        phx_fetch_box(from, n_bytes, n, step);
    } else {
        n = n < PHX_FETCHES ? n : PHX_FETCHES;
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

/* Begins to fetch the next piece. */
static __attribute__((noinline)) void fetch_next(struct phx_stream *stream) {
    stream->n_fetched = 0;
    fetch_more(stream, &stream->next);
}

/* Waits until all of this piece has arrived. */
static __attribute__((noinline)) void await_fetched(struct phx_stream *stream, const struct phx_piece *piece) {
    phx_fetch_wait();
    while (stream->n_fetched < piece->n_tiles) {
        fetch_more(stream, piece);
        phx_fetch_wait();
    }
}

void phx_stream_open(struct phx_stream *stream, const struct phx_way *way, size_t offset) {
    stream->way = way;
    stream->offset = offset;
    stream->next = way->first;
    stream->arriving_bytes = 0;
    stream->is_put_off = false;
    stream->is_first = true;
    if (!way->by_dma || stream->is_abandoned) {
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

/* Waits for the copy in flight. Returns false, and counts the failure, if it failed. */
static bool await_copy(struct phx_stream *stream) {
    enum phx_dma_result result = phx_dma_wait(stream->last);
    if (__builtin_expect(result != PHX_DMA_DONE, 0)) {
        stream->faults.n_failures++;
        stream->is_abandoned |= result == PHX_DMA_TIMEOUT;
        return false;
    }
    return true;
}

static void close_stream(struct phx_stream *stream) {
    if (stream->arriving_bytes) {
        await_copy(stream);
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
        stream->part.reads_groups = way->reads_groups;
    }
    stream->part.n = way->mm->n - first_tile * PHX_TILE_ROWS;
    stream->part.first_block = next->first_block;
    stream->part.last_block = next->last_block;
    stream->part.first_byte = next->first_byte;
    stream->is_last = !phx_piece_next(way, next);
    if (!stream->arriving_bytes || !await_copy(stream)) {
        stream->arriving_bytes = stream->used_bytes = 0;
        stream->faults.n_fallbacks += way->by_dma;
        stream->part.tiles = tile_in_memory(stream, first_tile);
        stream->part.tile_bytes = way->mm->tile_bytes;
        stream->part.table = 0;
        if (!way->mm->reads_groups && stream->part.n <= n_tiles * PHX_TILE_ROWS) { /* no tile behind these */
            stream->part.reads_groups = false;
        }
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

struct phx_dma_faults phx_streams_faults(const struct phx_executor *executor) {
    struct phx_stream *streams = executor->streams->data;
    struct phx_dma_faults faults = {0};
    for (uint32_t i = 0; streams && i < executor->pool->n_threads; i++) {
        faults.n_failures += streams[i].faults.n_failures;
        faults.n_fallbacks += streams[i].faults.n_fallbacks;
        streams[i].faults = (struct phx_dma_faults){0};
    }
    return faults;
}

void phx_streams_close(const struct phx_executor *executor) {
    if (executor->streams->data) {
        phx_pool_run(executor->pool, executor->pool->n_threads, close_job, executor->streams->data);
    }
}
