/* SPDX-License-Identifier: MIT
 *
 * Who does what of a product: which threads quantise, what each multiplies, and which of the results of tiles that are
 * shared it ends. It is found out once and stays as it is until one of the product's ops is checked again.
 */
#include "product.h"

#include "ops/rolled.h"
#include "tiles.h"

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* How many units of a factor the thread has that has most. */
static uint32_t most_units(const struct phx_product *product, const uint32_t *n_units) {
    uint32_t n_threads = product->pool->n_threads, n_all = 0, most = 0;
    for (uint32_t i = 0; i < product->n_factors; i++) {
        struct phx_slices cut = phx_cut_evenly(n_units[i], n_threads);
        most += cut.each + (cut.more > 0);
        n_all += n_units[i];
    }
    struct phx_slices cut = phx_cut_evenly(n_all, n_threads);
    return product->is_cut_alike ? most : cut.each + (cut.more > 0);
}

/* Whether tiles are shared, and how. */
static bool make_split(const struct phx_product *product, struct phx_split *split) {
    uint32_t n_units[PHX_MAX_FACTORS];
    if (product->n_places > PHX_SPLIT_MOST_ROWS) {
        return false;
    }
    for (uint32_t i = 0; i < product->n_factors; i++) {
        const struct phx_product_plan *plan = product->factors[i].plan;
        n_units[i] = phx_product_units(product, &product->factors[i], product->runs);
        bool is_several = phx_product_shift(product, product->runs) > 0;
        if (!plan->kernel->finish || (is_several && phx_comes_by_single_tiles(&plan->cuts))) {
            return false;
        }
    }
    return phx_split_make(split, n_units, product->n_factors, product->factors[0].plan->mm.n_blocks,
                          most_units(product, n_units), product->pool->n_threads);
}

/* Of the sums of a unit of tiles that threads share. */
static uint32_t measure_sums(const struct phx_product *product) {
    uint32_t work_row_bytes = 0, sums_bytes = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        const struct phx_matmul_kernel *kernel = product->factors[i].plan->kernel;
        work_row_bytes = larger(work_row_bytes, kernel->work_row_bytes);
        sums_bytes = larger(sums_bytes, kernel->sums_bytes);
    }
    return (sums_bytes + product->n_places * work_row_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Threads that quantise, and parts of rows for each. Where it is shared out but some threads get nothing, the first does
 * not: it hands out the work. */
struct quantisers {
    uint32_t n, first;
    struct phx_slices parts;
};

static struct quantisers find_quantisers(const struct phx_product *product, uint32_t n_forms) {
    uint32_t n_threads = product->pool->n_threads;
    uint32_t n_parts = n_forms ? n_forms * product->n_x * phx_row_parts(&product->forms[0].plan->mm) : 0;
    uint32_t n = at_most(n_parts, n_threads);
    return (struct quantisers){n, n_parts > 1 && n_parts < n_threads, phx_cut_evenly(n_parts, n ? n : 1)};
}

/* About what threads do beside multiplying, in packets. */
#define HAND_OUT_COST 110
#define QUANTISE_COST 220 /* for each part of a row */
#define SLICE_COST 130    /* of a second one, for each row */
#define END_COST 75       /* for each row: two tiles at once take as long as one */

static bool has_two_slices(const struct phx_split *split, uint32_t place) {
    const struct phx_split_at *at = &split->at[place];
    return at[0].unit < at[1].unit && at[1].step > 0;
}

/* A thread's place on the line of units. At its ends threads have one slice, in between perhaps two: so where only some
 * quantise, from the second thread on, these go to the ends. */
static uint32_t place_of(const struct phx_product *product, const struct phx_split *split,
                         const struct quantisers *quantisers, uint32_t thread) {
    uint32_t other = thread ^ 1;
    bool is_swapped = quantisers->first && has_two_slices(split, 1) && other < product->pool->n_threads;
    return is_swapped ? other : thread;
}

/* Results of as many tiles to each thread; ends: behind those of each. */
static void give_evenly(const struct phx_product *product, uint32_t n_tiles, uint32_t *ends) {
    uint32_t n_threads = product->pool->n_threads;
    struct phx_slices cut = phx_cut_evenly(n_tiles, n_threads);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        ends[i] = phx_slice_start(cut, i + 1);
    }
}

/* The same by pairs, to those that have least to do beside. */
static void give_pairs(const struct phx_product *product, const struct phx_split *split, uint32_t n_tiles,
                       uint32_t *ends) {
    struct quantisers quantisers = find_quantisers(product, product->n_forms);
    uint32_t n_threads = product->pool->n_threads, costs[PHX_MAX_THREADS], end = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        uint32_t part = i - quantisers.first;
        uint32_t n_parts = part < quantisers.n ? quantisers.parts.each + (part < quantisers.parts.more) : 0;
        costs[i] = n_parts * QUANTISE_COST + (i == 0 ? HAND_OUT_COST : 0);
        costs[i] += has_two_slices(split, place_of(product, split, &quantisers, i)) * product->n_places * SLICE_COST;
        ends[i] = 0;
    }
    PHX_KEEP_ROLLED
    for (uint32_t tile = 0; tile < n_tiles; tile += 2) {
        uint32_t least = 0;
        for (uint32_t i = 1; i < n_threads; i++) {
            least = costs[i] < costs[least] ? i : least;
        }
        ends[least] += 2;
        costs[least] += product->n_factors * product->n_places * END_COST;
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        end = at_most(end + ends[i], n_tiles);
        ends[i] = end;
    }
}

/* Of which tiles each thread has the results: of factors that are alike the same. */
static void share_results(const struct phx_product *product, const struct phx_split *split) {
    uint32_t n_threads = product->pool->n_threads, ends[PHX_MAX_THREADS];
    bool all_are_cut = split->first_unit[split->n_factors] < n_threads;
    bool is_by_pairs = all_are_cut && phx_product_shift(product, product->runs) > 0;
    for (uint32_t i = 0; i < product->n_factors; i++) {
        uint32_t n_tiles = product->factors[i].plan->n_tiles, first = 0;
        if (is_by_pairs) {
            give_pairs(product, split, n_tiles, ends);
        } else {
            give_evenly(product, n_tiles, ends);
        }
        PHX_KEEP_ROLLED
        for (uint32_t j = 0; j < n_threads; j++) {
            product->lanes[j].shares->columns[i] = (struct phx_columns){first, ends[j]};
            first = ends[j];
        }
    }
}

static void add_endings(const struct phx_product *product, const struct phx_split *split, struct phx_lane *lane,
                        uint32_t factor, struct phx_columns columns) {
    uint32_t shift = phx_product_shift(product, product->runs);
    for (uint32_t first = columns.first, last; first < columns.last; first = last) {
        uint32_t unit = first >> shift;
        struct phx_split_threads threads = phx_split_threads(split, factor, unit);
        last = at_most((unit + 1) << shift, columns.last);
        if (threads.last - threads.first > 1) {
            struct phx_ending *ending = &lane->endings[lane->n_endings++];
            *ending = (struct phx_ending){.factor = factor, .start = unit << shift, .first = first, .last = last};
            for (uint32_t i = threads.first; i < threads.last; i++) {
                uint32_t number = 2 * i + phx_split_sums(split, factor, unit, i);
                ending->sums[ending->n_sums++] = number * product->sums_bytes;
            }
        }
    }
}

/* A thread's part of tiles that are shared, and what of their results it ends. */
static void share_tiles(const struct phx_product *product, const struct phx_split *split, uint32_t thread) {
    struct phx_lane *lane = &product->lanes[thread];
    struct phx_split_part parts[PHX_MOST_SLICES];
    struct quantisers quantisers = find_quantisers(product, product->n_forms);
    uint32_t place = place_of(product, split, &quantisers, thread), n_parts = phx_split_parts(split, place, parts);
    uint32_t shift = phx_product_shift(product, product->runs);
    lane->shares->n = 0;
    for (uint32_t i = 0; i < n_parts; i++) {
        const struct phx_split_part *part = &parts[i];
        const struct phx_product_plan *plan = product->factors[part->factor].plan;
        bool is_whole = part->first_step == 0 && part->last_step == split->unit_steps;
        struct phx_way *way = &lane->shares->ways[lane->shares->n++];
        way->slice = (struct phx_tile_slice){
            .first = part->first << shift,
            .last = at_most(part->last << shift, plan->n_tiles),
            .n_at_once = 1u << shift,
            .first_block = part->first_step * PHX_BLOCKS_OF_SUPER,
            .last_block = part->last_step == split->unit_steps ? plan->mm.n_blocks
                                                               : part->last_step * PHX_BLOCKS_OF_SUPER,
        };
        phx_way_make(way, product->streams, &plan->mm, &plan->cuts, plan->kernel->takes_cut_tiles);
        way->factor = (uint8_t)part->factor;
        way->sums = is_whole ? PHX_WAY_WHOLE : (uint8_t)(2 * place + part->sums);
    }
    for (uint32_t i = 0; i < product->n_factors; i++) {
        add_endings(product, split, lane, i, lane->shares->columns[i]);
    }
}

uint32_t phx_product_count_multiplying(const struct phx_product *product) {
    uint32_t n_threads = product->pool->n_threads, n = product->is_split ? n_threads : 0;
    for (uint32_t i = 0; i < product->n_runs && n < n_threads; i++) {
        for (uint32_t j = 0; j < product->n_factors && n < n_threads; j++) {
            n += phx_product_units(product, &product->factors[j], &product->runs[i]);
        }
    }
    return at_most(n, n_threads);
}

void phx_product_make(struct phx_product *product) {
    struct phx_split split;
    product->is_split = make_split(product, &split);
    product->sums_bytes = measure_sums(product);
    product->n_multiplying = phx_product_count_multiplying(product);
    if (product->is_split) {
        share_results(product, &split);
    }
    for (uint32_t i = 0; i < product->n_multiplying; i++) {
        if (product->is_split) {
            share_tiles(product, &split, i);
        } else {
            phx_product_cut(product, 0, i, product->lanes[i].shares);
        }
    }
    product->is_made = true;
}

void phx_product_share_rows(struct phx_product *product) {
    if (product->is_made && product->is_shared && product->was_quantised == product->is_quantised) {
        return;
    }
    uint32_t n_forms = product->n_forms - product->is_quantised;
    struct quantisers quantisers = find_quantisers(product, n_forms);
    product->n_quantising = quantisers.n;
    product->first_quantising = quantisers.first;
    product->part_slices = quantisers.parts;
    product->is_one_row = product->n_x == 1 && n_forms == 1;
    product->is_looked_at = product->is_one_row && product->n_quantising > 1 &&
                            product->forms[product->is_quantised].plan->kernel->look;
    product->is_shared = true;
    product->was_quantised = product->is_quantised;
}
