/* SPDX-License-Identifier: MIT
 *
 * What a thread does of a product: quantises its parts of rows, multiplies its slices, ends the tiles that it shared with
 * others, and goes on with the ops that follow. Its copies begin before it quantises; when nothing more of them is to
 * be brought, those of the program's next product do.
 */
#include "product.h"

#include "ops/rolled.h"
#include "runtime/fetch.h"

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

/* --- Shares --- */

uint32_t phx_product_units(const struct phx_product *product, const struct phx_factor *factor,
                           const struct phx_run *run) {
    uint32_t shift = phx_product_shift(product, run);
    return (factor->plan->n_tiles + (1u << shift) - 1) >> shift;
}

static bool takes_rows_in_parts(const struct phx_product_plan *plan, const struct phx_run *run) {
    return run->n_rows > plan->cached_rows && run->n_rows > plan->rows_at_once;
}

/* Part `part` of a run: of all factors side by side, or the same part of each. */
void phx_product_cut(const struct phx_product *product, uint32_t run_index, uint32_t part, struct phx_share *share) {
    const struct phx_run *run = &product->runs[run_index];
    bool is_side_by_side = product->n_factors > 1 && !product->is_cut_alike;
    uint32_t shift = phx_product_shift(product, run), n_all = 0, before = 0;
    for (uint32_t i = 0; is_side_by_side && i < product->n_factors; i++) {
        n_all += phx_product_units(product, &product->factors[i], run);
    }
    share->n = 0;
    share->is_even = true;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        const struct phx_product_plan *plan = product->factors[i].plan;
        uint32_t n = phx_product_units(product, &product->factors[i], run);
        struct phx_slices cut = phx_cut_evenly(is_side_by_side ? n_all : n, product->n_multiplying);
        uint32_t first = phx_slice_start(cut, part), end = phx_slice_start(cut, part + 1);
        share->is_even &= cut.more == 0;
        first = first > before ? at_most(first - before, n) : 0;
        end = end > before ? at_most(end - before, n) : 0;
        first = at_most(first << shift, plan->n_tiles);
        end = at_most(end << shift, plan->n_tiles);
        share->columns[i] = (struct phx_columns){first, end};
        if (first < end) {
            struct phx_way *way = &share->ways[share->n++];
            way->slice = (struct phx_tile_slice){
                .first = first,
                .last = end,
                .n_at_once = takes_rows_in_parts(plan, run) ? PHX_TILES_FITTING : 1u << shift,
                .last_block = plan->mm.n_blocks,
            };
            phx_way_make(way, product->streams, &plan->mm, &plan->cuts, plan->kernel->takes_cut_tiles);
            way->factor = (uint8_t)i;
            way->sums = PHX_WAY_WHOLE;
        }
        before += is_side_by_side ? n : 0;
    }
}

static const struct phx_share *share_of(const struct phx_lane *lane, uint32_t run) {
    return lane->at_hand[run % 2];
}

static bool any_takes_rows_in_parts(const struct phx_product *product, const struct phx_run *run) {
    bool any = false;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        any |= takes_rows_in_parts(product->factors[i].plan, run);
    }
    return any;
}

/* Where parts are not equal they rotate from run to run: so none of the threads gets the larger one each time. */
static __attribute__((noinline)) void make_share(const struct phx_product *product, struct phx_lane *lane) {
    const struct phx_run *run = &product->runs[lane->run];
    uint32_t kind = run->n_rows > product->rows_apart, *part = &lane->part[kind];
    uint32_t i = 2 * *part + kind, bit = 1u << i;
    if (product->n_runs == 1) {
        i = bit = 0;
    } else if (kind && any_takes_rows_in_parts(product, run)) {
        i = 2 * product->n_multiplying + lane->run % 2;
        bit = 0;
    }
    struct phx_share *share = &lane->shares[i];
    lane->at_hand[lane->run % 2] = share;
    if (!(lane->made & bit)) {
        phx_product_cut(product, lane->run, *part, share);
        lane->made |= bit;
    }
    if (!share->is_even && ++*part == product->n_multiplying) {
        *part = 0;
    }
}

/* The next slice that there is up to this run; or NULL. */
static const struct phx_way *next_way(const struct phx_product *product, struct phx_lane *lane, uint32_t last_run,
                                      size_t *offset) {
    while (lane->run <= last_run && lane->run < product->n_runs) {
        if (lane->slice == 0 && !product->is_made) {
            make_share(product, lane);
        }
        const struct phx_share *share = share_of(lane, lane->run);
        const struct phx_way *way = lane->slice < share->n ? &share->ways[lane->slice] : NULL;
        if (way) {
            *offset = product->runs[lane->run].matrix * product->factors[way->factor].plan->matrix_bytes;
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
    lane->made = 0; /* another chunk: perhaps there are fewer threads */
    lane->part[0] = lane->part[1] = thread;
    return next_way(product, lane, 0, offset);
}

static inline void open_first(const struct phx_product *product, struct phx_lane *lane, struct phx_stream *stream,
                              uint32_t thread) {
    const struct phx_way *way = NULL;
    size_t offset = 0;
    if (product->is_made) { /* of one run, and one matrix */
        uint32_t n = lane->shares->n;
        lane->run = n < 2;
        lane->slice = n > 1;
        way = n ? lane->shares->ways : NULL;
    } else {
        way = first_way(product, lane, thread, &offset);
    }
    lane->is_open = way;
    phx_stream_begin(stream, way, offset);
}

/* Has the next slice brought, or the first one of the product that comes next. */
static __attribute__((noinline)) void open_next(const struct phx_product *product, struct phx_lane *lane,
                                                struct phx_stream *stream, uint32_t last_run) {
    size_t offset = 0;
    const struct phx_way *way = next_way(product, lane, last_run, &offset);
    uint32_t thread = (uint32_t)(lane - product->lanes);
    if (way) {
        lane->is_open = true;
        phx_stream_open(stream, way, offset);
    } else if (product->next && lane->run == product->n_runs && thread < product->next->n_multiplying) {
        const struct phx_share *share = product->next->lanes[thread].shares;
        if (share->n) {
            phx_stream_open_ahead(stream, share->ways);
        }
    }
}

/* --- Quantising --- */

/* Parts of rows, row after row, form after form. */
static __attribute__((noinline)) void quantise_rows(const struct phx_product *product, uint32_t first, uint32_t last) {
    const struct phx_form *form = &product->forms[product->is_quantised];
    uint32_t row_parts = phx_row_parts(&form->plan->mm);
    uint32_t row = first < row_parts ? 0 : first / row_parts;
    for (uint32_t before = row * row_parts; first < last; before += row_parts) {
        while (row >= product->n_x) {
            row -= product->n_x;
            form++;
        }
        uint32_t end = at_most(before + row_parts, last);
        form->plan->kernel->quantise(&form->plan->mm, product->x + product->x_offsets[row], first - before,
                                     end - before, form->rows + row * form->plan->row_bytes);
        first = end;
        row++;
    }
}

/* The largest exponent of the only row, of which each thread that quantises has looked at its parts. */
static int32_t share_exponent(struct phx_product *product, uint32_t thread, int32_t own) {
    int32_t *seen = product->seen, exponent = own;
    seen[thread] = own;
    phx_pool_meet(product->pool, thread);
    seen += product->first_quantising;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_quantising; i++) {
        exponent = seen[i] > exponent ? seen[i] : exponent;
    }
    return exponent;
}

static inline void quantise_part(struct phx_product *product, uint32_t thread) {
    uint32_t part = thread - product->first_quantising;
    bool quantises = part < product->n_quantising;
    uint32_t first = phx_slice_start(product->part_slices, part);
    uint32_t last = phx_slice_start(product->part_slices, part + 1);
    const struct phx_form *form = &product->forms[product->is_quantised];
    const struct phx_matmul *mm = &form->plan->mm;
    const struct phx_matmul_kernel *kernel = form->plan->kernel;
    const uint8_t *x = product->x + product->x_offsets[0];
    if (product->is_looked_at) {
        int32_t exponent = share_exponent(product, thread,
                                          quantises ? kernel->look(mm, x, first, last, form->rows) : 0);
        if (quantises) {
            kernel->quantise_seen(mm, x, first, last, form->rows, exponent);
        }
    } else if (quantises && product->is_one_row) {
        kernel->quantise(mm, x, first, last, form->rows);
    } else if (quantises) {
        quantise_rows(product, first, last);
    }
}

/* Returns when all threads have done their parts. */
static void quantise_all(struct phx_product *product, uint32_t thread) {
    uint64_t start = thread ? 0 : phx_pool_clock(product->pool);
    quantise_part(product, thread);
    phx_pool_meet(product->pool, thread);
    if (thread == 0) {
        product->quantise_ticks = (uint32_t)(phx_pool_clock(product->pool) - start);
    }
}

/* --- Multiplying --- */

/* What the stream has brought, through all rows, some at a time. */
static __attribute__((noinline)) void multiply_in_parts(const struct phx_product_plan *plan,
                                                        const struct phx_stream *stream, const struct phx_rows *all,
                                                        void *work) {
    const struct phx_matmul *part = &stream->part;
    if (part->first_block > 0 || part->last_block < part->n_blocks) {
        plan->kernel->multiply(part, all, 0, stream->n_tiles, work);
        return;
    }
    struct phx_rows rows = *all;
    for (uint32_t first = 0; first < all->n; first += rows.n) {
        uint32_t n_left = all->n - first;
        rows.n = at_most(plan->rows_at_once, n_left);
        uint32_t n_next = at_most(plan->rows_at_once, n_left - rows.n);
        if (n_next && rows.x_offsets[rows.n + n_next - 1] - rows.x_offsets[rows.n] == (n_next - 1) * plan->row_bytes) {
            phx_fetch(rows.x + rows.x_offsets[rows.n], n_next * plan->row_bytes);
        }
        plan->kernel->multiply(part, &rows, 0, stream->n_tiles, work);
        rows.x_offsets += rows.n;
        rows.dst_offsets += rows.n;
    }
}

static void *sums_of(const struct phx_product *product, uint32_t number) {
    return product->sums + number * product->sums_bytes;
}

static void multiply_slice(const struct phx_product *product, const struct phx_way *way, uint32_t run_index,
                           struct phx_lane *lane, struct phx_stream *stream, void *work) {
    const struct phx_factor *factor = &product->factors[way->factor];
    const struct phx_form *form = &product->forms[factor->form];
    const struct phx_product_plan *plan = factor->plan;
    const struct phx_run *run = &product->runs[run_index];
    struct phx_rows rows = {.n = run->n_rows,
                            .x = form->rows,
                            .x_offsets = form->row_offsets + run->first,
                            .dst_offsets = factor->dst_offsets + run->first,
                            .first_block = way->slice.first_block,
                            .sums = way->sums == PHX_WAY_WHOLE ? NULL : sums_of(product, way->sums)};
    bool is_in_parts = takes_rows_in_parts(plan, run), is_last;
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
            multiply_in_parts(plan, stream, &rows, work);
        } else {
            plan->kernel->multiply(&stream->part, &rows, 0, stream->n_tiles, work);
        }
    } while (!is_last);
}

/* Run i through all factors. */
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

/* The results of tiles that threads have shared. */
static void end_tiles(const struct phx_product *product, const struct phx_lane *lane, void *work) {
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < lane->n_endings; i++) {
        const struct phx_ending *ending = &lane->endings[i];
        const struct phx_factor *factor = &product->factors[ending->factor];
        const struct phx_form *form = &product->forms[factor->form];
        const struct phx_product_plan *plan = factor->plan;
        struct phx_rows rows = {.n = product->runs->n_rows,
                                .x = form->rows,
                                .x_offsets = form->row_offsets,
                                .dst = factor->dst,
                                .dst_offsets = factor->dst_offsets,
                                .sums = product->sums};
        plan->kernel->finish(&plan->mm, &rows, ending, work);
    }
}

/* --- What follows --- */

/* The columns that the thread has made, of all rows or of a run's, through one of the ops that follow. */
static uint32_t follow_by(const struct phx_product *product, const struct phx_call *call, const struct phx_run *run,
                          const struct phx_columns *tiles) {
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice columns = {0, phx_n_rows(view), tiles->first * PHX_TILE_ROWS,
                                at_most(tiles->last * PHX_TILE_ROWS, view->ne[0])};
    uint32_t status = PHX_OK;
    if (columns.first >= columns.end) {
        return PHX_OK;
    }
    if (product->calls->type->code == PHX_OP_MUL_MAT) {
        return phx_rows_kernel(call)(call, &columns, NULL);
    }
    for (uint32_t i = 0; !status && i < run->n_rows; i++) {
        columns.first_row = product->place_rows[run->first + i];
        columns.end_row = columns.first_row + 1;
        status = phx_rows_kernel(call)(call, &columns, NULL);
    }
    return status;
}

static uint32_t follow(const struct phx_product *product, const struct phx_run *run, const struct phx_share *share) {
    uint32_t status = PHX_OK;
    for (uint32_t i = product->n_factors; !status && i < product->n_calls; i++) {
        const struct phx_call *call = &product->calls[i];
        status = follow_by(product, call, run, &share->columns[call->columns_of]);
    }
    return status;
}

/* --- All of it --- */

void phx_product_job(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_product *product = argument;
    struct phx_lane *lane = &product->lanes[thread];
    struct phx_stream *stream = &product->streams[thread];
    bool multiplies = thread < product->n_multiplying;
    bool is_followed = product->is_followed;
    uint32_t status = PHX_OK;
    (void)n_threads;
    if (multiplies) {
        open_first(product, lane, stream, thread);
    }
    if (product->n_quantising) {
        quantise_all(product, thread);
    }
    if (!multiplies) {
        return;
    }
    void *work = product->work + thread * product->work_bytes;
    for (uint32_t i = 0; !status && i < product->n_runs; i++) {
        multiply_run(product, i, lane, stream, work);
        if (is_followed && !product->is_split) {
            status = follow(product, &product->runs[i], share_of(lane, i));
        }
    }
    phx_stream_end(stream);
    if (product->is_split) {
        phx_pool_meet(product->pool, thread);
        end_tiles(product, lane, work);
        status = is_followed ? follow(product, product->runs, lane->shares) : PHX_OK;
    }
    if (is_followed) {
        product->status[thread] = status;
    }
}
