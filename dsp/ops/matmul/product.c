/* SPDX-License-Identifier: MIT */
#include "product.h"

#include "runtime/clock.h"
#include "runtime/fetch.h"
#include "tiles.h"

#define CACHED_BYTES (1u << 20) /* of quantised rows that stay in the cache of the DSP, beside what else passes there */
#define AT_ONCE_BYTES (512u << 10) /* of more rows: some, and the next ones are on their way */
#define ROWS_STEP 16
#define ROWS_LEAST 32 /* kernels expand blocks for so many */

#define MAX_BYTES (1u << 30) /* of scratch memory: sums of sizes below it stay within 32 bits */

_Static_assert(sizeof(struct phx_product_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");
_Static_assert(sizeof(struct phx_kept) <= PHX_VECTOR, "phx_kept");
_Static_assert(PHX_SPLIT_SLICES <= PHX_MAX_FACTORS, "phx_lane.slices");

static const struct phx_matmul_kernel *choose_kernel(uint32_t dtype, uint32_t kernels) {
    const struct phx_matmul_kernel *kernel = NULL;
#ifdef PHX_HVX
    if (kernels >= PHX_KERNELS_HVX) {
        kernel = phx_matmul_hvx(dtype);
    }
#else
    (void)kernels;
#endif
    return kernel ? kernel : phx_matmul_ref(dtype);
}

static struct phx_misfit check_operands(const struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view;
    if (w->layout != PHX_LAYOUT_TILES) {
        return (struct phx_misfit){PHX_E_LAYOUT, call->src[0]};
    }
    const struct phx_operand *floats[] = {call->src[1], call->dst[0]};
    for (int i = 0; i < 2; i++) {
        struct phx_misfit misfit = phx_want_rows(floats[i], PHX_F32);
        if (misfit.status) {
            return misfit;
        }
        if (floats[i]->view.ne[0] != w->ne[i]) { /* K of x, N of dst */
            return (struct phx_misfit){PHX_E_SHAPE, floats[i]};
        }
    }
    return PHX_FITS;
}

struct phx_misfit phx_product_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_product_plan *plan = (void *)call->plan;
    struct phx_misfit misfit = check_operands(call);
    if (misfit.status) {
        return misfit;
    }
    const struct phx_tensor *w = &call->src[0]->view;
    const struct phx_weight_type *type = &phx_weight_types[w->dtype];
    const struct phx_matmul_kernel *kernel = choose_kernel(w->dtype, call->kernels);
    uint32_t k = w->ne[0], n = w->ne[1], n_tiles = phx_n_tiles(n), tile_bytes = phx_tile_bytes(type, k);
    plan->mm = (struct phx_matmul){.dtype = w->dtype,
                                   .form = kernel->form,
                                   .k = k,
                                   .n = n,
                                   .n_blocks = phx_n_blocks(k),
                                   .ds = phx_ds(type, k),
                                   .dm = phx_dm(type, k),
                                   .tile_bytes = tile_bytes,
                                   .tiles = call->src[0]->data,
                                   .last_block = phx_n_blocks(k)};
    plan->kernel = kernel;
    plan->matrix_bytes = (size_t)n_tiles * tile_bytes;
    plan->row_bytes = phx_row_bytes(kernel, &plan->mm);
    plan->n_tiles = n_tiles;
    plan->cached_rows = CACHED_BYTES / plan->row_bytes;
    plan->rows_at_once = AT_ONCE_BYTES / plan->row_bytes / ROWS_STEP * ROWS_STEP;
    plan->rows_at_once = plan->rows_at_once < ROWS_LEAST ? ROWS_LEAST : plan->rows_at_once;
    plan->split.n_rows = 0;
    plan->cuts = phx_stream_cuts(executor->vtcm, executor->pool->n_threads, &plan->mm);
    return PHX_FITS;
}

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

static bool is_product(const struct phx_op_type *type) {
    return type && (type->code == PHX_OP_MUL_MAT || type->code == PHX_OP_MUL_MAT_ID);
}

static bool is_same_form(const struct phx_product_plan *a, const struct phx_product_plan *b) {
    return a->kernel->kernels == b->kernel->kernels && a->kernel->form == b->kernel->form;
}

/* One of the product's forms, perhaps a new one. */
static const struct phx_form *form_of(struct phx_product *product, const struct phx_product_plan *plan) {
    uint32_t i = 0;
    while (i < product->n_forms && !is_same_form(product->forms[i].plan, plan)) {
        i++;
    }
    if (i == product->n_forms) {
        product->forms[product->n_forms++] = (struct phx_form){.plan = plan};
        product->row_bytes += plan->row_bytes;
    }
    return &product->forms[i];
}

void phx_product_begin(struct phx_product *product, const struct phx_call *call, struct phx_op_record *record) {
    product->calls = call;
    product->n_calls = call->n_joined ? call->n_joined : 1;
    product->n_factors = product->n_forms = product->row_bytes = 0;
    product->rows_apart = UINT32_MAX;
    do {
        const struct phx_product_plan *plan = (const void *)call->plan;
        product->rows_apart = at_most(product->rows_apart, plan->kernel->rows_apart);
        product->factors[product->n_factors++] = (struct phx_factor){
            .plan = plan, .form = form_of(product, plan), .dst = call->dst[0]->data};
        call++;
    } while (product->n_factors < product->n_calls && is_product(call->type));
    product->x = product->calls->src[1]->data;
    product->is_last = true;
    record->kernels = product->forms[0].plan->kernel->kernels;
}

/* Most products are of one factor: loops over factors are not unrolled. */
#ifdef __clang__
#define KEEP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define KEEP_ROLLED
#endif

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint32_t round_up(uint32_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_places, size_t extra, const struct phx_kept *wanted) {
    uint32_t n_threads = executor->pool->n_threads, n_factors = product->n_factors;
    const struct phx_product_plan *first = product->factors[0].plan;
    product->sums_bytes = 0;
    if (n_factors == 1 && first->split.n_rows && first->split.n_rows == n_places) {
        product->sums_bytes = first->kernel->sums_bytes + n_places * first->kernel->work_row_bytes;
    }
    uint32_t work_bytes = 0, work_row_bytes = 0;
    KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        work_bytes = larger(work_bytes, product->factors[i].plan->kernel->work_bytes);
        work_row_bytes = larger(work_row_bytes, product->factors[i].plan->kernel->work_row_bytes);
    }
    uint32_t n_offsets = product->n_forms + n_factors;
    uint32_t place_bytes = n_threads * work_row_bytes + n_offsets * sizeof(uint32_t) + sizeof(struct phx_run);
    if (extra > MAX_BYTES) {
        return NULL;
    }
    uint64_t n_bytes = PHX_VECTOR + (uint64_t)n_x * (product->row_bytes + sizeof(uint32_t)) +
                       (uint64_t)n_places * place_bytes + n_threads * (work_bytes + PHX_VECTOR) +
                       n_threads * (sizeof(struct phx_lane) + 2 * product->sums_bytes) +
                       extra; /* with room to round up */
    void *before = executor->scratch->data;
    uint8_t *memory = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!memory) {
        return NULL;
    }
    product->kept = (void *)memory;
    product->is_quantised = wanted && is_product(executor->previous) && memory == before &&
                            phx_kept_is(product->kept, wanted);
    product->work_bytes = round_up(work_bytes + n_places * work_row_bytes);
    product->work = memory + PHX_VECTOR + n_x * product->row_bytes;
    product->sums = product->work + n_threads * product->work_bytes;
    product->lanes = (void *)(product->sums + 2 * n_threads * product->sums_bytes);
    KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        phx_stream_set(&product->lanes[i].stream, executor->vtcm, i, n_threads);
    }
    product->runs = (void *)(product->lanes + n_threads);
    product->x_offsets = (void *)(product->runs + n_places);
    uint32_t *end = product->x_offsets + n_x;
    uint8_t *rows = memory + PHX_VECTOR;
    KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_forms; i++) {
        product->forms[i].rows = rows;
        product->forms[i].row_offsets = end;
        rows += n_x * product->forms[i].plan->row_bytes;
        end += n_places;
    }
    KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        product->factors[i].dst_offsets = end;
        end += n_places;
    }
    return end;
}

/* Parts of rows, row after row, form after form. */
static void quantise(const struct phx_product *product, uint32_t first, uint32_t last) {
    const struct phx_form *form = &product->forms[product->is_quantised];
    uint32_t row_parts = phx_row_parts(&form->plan->mm);
    uint32_t row = first < row_parts ? 0 : first / row_parts;
    for (uint32_t before = row * row_parts; first < last; before += row_parts) {
        while (row >= product->n_x) {
            row -= product->n_x;
            form++;
        }
        uint32_t end = before + row_parts < last ? before + row_parts : last;
        form->plan->kernel->quantise(&form->plan->mm, product->x + product->x_offsets[row], first - before,
                                     end - before, form->rows + row * form->plan->row_bytes);
        first = end;
        row++;
    }
}

/* Kernels take one row and several tiles at once, or one tile and several rows: threads get units of 2^shift tiles. */
static uint32_t unit_shift(const struct phx_product *product, const struct phx_run *run) {
    return run->n_rows <= product->rows_apart ? PHX_TILES_AT_ONCE_SHIFT : 0;
}

static uint32_t n_units(const struct phx_factor *factor, uint32_t shift) {
    return (factor->plan->n_tiles + (1u << shift) - 1) >> shift;
}

static bool takes_rows_in_parts(const struct phx_product_plan *plan, const struct phx_run *run) {
    return run->n_rows > plan->cached_rows && run->n_rows > plan->rows_at_once;
}

/* The tiles of each factor that a thread multiplies. */
static void cut_tiles(const struct phx_product *product, const struct phx_run *run, uint32_t part,
                      struct phx_tile_slice *slices) {
    bool is_side_by_side = product->n_factors > 1 && !product->calls->is_cut_alike;
    uint32_t shift = unit_shift(product, run), n_all = 0, before = 0;
    for (uint32_t i = 0; is_side_by_side && i < product->n_factors; i++) {
        n_all += n_units(&product->factors[i], shift);
    }
    KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        const struct phx_product_plan *plan = product->factors[i].plan;
        uint32_t n = n_units(&product->factors[i], shift);
        struct phx_slices cut = phx_cut_evenly(is_side_by_side ? n_all : n, product->n_multiplying);
        uint32_t first = phx_slice_start(cut, part), end = phx_slice_start(cut, part + 1);
        first = first > before ? at_most(first - before, n) : 0;
        end = end > before ? at_most(end - before, n) : 0;
        slices[i] = (struct phx_tile_slice){
            .tiles = plan->mm.tiles + run->matrix * plan->matrix_bytes,
            .first = at_most(first << shift, plan->n_tiles),
            .last = at_most(end << shift, plan->n_tiles),
            .n_at_once = takes_rows_in_parts(plan, run) ? PHX_TILES_FITTING : 1u << shift,
            .last_block = plan->mm.n_blocks,
        };
        before += is_side_by_side ? n : 0;
    }
}

static uint32_t n_slices(const struct phx_product *product) {
    return product->split ? PHX_SPLIT_SLICES : product->n_factors;
}

static void *sums_of(const struct phx_product *product, uint32_t unit, uint32_t thread) {
    return product->sums + phx_split_sums(product->split, unit, thread) * product->sums_bytes;
}

/* The slices of the run that the lane looks at next. They rotate from run to run: so none of the threads gets the larger
 * one each time. */
static void make_slices(const struct phx_product *product, struct phx_lane *lane, uint32_t thread) {
    struct phx_tile_slice *slices = lane->slices[lane->run % 2];
    if (product->split) {
        const struct phx_product_plan *plan = product->factors[0].plan;
        phx_split_slices(product->split, &plan->mm, plan->n_tiles, thread, slices);
    } else {
        uint32_t n_threads = product->n_multiplying, part = thread + lane->run;
        cut_tiles(product, &product->runs[lane->run], part < n_threads ? part : part % n_threads, slices);
    }
}

/* Has the next slice that is not empty brought, if there is one up to this run. */
static __attribute__((noinline)) void open_next(const struct phx_product *product, struct phx_lane *lane,
                                                uint32_t thread, uint32_t last_run) {
    uint32_t n = n_slices(product);
    while (lane->run <= last_run && lane->run < product->n_runs) {
        if (lane->slice == 0) {
            make_slices(product, lane, thread);
        }
        const struct phx_product_plan *plan = product->factors[product->split ? 0 : lane->slice].plan;
        const struct phx_tile_slice *slice = &lane->slices[lane->run % 2][lane->slice++];
        if (lane->slice == n) {
            lane->slice = 0;
            lane->run++;
        }
        if (slice->first < slice->last) {
            lane->is_open = true;
            phx_stream_open(&lane->stream, &plan->mm, &plan->cuts, plan->kernel->takes_cut_tiles, slice);
            return;
        }
    }
}

static void open_first(const struct phx_product *product, uint32_t thread) {
    struct phx_lane *lane = &product->lanes[thread];
    lane->run = lane->slice = 0;
    lane->is_open = false;
    lane->stream.used_bytes = 0;
    open_next(product, lane, thread, 0);
}

/* What the stream has brought, through all rows. */
static void multiply_piece(const struct phx_product_plan *plan, const struct phx_run *run,
                           const struct phx_stream *stream, const struct phx_rows *all, void *work) {
    const struct phx_matmul *part = &stream->part;
    if (!takes_rows_in_parts(plan, run) || part->first_block > 0 || part->last_block < part->n_blocks) {
        plan->kernel->multiply(part, all, 0, stream->n_tiles, work);
        return;
    }
    struct phx_rows rows = *all;
    for (uint32_t first = 0; first < run->n_rows; first += rows.n) {
        uint32_t n_left = run->n_rows - first;
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

static void multiply_slice(const struct phx_product *product, const struct phx_factor *factor, uint32_t run_index,
                           const struct phx_tile_slice *slice, uint32_t thread) {
    const struct phx_product_plan *plan = factor->plan;
    const struct phx_run *run = &product->runs[run_index];
    struct phx_lane *lane = &product->lanes[thread];
    struct phx_rows rows = {.n = run->n_rows,
                            .x = factor->form->rows,
                            .x_offsets = factor->form->row_offsets + run->first,
                            .dst_offsets = factor->dst_offsets + run->first,
                            .first_block = slice->first_block};
    if (slice->last_block - slice->first_block < plan->mm.n_blocks) {
        rows.sums = sums_of(product, slice->first >> product->split->shift, thread);
    }
    lane->is_open = false;
    do {
        phx_stream_next(&lane->stream);
        if (lane->stream.is_last) {
            open_next(product, lane, thread, run_index + 1);
        }
        rows.dst = factor->dst + (size_t)lane->stream.first_tile * PHX_TILE_ROWS * sizeof(float);
        multiply_piece(plan, run, &lane->stream, &rows, product->work + thread * product->work_bytes);
    } while (!lane->stream.is_last);
}

/* The columns that the thread has made, of all rows or of a run's, through one of the ops that follow. */
static uint32_t follow_by(const struct phx_product *product, const struct phx_call *call, const struct phx_run *run,
                          const struct phx_tile_slice *slice) {
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice columns = {0, phx_n_rows(view), slice->first * PHX_TILE_ROWS,
                                at_most(slice->last * PHX_TILE_ROWS, view->ne[0])};
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

static uint32_t follow(const struct phx_product *product, const struct phx_run *run,
                       const struct phx_tile_slice *slices) {
    uint32_t status = PHX_OK;
    for (uint32_t i = product->n_factors; !status && i < product->n_calls; i++) {
        const struct phx_call *call = &product->calls[i];
        status = follow_by(product, call, run, &slices[call->columns_of]);
    }
    return status;
}

/* Run i through all factors; returns the slices of it that are the thread's. */
static inline __attribute__((always_inline)) const struct phx_tile_slice *
multiply_run(const struct phx_product *product, uint32_t i, uint32_t thread) {
    struct phx_lane *lane = &product->lanes[thread];
    const struct phx_tile_slice *slices = lane->slices[i % 2];
    if (lane->run == i && !lane->is_open) {
        open_next(product, lane, thread, i);
    }
    for (uint32_t j = 0; j < n_slices(product); j++) {
        if (slices[j].first < slices[j].last) {
            multiply_slice(product, &product->factors[product->split ? 0 : j], i, &slices[j], thread);
        }
    }
    return slices;
}

/* The copy of a thread's first tiles begins before it quantises, if it does. */
static void quantise_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct phx_product *product = argument;
    uint32_t part = thread - product->first_quantising;
    (void)n_threads;
    if (thread < product->n_multiplying) {
        open_first(product, thread);
    }
    if (part < product->n_quantising) {
        quantise(product, phx_slice_start(product->part_slices, part), phx_slice_start(product->part_slices, part + 1));
    }
}

/* And what follows, unless threads have to finish first. */
static void multiply_job(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_product *product = argument;
    bool is_followed = product->is_followed && !product->split;
    uint32_t status = PHX_OK;
    (void)n_threads;
    if (thread >= product->n_opened) {
        open_first(product, thread);
    }
    for (uint32_t i = 0; !status && i < product->n_runs; i++) {
        const struct phx_tile_slice *slices = multiply_run(product, i, thread);
        if (is_followed) {
            status = follow(product, &product->runs[i], slices);
        }
    }
    phx_stream_close(&product->lanes[thread].stream);
    product->status[thread] = status;
}

/* The results of tiles that threads have shared. */
static __attribute__((noinline)) void finish(const struct phx_product *product, uint32_t thread, uint32_t first,
                                             uint32_t last) {
    const struct phx_factor *factor = &product->factors[0];
    const struct phx_product_plan *plan = factor->plan;
    const struct phx_split *split = product->split;
    const void *sums[PHX_MAX_THREADS];
    struct phx_rows rows = {
        product->runs->n_rows, factor->form->rows, factor->form->row_offsets, NULL, factor->dst_offsets, 0, NULL};
    for (uint32_t end; first < last; first = end) {
        uint32_t unit = first >> split->shift, start = unit << split->shift, n_sums = 0;
        struct phx_split_threads threads = phx_split_threads(split, unit);
        end = at_most(start + (1u << split->shift), last);
        if (threads.last - threads.first == 1) {
            continue;
        }
        KEEP_ROLLED
        for (uint32_t i = threads.first; i < threads.last; i++) {
            sums[n_sums++] = sums_of(product, unit, i);
        }
        struct phx_matmul mm = plan->mm;
        mm.tiles += product->runs->matrix * plan->matrix_bytes + (size_t)start * mm.tile_bytes;
        mm.n -= start * PHX_TILE_ROWS;
        rows.dst = factor->dst + (size_t)start * PHX_TILE_ROWS * sizeof(float);
        plan->kernel->finish(&mm, &rows, first - start, end - start, sums, n_sums,
                             product->work + thread * product->work_bytes);
    }
}

/* And of what follows the columns of as many tiles for each thread. */
static void finish_and_follow_job(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_product *product = argument;
    struct phx_slices cut = phx_cut_evenly(product->factors[0].plan->n_tiles, n_threads);
    struct phx_tile_slice slice = {.first = phx_slice_start(cut, thread), .last = phx_slice_start(cut, thread + 1)};
    finish(product, thread, slice.first, slice.last);
    product->status[thread] = product->is_followed ? follow(product, product->runs, &slice) : PHX_OK;
}

/* Threads that there is work for. */
static uint32_t count_multiplying(const struct phx_product *product, uint32_t n_threads) {
    uint32_t n = product->split ? n_threads : 0;
    for (uint32_t i = 0; i < product->n_runs && n < n_threads; i++) {
        for (uint32_t j = 0; j < product->n_factors && n < n_threads; j++) {
            n += n_units(&product->factors[j], unit_shift(product, &product->runs[i]));
        }
    }
    return at_most(n, n_threads);
}

/* Where it is shared out but some threads get nothing, the first does not quantise: it has handed out the work. */
static void quantise_all(struct phx_product *product, const struct phx_executor *executor,
                         struct phx_op_record *record) {
    uint32_t n_forms = product->n_forms - product->is_quantised, n_threads = executor->pool->n_threads;
    uint32_t n_parts = n_forms * product->n_x * phx_row_parts(&product->forms[0].plan->mm);
    product->n_opened = 0;
    if (n_parts == 0) {
        return;
    }
    product->n_quantising = at_most(n_parts, n_threads);
    product->first_quantising = product->n_quantising > 1 && product->n_quantising < n_threads;
    product->part_slices = phx_cut_evenly(n_parts, product->n_quantising);
    uint32_t n_busy = product->n_quantising + product->first_quantising;
    product->n_opened = n_busy == 1 ? 1 : product->n_multiplying;
    n_busy = larger(n_busy, product->n_opened);
    uint32_t ticks = (uint32_t)phx_pool_run(executor->pool, n_busy, quantise_job, product);
    uint64_t prepare_ns = record->prepare_ns + phx_short_ticks_to_ns(ticks);
    record->prepare_ns = prepare_ns < UINT32_MAX ? (uint32_t)prepare_ns : UINT32_MAX;
    record->n_threads = larger(record->n_threads, n_busy);
}

uint32_t phx_product_run(struct phx_product *product, const struct phx_executor *executor,
                         struct phx_op_record *record) {
    struct phx_pool *pool = executor->pool;
    const struct phx_split *split = &product->factors[0].plan->split;
    bool is_split = product->sums_bytes && product->n_runs == 1 && product->runs->n_rows == split->n_rows;
    product->split = is_split ? split : NULL;
    product->is_followed = product->is_last && product->n_calls > product->n_factors;
    product->n_multiplying = count_multiplying(product, pool->n_threads);
    record->n_threads = larger(record->n_threads, product->n_multiplying);
    quantise_all(product, executor, record);
    phx_pool_run(pool, product->n_multiplying, multiply_job, product);
    if (is_split) {
        phx_pool_run(pool, product->n_multiplying, finish_and_follow_job, product);
    }
    for (uint32_t i = 0; product->is_followed && i < product->n_multiplying; i++) {
        if (product->status[i]) {
            return product->status[i];
        }
    }
    return PHX_OK;
}

void phx_product_end(struct phx_product *product, const struct phx_executor *executor, const struct phx_kept *kept,
                     struct phx_op_record *record) {
    *product->kept = (struct phx_kept){0};
    bool is_kept = kept && product->n_calls == product->n_factors; /* else no product has run last */
    KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        is_kept = is_kept && !phx_overlap(product->calls[i].dst[0], kept->x);
    }
    if (is_kept) {
        *product->kept = *kept;
    }
    record->dma_bytes = 0;
    KEEP_ROLLED
    for (uint32_t i = 0; i < executor->pool->n_threads; i++) {
        record->dma_bytes += product->lanes[i].stream.dma_bytes;
    }
}
