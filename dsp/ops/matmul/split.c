/* SPDX-License-Identifier: MIT */
#include "split.h"

#include "ops/rolled.h"
#include "ops/slices.h"
#include "formats/tiles.h"

#define LEAST_GAIN 1 /* steps of the busiest thread: a barrier and adding up partial sums cost as much */

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

bool phx_split_make(struct phx_split *split, const uint32_t *n_units, uint32_t n_factors, uint32_t n_blocks,
                    uint32_t n_whole, uint32_t n_threads) {
    uint32_t unit_steps = n_blocks / PHX_BLOCKS_OF_SUPER, n_all = 0;
    split->n_factors = n_factors;
    split->n_threads = n_threads;
    split->unit_steps = unit_steps;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        split->first_unit[i] = n_all;
        n_all += n_units[i];
    }
    split->first_unit[n_factors] = n_all;
    struct phx_slices steps = phx_split_evenly(n_all * unit_steps, n_threads);
    if (unit_steps < 2 || n_whole * unit_steps < steps.each + (steps.more > 0) + LEAST_GAIN) {
        return false;
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i <= n_threads; i++) {
        uint32_t start = phx_slice_start(steps, i);
        split->at[i] = (struct phx_split_at){start / unit_steps, start % unit_steps};
    }
    return true;
}

static uint32_t factor_of(const struct phx_split *split, uint32_t unit) {
    uint32_t factor = 0;
    while (split->first_unit[factor + 1] <= unit) {
        factor++;
    }
    return factor;
}

uint32_t phx_split_parts(const struct phx_split *split, uint32_t thread, struct phx_split_part *parts) {
    struct phx_split_at at = split->at[thread], end = split->at[thread + 1];
    uint32_t start = at.unit, n = 0;
    while (at.unit < end.unit || at.step < end.step) {
        uint32_t factor = factor_of(split, at.unit), before = split->first_unit[factor];
        struct phx_split_part part = {factor,  at.unit - before,  at.unit - before + 1,
                                      at.step, split->unit_steps, at.unit != start};
        if (at.unit == end.unit) {
            part.last_step = end.step;
        } else if (at.step == 0) {
            part.last = smaller(end.unit, split->first_unit[factor + 1]) - before;
        }
        at = at.unit == end.unit ? end : (struct phx_split_at){part.last + before, 0};
        parts[n++] = part;
    }
    return n;
}

struct phx_split_threads phx_split_threads(const struct phx_split *split, uint32_t factor, uint32_t unit) {
    struct phx_split_threads threads = {0, 0};
    const struct phx_split_at *at = split->at;
    unit += split->first_unit[factor];
    while (at[threads.first + 1].unit < unit || (at[threads.first + 1].unit == unit && !at[threads.first + 1].step)) {
        threads.first++;
    }
    for (threads.last = threads.first + 1; threads.last < split->n_threads && at[threads.last].unit == unit;) {
        threads.last++;
    }
    return threads;
}

uint32_t phx_split_sums(const struct phx_split *split, uint32_t factor, uint32_t unit, uint32_t thread) {
    return split->first_unit[factor] + unit != split->at[thread].unit;
}
