/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include "formats/tiles.h"
#include "ops/rolled.h"

#define CACHE_BYTES (1u << 20)     /* of the cache, for tiles that do not come through VTCM */
#define CACHED_BYTES (1u << 20)    /* of quantized rows that stay in the cache while tiles pass through it */
#define AT_ONCE_BYTES (512u << 10) /* of more rows, those that meet some tiles while the next rows are prefetched */
#define ROWS_STEP 16
#define ROWS_LEAST 32 /* kernels expand blocks for so many rows */
#define ROWS_OF_KERNEL 4
#define ROWS_SHARED_LEAST 65 /* from so many rows on, threads share tiles by rows: fewer are split along K */

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Pieces of single tiles, although kernels multiply several tiles at once. */
static bool is_one_at_a_time(const struct phx_cuts *cuts) {
    return phx_comes_by_single_tiles(cuts) && cuts->n_whole < PHX_TILES_AT_ONCE / 2;
}

/* Takes a thread's part of VTCM; or its part of the cache if there is no VTCM, or if tiles would come one at a time
 * through VTCM and the cache is larger: kernels then multiply several tiles at once, or longer pieces. */
static void choose_room(struct phx_weight_plan *plan, uint32_t vtcm_bytes, uint32_t n_threads) {
    struct phx_room cache = phx_room_of_thread(false, CACHE_BYTES, n_threads);
    plan->room = phx_room_of_thread(true, vtcm_bytes, n_threads);
    plan->cuts = phx_cuts_make(&plan->room, &plan->mm);
    bool is_small = is_one_at_a_time(&plan->cuts) && plan->room.buffer_bytes < cache.buffer_bytes;
    if (!vtcm_bytes || is_small) {
        plan->room = cache;
        plan->cuts = phx_cuts_make(&cache, &plan->mm);
    }
}

void phx_weight_plan_make(struct phx_weight_plan *plan, const struct phx_matmul_kernel *kernel, uint32_t dtype,
                          uint32_t k, uint32_t n, uint32_t vtcm_bytes, uint32_t n_threads) {
    const struct phx_weight_type *type = &phx_weight_types[dtype];
    plan->mm = (struct phx_matmul){.dtype = dtype,
                                   .form = (uint16_t)kernel->form,
                                   .reads_groups = phx_n_blocks(k) % PHX_BLOCKS_OF_GROUP == 0,
                                   .k = k,
                                   .n = n,
                                   .n_blocks = phx_n_blocks(k),
                                   .ds = (uint16_t)phx_ds(type, k),
                                   .dm = (uint16_t)phx_dm(type, k),
                                   .tile_bytes = phx_tile_bytes(type, k),
                                   .last_block = phx_n_blocks(k),
                                   .first_byte = PHX_TABLE_BYTES};
    plan->kernel = kernel;
    plan->n_tiles = phx_n_tiles(n);
    plan->matrix_bytes = (size_t)plan->n_tiles * plan->mm.tile_bytes;
    plan->row_bytes = phx_row_bytes(kernel, &plan->mm);
    plan->cached_rows = CACHED_BYTES / plan->row_bytes;
    plan->rows_at_once = larger(AT_ONCE_BYTES / plan->row_bytes / ROWS_STEP * ROWS_STEP, ROWS_LEAST);
    choose_room(plan, vtcm_bytes, n_threads);
}

static bool is_same_form(const struct phx_weight_plan *a, const struct phx_weight_plan *b) {
    return a->kernel->kernels == b->kernel->kernels && a->kernel->form == b->kernel->form;
}

/* The number of the form that a weight wants, perhaps a new one. */
static uint32_t form_of(struct phx_plan *plan, const struct phx_weight_plan *weight) {
    uint32_t i = 0;
    while (i < plan->n_forms && !is_same_form(plan->wants[i], weight)) {
        i++;
    }
    if (i == plan->n_forms) {
        plan->wants[plan->n_forms++] = weight;
        plan->row_bytes += weight->row_bytes;
    }
    return i;
}

void phx_plan_weights(struct phx_plan *plan) {
    plan->n_forms = plan->row_bytes = 0;
    plan->rows_apart = UINT32_MAX;
    plan->is_by_single_tiles = true;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        const struct phx_weight_plan *weight = plan->weights[i];
        plan->forms[i] = form_of(plan, weight);
        plan->rows_apart = at_most(plan->rows_apart, weight->kernel->rows_apart);
        plan->is_by_single_tiles &= is_one_at_a_time(&weight->cuts);
    }
}

/* --- Whole units --- */

/* Adds a slice of a factor's tiles, which are not empty, to a share. */
static void add_way(const struct phx_plan *plan, struct phx_share *share, uint32_t factor, struct phx_columns tiles,
                    uint32_t n_rows) {
    const struct phx_weight_plan *weight = plan->weights[factor];
    struct phx_way *way = &share->ways[share->n++];
    way->slice = (struct phx_tile_slice){
        .first = tiles.first,
        .last = tiles.last,
        .n_at_once = phx_takes_rows_in_parts(weight, n_rows) ? PHX_TILES_FITTING : 1u << phx_plan_shift(plan, n_rows),
        .last_block = weight->mm.n_blocks,
    };
    phx_way_make(way, &weight->room, &weight->mm, &weight->cuts, weight->kernel->takes_cut_tiles);
    way->factor = (uint8_t)factor;
    way->sums = PHX_WAY_WHOLE;
    way->first_row = 0;
    way->end_row = PHX_ALL_ROWS;
}

/* A part of the line of units, clipped to a factor whose n units begin at `before`, in tiles. */
static struct phx_columns tiles_of(const struct phx_plan *plan, uint32_t factor, struct phx_columns units,
                                   uint32_t before, uint32_t shift) {
    uint32_t n_tiles = plan->weights[factor]->n_tiles, first = units.first > before ? units.first - before : 0;
    uint32_t last = units.last > before ? units.last - before : 0;
    return (struct phx_columns){at_most(first << shift, n_tiles), at_most(last << shift, n_tiles)};
}

/* A thread's rows of units that all threads share. */
static void add_shared_rows(const struct phx_plan *plan, uint32_t n_rows, struct phx_columns units, uint32_t part,
                            struct phx_share *share) {
    struct phx_slices cut = phx_split_evenly((n_rows + ROWS_OF_KERNEL - 1) / ROWS_OF_KERNEL, plan->n_multiplying);
    uint32_t before = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        struct phx_columns tiles = tiles_of(plan, i, units, before, 0);
        if (tiles.first < tiles.last) {
            add_way(plan, share, i, tiles, n_rows);
            share->ways[share->n - 1].first_row = phx_slice_start(cut, part) * ROWS_OF_KERNEL;
            share->ways[share->n - 1].end_row = at_most(phx_slice_start(cut, part + 1) * ROWS_OF_KERNEL, n_rows);
        }
        before += phx_plan_units(plan, i, n_rows);
    }
}

void phx_plan_cut(const struct phx_plan *plan, uint32_t n_rows, uint32_t part, struct phx_share *share) {
    bool is_side_by_side = !plan->has_common_columns;
    uint32_t shift = phx_plan_shift(plan, n_rows), n_all = 0, before = 0;
    for (uint32_t i = 0; is_side_by_side && i < plan->n_factors; i++) {
        n_all += phx_plan_units(plan, i, n_rows);
    }
    uint32_t n_shared = plan->is_row_split ? n_all % plan->n_multiplying : 0;
    share->n = 0;
    share->is_even = true;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        uint32_t n = phx_plan_units(plan, i, n_rows);
        struct phx_slices cut = phx_split_evenly(is_side_by_side ? n_all - n_shared : n, plan->n_multiplying);
        struct phx_columns units = {phx_slice_start(cut, part), phx_slice_start(cut, part + 1)};
        share->is_even &= cut.more == 0;
        share->columns[i] = tiles_of(plan, i, units, before, shift);
        if (share->columns[i].first < share->columns[i].last) {
            add_way(plan, share, i, share->columns[i], n_rows);
        }
        before += is_side_by_side ? n : 0;
    }
    if (n_shared) {
        add_shared_rows(plan, n_rows, (struct phx_columns){n_all - n_shared, n_all}, part, share);
    }
}

/* --- Threads --- */

static uint32_t count_multiplying(const struct phx_plan *plan, const struct phx_run *runs, uint32_t n_runs) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_runs && n < plan->n_threads; i++) {
        for (uint32_t j = 0; j < plan->n_factors && n < plan->n_threads; j++) {
            n += phx_plan_units(plan, j, runs[i].n_rows);
        }
    }
    return at_most(n, plan->n_threads);
}

/* Parts of rows for each thread. If some threads get no part, the first thread gets none: it dispatches the work. */
static struct phx_quantizing plan_quantizing(const struct phx_plan *plan, bool is_quantized) {
    uint32_t n_forms = plan->n_forms - is_quantized, n_threads = plan->n_threads;
    uint32_t n_parts = n_forms ? n_forms * plan->n_x * phx_row_parts(&plan->weights[0]->mm) : 0;
    uint32_t n = at_most(n_parts, n_threads);
    bool is_one_row = plan->n_x == 1 && n_forms == 1;
    return (struct phx_quantizing){.n = n,
                                   .first = n_parts > 1 && n_parts < n_threads,
                                   .parts = phx_split_evenly(n_parts, n ? n : 1),
                                   .is_one_row = is_one_row,
                                   .is_looked_at = is_one_row && n > 1 && plan->wants[is_quantized]->kernel->look};
}

static void plan_all_quantizing(struct phx_plan *plan) {
    plan->quantizing[0] = plan_quantizing(plan, false);
    plan->quantizing[1] = plan_quantizing(plan, true);
}

/* --- Units that threads share --- */

/* Work units of the busiest thread if no unit is cut. */
static uint32_t most_units(const struct phx_plan *plan, const uint32_t *n_units) {
    uint32_t n_all = 0, most = 0;
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        struct phx_slices cut = phx_split_evenly(n_units[i], plan->n_threads);
        most += cut.each + (cut.more > 0);
        n_all += n_units[i];
    }
    struct phx_slices cut = phx_split_evenly(n_all, plan->n_threads);
    return plan->has_common_columns ? most : cut.each + (cut.more > 0);
}

static bool make_split(const struct phx_plan *plan, struct phx_split *split) {
    uint32_t n_units[PHX_MAX_FACTORS];
    if (plan->n_places > PHX_SPLIT_MOST_ROWS) {
        return false;
    }
    bool is_several = phx_plan_shift(plan, plan->n_places) > 0;
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        const struct phx_weight_plan *weight = plan->weights[i];
        n_units[i] = phx_plan_units(plan, i, plan->n_places);
        if (!weight->kernel->finish || (is_several && phx_comes_by_single_tiles(&weight->cuts))) {
            return false;
        }
    }
    return phx_split_make(split, n_units, plan->n_factors, plan->weights[0]->mm.n_blocks, most_units(plan, n_units),
                          plan->n_threads);
}

static uint32_t measure_sums(const struct phx_plan *plan) {
    uint32_t work_row_bytes = 0, sums_bytes = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        const struct phx_matmul_kernel *kernel = plan->weights[i]->kernel;
        work_row_bytes = larger(work_row_bytes, kernel->work_row_bytes);
        sums_bytes = larger(sums_bytes, kernel->sums_bytes);
    }
    return (sums_bytes + plan->n_places * work_row_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Estimates of what threads do besides multiplying, in packets. */
#define DISPATCH_COST 110
#define QUANTIZE_COST 220 /* for each part of a row */
#define SLICE_COST 130    /* of a second slice, for each row */
#define FINISH_COST 75    /* of two tiles, for each row: one tile takes as long */

static bool has_two_slices(const struct phx_split *split, uint32_t place) {
    const struct phx_split_at *at = &split->at[place];
    return at[0].unit < at[1].unit && at[1].step > 0;
}

/* A thread's place on the line of units. The first and the last place have one slice, places between them up to two. If
 * only some threads quantize, from the second thread on, quantizing threads get the places at the ends. */
static uint32_t place_of(const struct phx_plan *plan, const struct phx_split *split, uint32_t thread) {
    uint32_t other = thread ^ 1;
    bool is_swapped = plan->quantizing[0].first && has_two_slices(split, 1) && other < plan->n_threads;
    return is_swapped ? other : thread;
}

/* Splits the results of n_tiles evenly; ends[i] is one past the last tile of thread i. */
static void give_evenly(const struct phx_plan *plan, uint32_t n_tiles, uint32_t *ends) {
    struct phx_slices cut = phx_split_evenly(n_tiles, plan->n_threads);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_threads; i++) {
        ends[i] = phx_slice_start(cut, i + 1);
    }
}

/* Splits the results of n_tiles by pairs of tiles: each pair goes to the thread with the least estimated cost so far.
 */
static void give_pairs(const struct phx_plan *plan, const struct phx_split *split, uint32_t n_tiles, uint32_t *ends) {
    const struct phx_quantizing *quantizing = &plan->quantizing[0];
    uint32_t n_threads = plan->n_threads, costs[PHX_MAX_THREADS], end = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        uint32_t part = i - quantizing->first;
        uint32_t n_parts = part < quantizing->n ? quantizing->parts.each + (part < quantizing->parts.more) : 0;
        costs[i] = n_parts * QUANTIZE_COST + (i == 0 ? DISPATCH_COST : 0);
        costs[i] += has_two_slices(split, place_of(plan, split, i)) * plan->n_places * SLICE_COST;
        ends[i] = 0;
    }
    PHX_KEEP_ROLLED
    for (uint32_t tile = 0; tile < n_tiles; tile += 2) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < n_threads; i++) {
            least = costs[i] < costs[least] ? i : least;
        }
        ends[least] += 2;
        costs[least] += plan->n_factors * plan->n_places * FINISH_COST;
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        end = at_most(end + ends[i], n_tiles);
        ends[i] = end;
    }
}

/* Which thread finishes which tiles: of factors that are cut alike the same tiles. */
static void share_results(const struct phx_plan *plan, const struct phx_split *split) {
    uint32_t n_threads = plan->n_threads, ends[PHX_MAX_THREADS];
    bool all_are_cut = split->first_unit[split->n_factors] < n_threads;
    bool is_by_pairs = all_are_cut && phx_plan_shift(plan, plan->n_places) > 0;
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        uint32_t first = 0;
        if (is_by_pairs) {
            give_pairs(plan, split, plan->weights[i]->n_tiles, ends);
        } else {
            give_evenly(plan, plan->weights[i]->n_tiles, ends);
        }
        PHX_KEEP_ROLLED
        for (uint32_t j = 0; j < n_threads; j++) {
            plan->threads[j].shares->columns[i] = (struct phx_columns){first, ends[j]};
            first = ends[j];
        }
    }
}

/* The tiles of `columns` whose partial sums the thread adds up. */
static void add_endings(const struct phx_plan *plan, const struct phx_split *split, struct phx_thread_plan *thread,
                        uint32_t factor, struct phx_columns columns) {
    uint32_t shift = phx_plan_shift(plan, plan->n_places);
    for (uint32_t first = columns.first, last; first < columns.last; first = last) {
        uint32_t unit = first >> shift;
        struct phx_split_threads threads = phx_split_threads(split, factor, unit);
        last = at_most((unit + 1) << shift, columns.last);
        if (threads.last - threads.first > 1) {
            struct phx_ending *ending = &thread->endings[thread->n_endings++];
            *ending = (struct phx_ending){.factor = factor, .start = unit << shift, .first = first, .last = last};
            for (uint32_t i = threads.first; i < threads.last; i++) {
                uint32_t number = 2 * i + phx_split_sums(split, factor, unit, i);
                ending->sums[ending->n_sums++] = number * plan->sums_bytes;
            }
        }
    }
}

/* A thread's slices of units that threads share, and the results that it finishes. */
static void share_tiles(const struct phx_plan *plan, const struct phx_split *split, uint32_t thread) {
    struct phx_thread_plan *mine = &plan->threads[thread];
    struct phx_split_part parts[PHX_MOST_SLICES];
    uint32_t place = place_of(plan, split, thread), n_parts = phx_split_parts(split, place, parts);
    uint32_t shift = phx_plan_shift(plan, plan->n_places);
    mine->shares->n = 0;
    for (uint32_t i = 0; i < n_parts; i++) {
        const struct phx_split_part *part = &parts[i];
        const struct phx_weight_plan *weight = plan->weights[part->factor];
        bool is_whole = part->first_step == 0 && part->last_step == split->unit_steps;
        struct phx_way *way = &mine->shares->ways[mine->shares->n++];
        way->slice = (struct phx_tile_slice){
            .first = part->first << shift,
            .last = at_most(part->last << shift, weight->n_tiles),
            .n_at_once = 1u << shift,
            .first_block = part->first_step * PHX_BLOCKS_OF_SUPER,
            .last_block = part->last_step == split->unit_steps ? weight->mm.n_blocks
                                                               : part->last_step * PHX_BLOCKS_OF_SUPER,
        };
        phx_way_make(way, &weight->room, &weight->mm, &weight->cuts, weight->kernel->takes_cut_tiles);
        way->factor = (uint8_t)part->factor;
        way->sums = is_whole ? PHX_WAY_WHOLE : (uint8_t)(2 * place + part->sums);
        way->first_row = 0;
        way->end_row = PHX_ALL_ROWS;
    }
    mine->n_endings = 0;
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        add_endings(plan, split, mine, i, mine->shares->columns[i]);
    }
}

/* --- Both --- */

/* Whether the last units, which are fewer than the threads, are shared by rows. */
static bool makes_row_split(const struct phx_plan *plan) {
    uint32_t n_units = 0;
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        n_units += phx_plan_units(plan, i, plan->n_places);
    }
    return plan->may_share_rows && !plan->has_common_columns && plan->n_places >= ROWS_SHARED_LEAST &&
           n_units % plan->n_threads;
}

void phx_plan_make(struct phx_plan *plan, bool may_split) {
    struct phx_run run = {.n_rows = plan->n_places};
    struct phx_split split;
    plan_all_quantizing(plan);
    plan->is_split = may_split && make_split(plan, &split);
    plan->sums_bytes = measure_sums(plan);
    plan->is_row_split = !plan->is_split && makes_row_split(plan);
    plan->n_multiplying = plan->is_split || plan->is_row_split ? plan->n_threads : count_multiplying(plan, &run, 1);
    if (plan->is_split) {
        share_results(plan, &split);
    }
    for (uint32_t i = 0; i < plan->n_multiplying; i++) {
        if (plan->is_split) {
            share_tiles(plan, &split, i);
        } else {
            phx_plan_cut(plan, plan->n_places, i, plan->threads[i].shares);
        }
    }
}

void phx_plan_runs(struct phx_plan *plan, const struct phx_run *runs, uint32_t n_runs) {
    plan_all_quantizing(plan);
    plan->is_split = plan->is_row_split = false;
    plan->n_multiplying = count_multiplying(plan, runs, n_runs);
}
