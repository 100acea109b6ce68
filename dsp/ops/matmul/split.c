/* SPDX-License-Identifier: MIT */
#include "split.h"

#include "ops/slices.h"
#include "tiles.h"

#define STEP PHX_BLOCKS_OF_SUPER
#define LEAST_GAIN 2 /* steps of the busiest thread: what a hand-over and adding up cost */

/* Short loops, which would be unrolled. */
#ifdef __clang__
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define KEEP_ROLLED
#endif

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void phx_split_make(struct phx_split *split, const struct phx_matmul *mm, const struct phx_cuts *cuts, uint32_t n_tiles,
                    uint32_t shift, uint32_t n_rows, uint32_t n_threads) {
    uint32_t n_units = (n_tiles + (1u << shift) - 1) >> shift, unit_steps = mm->n_blocks / STEP;
    struct phx_slices whole = phx_cut_evenly(n_units, n_threads);
    bool comes_by_single_tiles = shift && cuts->one.piece_blocks && !cuts->several.piece_blocks;
    split->n_rows = 0;
    if (n_rows > PHX_SPLIT_MOST_ROWS || comes_by_single_tiles || whole.more == 0 || unit_steps < 2) {
        return;
    }
    struct phx_slices steps = phx_cut_evenly(n_units * unit_steps, n_threads);
    if ((whole.each + 1) * unit_steps < steps.each + (steps.more > 0) + LEAST_GAIN) {
        return;
    }
    KEEP_ROLLED
    for (uint32_t i = 0; i <= n_threads; i++) {
        uint32_t start = phx_slice_start(steps, i);
        split->at[i] = (struct phx_split_at){start / unit_steps, start % unit_steps};
    }
    split->shift = shift;
    split->n_rows = n_rows;
}

void phx_split_slices(const struct phx_split *split, const struct phx_matmul *mm, uint32_t n_tiles, uint32_t thread,
                      struct phx_tile_slice *slices) {
    struct phx_split_at at = split->at[thread], end = split->at[thread + 1];
    KEEP_ROLLED
    for (uint32_t i = 0; i < PHX_SPLIT_SLICES; i++) {
        struct phx_split_at to = end;
        if (at.unit < end.unit && i < 2) { /* to the end of the unit, then as many as are whole */
            to = (struct phx_split_at){at.step ? at.unit + 1 : end.unit, 0};
        }
        bool is_empty = at.unit == to.unit && at.step == to.step;
        uint32_t n_units = is_empty ? 0 : to.unit - at.unit + (to.step > 0);
        slices[i] = (struct phx_tile_slice){.tiles = mm->tiles,
                                            .first = smaller(at.unit << split->shift, n_tiles),
                                            .last = smaller((at.unit + n_units) << split->shift, n_tiles),
                                            .n_at_once = 1u << split->shift,
                                            .first_block = at.step * STEP,
                                            .last_block = to.step ? to.step * STEP : mm->n_blocks};
        at = to;
    }
}

struct phx_split_threads phx_split_threads(const struct phx_split *split, uint32_t unit) {
    struct phx_split_threads threads = {0, 0};
    while (split->at[threads.first + 1].unit <= unit &&
           !(split->at[threads.first + 1].unit == unit && split->at[threads.first + 1].step)) {
        threads.first++;
    }
    for (threads.last = threads.first + 1; split->at[threads.last].unit == unit;) {
        threads.last++;
    }
    return threads;
}
