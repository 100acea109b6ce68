/* SPDX-License-Identifier: MIT
 *
 * Load balancing of products with few work units: where whole units would leave threads idle, units are also cut along
 * K. Integer sums over blocks may be added in any order, so each thread makes the partial sums of its blocks, and
 * behind a barrier finish() adds them up: the bits are the same for any cut.
 *
 * The units of all factors, one after the other, form a line of steps of 8 blocks. Each thread gets an equal part of
 * it.
 */
#ifndef PHX_SPLIT_H
#define PHX_SPLIT_H

#include "kernel.h"

#define PHX_MAX_FACTORS 4
#define PHX_SPLIT_MOST_ROWS 64                /* of activations: partial sums of more rows take too much memory */
#define PHX_MOST_SLICES (PHX_MAX_FACTORS + 2) /* of a thread: of each factor, and one cut at each end */

/* A place on the line. */
struct phx_split_at {
    uint32_t unit, step;
};

/* Whole units first..last-1 of a factor, or steps first_step..last_step-1 of unit `first`. */
struct phx_split_part {
    uint32_t factor, first, last;
    uint32_t first_step, last_step;
    uint32_t sums; /* of a cut unit: which of the thread's two areas has its partial sums */
};

struct phx_split {
    uint32_t n_factors, n_threads;
    uint32_t unit_steps;
    uint32_t first_unit[PHX_MAX_FACTORS + 1];    /* of each factor on the line, and the end of the last one */
    struct phx_split_at at[PHX_MAX_THREADS + 1]; /* start of each thread's part, and the end of the last one */
};

/* Cuts factors of n_units[i] units. n_whole: units of the busiest thread if no unit is cut. False: cutting does not
 * pay. */
bool phx_split_make(struct phx_split *split, const uint32_t *n_units, uint32_t n_factors, uint32_t n_blocks,
                    uint32_t n_whole, uint32_t n_threads);

/* Writes a thread's parts, at most PHX_MOST_SLICES; returns how many. */
uint32_t phx_split_parts(const struct phx_split *split, uint32_t thread, struct phx_split_part *parts);

/* Threads first..last-1 have a part of a factor's unit; more than one if it is cut. */
struct phx_split_threads {
    uint32_t first, last;
};
struct phx_split_threads phx_split_threads(const struct phx_split *split, uint32_t factor, uint32_t unit);

/* Which of its two areas of partial sums a thread uses for a factor's unit. */
uint32_t phx_split_sums(const struct phx_split *split, uint32_t factor, uint32_t unit, uint32_t thread);

#endif
