/* SPDX-License-Identifier: MIT
 *
 * What a thread does of a planned product: it quantizes its parts of rows, multiplies its slices of tiles, adds up the
 * partial sums of tiles that it shares with other threads, and runs the fused ops on its columns. Its prefetch begins
 * before it quantizes; behind its last slice it prefetches the first slice of the program's next product.
 */
#include "meeting.h"

#include "formats/tiles.h"
#include "ops/codes.h"
#include "ops/rolled.h"
#include "runtime/fetch.h"

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

/* --- Shares of runs --- */

static const struct phx_share *share_of(const struct phx_lane *lane, uint32_t run) {
    return lane->at_hand[run % 2];
}

static bool any_takes_rows_in_parts(const struct phx_plan *plan, uint32_t n_rows) {
    bool any = false;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        any |= phx_takes_rows_in_parts(plan->weights[i], n_rows);
    }
    return any;
}

/* The thread's share of a run, from its cache or made now. Where shares are uneven they rotate from run to run, so that
 * no thread gets the larger share each time. */
static __attribute__((noinline)) void make_share(const struct phx_product *product, struct phx_lane *lane) {
    const struct phx_plan *plan = &product->plan;
    uint32_t n_rows = product->runs[lane->run].n_rows;
    uint32_t kind = n_rows > plan->rows_apart, *part = &lane->part[kind];
    uint32_t i = 2 * *part + kind, bit = 1u << i;
    if (kind && any_takes_rows_in_parts(plan, n_rows)) {
        i = 2 * plan->n_multiplying + lane->run % 2;
        bit = 0;
    }
    struct phx_share *share = &plan->threads[lane - product->lanes].shares[i];
    lane->at_hand[lane->run % 2] = share;
    if (!(lane->cached & bit)) {
        phx_plan_cut(plan, n_rows, *part, share);
        lane->cached |= bit;
    }
    if (!share->is_even && ++*part == plan->n_multiplying) {
        *part = 0;
    }
}

/* The next slice of a run up to last_run, and where its matrix lies; NULL: there is none. */
static const struct phx_way *next_way(const struct phx_product *product, struct phx_lane *lane, uint32_t last_run,
                                      size_t *offset) {
    while (lane->run <= last_run && lane->run < product->n_runs) {
        if (lane->slice == 0 && product->n_runs > 1) {
            make_share(product, lane);
        }
        const struct phx_share *share = share_of(lane, lane->run);
        const struct phx_way *way = lane->slice < share->n ? &share->ways[lane->slice] : NULL;
        if (way) {
            *offset = product->runs[lane->run].matrix * product->plan.weights[way->factor]->matrix_bytes;
        }
        if (++lane->slice >= share->n) {
            lane->slice = 0;
            lane->run++;
        }
        if (way) {
            return way;
        }
    }
    return NULL;
}

static __attribute__((noinline)) const struct phx_way *
first_way(const struct phx_product *product, struct phx_lane *lane, uint32_t thread, size_t *offset) {
    lane->run = lane->slice = 0;
    lane->cached = 0; /* the chunk before had other rows, or fewer threads */
    lane->part[0] = lane->part[1] = thread;
    lane->at_hand[0] = product->plan.threads[thread].shares;
    return next_way(product, lane, 0, offset);
}

static inline void open_first(const struct phx_product *product, struct phx_lane *lane, struct phx_stream *stream,
                              uint32_t thread) {
    const struct phx_way *way = NULL;
    size_t offset = 0;
    if (product->n_runs == 1 && product->runs->matrix == 0) {
        const struct phx_share *share = product->plan.threads[thread].shares;
        lane->at_hand[0] = share;
        lane->run = share->n < 2;
        lane->slice = share->n > 1;
        way = share->n ? share->ways : NULL;
    } else {
        way = first_way(product, lane, thread, &offset);
    }
    lane->is_open = way;
    phx_stream_begin(stream, way, offset);
}

/* Opens the thread's next slice, or the first slice of the program's next product. */
static __attribute__((noinline)) void open_next(const struct phx_product *product, struct phx_lane *lane,
                                                struct phx_stream *stream, uint32_t last_run) {
    size_t offset = 0;
    const struct phx_way *way = next_way(product, lane, last_run, &offset);
    uint32_t thread = (uint32_t)(lane - product->lanes);
    if (way) {
        lane->is_open = true;
        phx_stream_open(stream, way, offset);
    } else if (product->next && lane->run == product->n_runs && thread < product->next->plan.n_multiplying) {
        const struct phx_share *share = product->next->plan.threads[thread].shares;
        if (share->n) {
            phx_stream_open_ahead(stream, share->ways);
        }
    }
}

/* --- Quantizing --- */

/* Parts first..last-1, counted row after row and form after form. */
static __attribute__((noinline)) void quantize_rows(const struct phx_product *product, uint32_t first, uint32_t last) {
    uint32_t form = product->is_quantized;
    uint32_t row_parts = phx_row_parts(&product->plan.weights[0]->mm);
    uint32_t row = first < row_parts ? 0 : first / row_parts;
    for (uint32_t before = row * row_parts; first < last; before += row_parts) {
        while (row >= product->plan.n_x) {
            row -= product->plan.n_x;
            form++;
        }
        const struct phx_weight_plan *weight = product->plan.wants[form];
        uint32_t end = at_most(before + row_parts, last);
        weight->kernel->quantise(&weight->mm, product->x + product->x_offsets[row], first - before, end - before,
                                 product->forms[form].rows + row * weight->row_bytes);
        first = end;
        row++;
    }
}

/* The largest exponent of the only row; each thread that quantizes has looked at its parts. */
static int32_t share_exponent(struct phx_product *product, uint32_t thread, int32_t own) {
    int32_t *seen = product->seen, exponent = own;
    uint32_t n = product->quantizing->n;
    seen[thread] = own;
    phx_pool_barrier(product->pool, thread);
    seen += product->quantizing->first;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n; i++) {
        exponent = seen[i] > exponent ? seen[i] : exponent;
    }
    return exponent;
}

static inline void quantize_part(struct phx_product *product, uint32_t thread) {
    const struct phx_quantizing *quantizing = product->quantizing;
    uint32_t part = thread - quantizing->first;
    bool quantizes = part < quantizing->n;
    uint32_t first = phx_slice_start(quantizing->parts, part);
    uint32_t last = phx_slice_start(quantizing->parts, part + 1);
    const struct phx_weight_plan *weight = product->plan.wants[product->is_quantized];
    uint8_t *row = product->forms[product->is_quantized].rows;
    const struct phx_matmul_kernel *kernel = weight->kernel;
    const uint8_t *x = product->x + product->x_offsets[0];
    if (quantizing->is_looked_at) {
        int32_t exponent = share_exponent(product, thread,
                                          quantizes ? kernel->look(&weight->mm, x, first, last, row) : 0);
        if (quantizes) {
            kernel->quantise_seen(&weight->mm, x, first, last, row, exponent);
        }
    } else if (quantizes && quantizing->is_one_row) {
        kernel->quantise(&weight->mm, x, first, last, row);
    } else if (quantizes) {
        quantize_rows(product, first, last);
    }
}

/* Quantizes the thread's parts, then waits at a barrier for the other threads. */
static void quantize_all(struct phx_product *product, uint32_t thread) {
    uint64_t start = thread ? 0 : phx_pool_clock(product->pool);
    quantize_part(product, thread);
    phx_pool_barrier(product->pool, thread);
    if (thread == 0) {
        product->quantize_ticks = (uint32_t)(phx_pool_clock(product->pool) - start);
    }
}

/* --- Multiplying --- */

/* Multiplies the stream's tiles with all rows, rows_at_once at a time, and prefetches the next rows. */
static __attribute__((noinline)) void multiply_in_parts(const struct phx_weight_plan *weight,
                                                        const struct phx_stream *stream, const struct phx_rows *all,
                                                        void *work) {
    const struct phx_matmul *part = &stream->part;
    if (part->first_block > 0 || part->last_block < part->n_blocks) {
        weight->kernel->multiply(part, all, 0, stream->n_tiles, work);
        return;
    }
    struct phx_rows rows = *all;
    for (uint32_t first = 0; first < all->n; first += rows.n) {
        uint32_t n_left = all->n - first;
        rows.n = at_most(weight->rows_at_once, n_left);
        uint32_t n_next = at_most(weight->rows_at_once, n_left - rows.n);
        uint32_t n_bytes = n_next * weight->row_bytes;
        if (n_next && rows.x_offsets[rows.n + n_next - 1] - rows.x_offsets[rows.n] == n_bytes - weight->row_bytes) {
            phx_fetch(rows.x + rows.x_offsets[rows.n], n_bytes);
        }
        weight->kernel->multiply(part, &rows, 0, stream->n_tiles, work);
        rows.x_offsets += rows.n;
        rows.dst_offsets += rows.n;
    }
}

static void *sums_of(const struct phx_product *product, uint32_t number) {
    return product->sums + number * product->plan.sums_bytes;
}

static void multiply_slice(const struct phx_product *product, const struct phx_way *way, uint32_t run_index,
                           struct phx_lane *lane, struct phx_stream *stream, void *work) {
    const struct phx_factor *factor = &product->factors[way->factor];
    const struct phx_form *form = &product->forms[product->plan.forms[way->factor]];
    const struct phx_weight_plan *weight = product->plan.weights[way->factor];
    const struct phx_run *run = &product->runs[run_index];
    uint32_t first_row = run->first + way->first_row;
    struct phx_rows rows = {.n = at_most(way->end_row, run->n_rows) - way->first_row,
                            .x = form->rows,
                            .x_offsets = form->row_offsets + first_row,
                            .dst_offsets = factor->dst_offsets + first_row,
                            .first_block = way->slice.first_block,
                            .sums = way->sums == PHX_WAY_WHOLE ? NULL : sums_of(product, way->sums)};
    bool is_in_parts = phx_takes_rows_in_parts(weight, run->n_rows), is_last;
    uint8_t *dst = factor->dst;
    lane->is_open = false;
    do {
        phx_stream_next(stream);
        is_last = stream->is_last;
        if (is_last) {
            open_next(product, lane, stream, run_index + 1);
        }
        rows.dst = dst + (size_t)stream->first_tile * PHX_TILE_ROWS * sizeof(float);
        if (is_in_parts) {
            multiply_in_parts(weight, stream, &rows, work);
        } else {
            weight->kernel->multiply(&stream->part, &rows, 0, stream->n_tiles, work);
        }
    } while (!is_last);
}

/* Multiplies the thread's share of run i. */
static inline __attribute__((always_inline)) void multiply_run(const struct phx_product *product, uint32_t i,
                                                               struct phx_lane *lane, struct phx_stream *stream,
                                                               void *work) {
    if (lane->run == i && !lane->is_open) {
        open_next(product, lane, stream, i);
    }
    const struct phx_share *share = share_of(lane, i);
    for (uint32_t j = 0; j < share->n; j++) {
        multiply_slice(product, &share->ways[j], i, lane, stream, work);
    }
}

/* Adds up the partial sums of tiles that threads share. */
static void finish_tiles(const struct phx_product *product, uint32_t thread, void *work) {
    const struct phx_thread_plan *mine = &product->plan.threads[thread];
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < mine->n_endings; i++) {
        const struct phx_ending *ending = &mine->endings[i];
        const struct phx_factor *factor = &product->factors[ending->factor];
        const struct phx_form *form = &product->forms[product->plan.forms[ending->factor]];
        const struct phx_weight_plan *weight = product->plan.weights[ending->factor];
        struct phx_rows rows = {.n = product->runs->n_rows,
                                .x = form->rows,
                                .x_offsets = form->row_offsets,
                                .dst = factor->dst,
                                .dst_offsets = factor->dst_offsets,
                                .sums = product->sums};
        weight->kernel->finish(&weight->mm, &rows, ending, work);
    }
}

/* --- Fused ops --- */

/* Runs a fused op on the thread's columns: of all rows, or behind a MUL_MAT_ID that is not shared of the run's rows. */
static uint32_t follow_by(const struct phx_product *product, const struct phx_call *call, const struct phx_run *run,
                          const struct phx_columns *tiles) {
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice columns = {0, phx_n_rows(view), tiles->first * PHX_TILE_ROWS,
                                at_most(tiles->last * PHX_TILE_ROWS, view->ne[0])};
    uint32_t status = PHX_OK;
    if (columns.first >= columns.end) {
        return PHX_OK;
    }
    if (product->calls->type->code == PHX_OP_MUL_MAT || product->is_shared) {
        return phx_rows_kernel(call)(call, &columns, NULL);
    }
    for (uint32_t i = 0; !status && i < run->n_rows; i++) {
        columns.first_row = product->place_rows[run->first + i];
        columns.end_row = columns.first_row + 1;
        status = phx_rows_kernel(call)(call, &columns, NULL);
    }
    return status;
}

static uint32_t follow(const struct phx_product *product, const struct phx_run *run,
                       const struct phx_columns *columns) {
    uint32_t status = PHX_OK;
    for (uint32_t i = product->plan.n_factors; !status && i < product->n_calls; i++) {
        const struct phx_call *call = &product->calls[i];
        status = follow_by(product, call, run, &columns[call->columns_of]);
    }
    return status;
}

/* Runs the fused ops on the thread's rows of tiles that threads share by rows. */
static __attribute__((noinline)) uint32_t follow_rows(const struct phx_product *product,
                                                      const struct phx_share *share) {
    uint32_t status = PHX_OK;
    for (uint32_t j = 0; j < share->n; j++) {
        const struct phx_way *way = &share->ways[j];
        for (uint32_t i = product->plan.n_factors; !status && i < product->n_calls; i++) {
            const struct phx_call *call = &product->calls[i];
            struct phx_slice slice = {way->first_row, way->end_row, way->slice.first * PHX_TILE_ROWS,
                                      at_most(way->slice.last * PHX_TILE_ROWS, call->dst[0]->view.ne[0])};
            if (way->end_row != PHX_ALL_ROWS && call->columns_of == way->factor) {
                status = phx_rows_kernel(call)(call, &slice, NULL);
            }
        }
    }
    return status;
}

/* --- Products that the CPU shares --- */

/* Runs the fused ops on an even part of all columns, whoever has computed them. */
static __attribute__((noinline)) uint32_t follow_evenly(const struct phx_product *product, uint32_t thread,
                                                        uint32_t n_threads) {
    struct phx_columns columns[PHX_MAX_FACTORS];
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->plan.n_factors; i++) {
        struct phx_slices cut = phx_split_evenly(phx_n_tiles(product->calls[i].dst[0]->view.ne[0]), n_threads);
        columns[i] = (struct phx_columns){phx_slice_start(cut, thread), phx_slice_start(cut, thread + 1)};
    }
    return follow(product, product->runs, columns);
}

/* Collects the CPU's tiles when the thread has multiplied its own. All threads of the job take part. */
static __attribute__((noinline)) void collect(struct phx_product *product, uint32_t thread, uint32_t n_threads) {
    phx_meeting_collect(product, thread, n_threads, product->work + thread * product->work_bytes);
    if (product->is_followed) {
        phx_pool_barrier(product->pool, thread);
        product->status[thread] = follow_evenly(product, thread, n_threads);
    }
}

/* --- One thread --- */

void phx_product_execute(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_product *product = argument;
    struct phx_lane *lane = &product->lanes[thread];
    struct phx_stream *stream = &product->streams[thread];
    bool multiplies = thread < product->plan.n_multiplying, is_shared = product->is_shared;
    bool is_followed = product->is_followed && !is_shared, is_split = product->plan.is_split;
    uint32_t status = PHX_OK;
    if (multiplies) {
        open_first(product, lane, stream, thread);
    }
    if (product->quantizing->n) {
        quantize_all(product, thread);
    }
    if (multiplies) {
        void *work = product->work + thread * product->work_bytes;
        for (uint32_t i = 0; !status && i < product->n_runs; i++) {
            multiply_run(product, i, lane, stream, work);
            if (is_followed && !is_split) {
                status = follow(product, &product->runs[i], share_of(lane, i)->columns);
                if (!status && product->plan.is_row_split) {
                    status = follow_rows(product, share_of(lane, i));
                }
            }
        }
        phx_stream_end(stream);
        if (is_split) {
            phx_pool_barrier(product->pool, thread);
            finish_tiles(product, thread, work);
            status = is_followed ? follow(product, product->runs, product->plan.threads[thread].shares->columns)
                                 : PHX_OK;
        }
        if (is_followed) {
            product->status[thread] = status;
        }
    }
    if (is_shared) {
        collect(product, thread, n_threads);
    }
}
