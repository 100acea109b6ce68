/* SPDX-License-Identifier: MIT
 *
 * Few rows of weights over several threads: where whole units of tiles would leave threads without work, they are cut
 * along k, too. Sums over blocks are integers that may be added in any order, so each thread makes those of its blocks,
 * and when all have done so finish() adds them up: the same bits for any cut.
 *
 * The units of all factors of a product, one after the other, are a line of steps of 8 blocks, of which each thread gets
 * an equal part.
 */
#ifndef PHX_SPLIT_H
#define PHX_SPLIT_H

#include "kernel.h"

#define PHX_MAX_FACTORS 4
#define PHX_SPLIT_MOST_ROWS 64                /* of activations: the sums of more are long */
#define PHX_MOST_SLICES (PHX_MAX_FACTORS + 2) /* of a thread: one cut at its start, whole ones, one cut at its end */

/* A place on the line. */
struct phx_split_at {
    uint32_t unit, step;
};

/* Units first..last-1 of a factor, whole ones; or steps first_step..last_step-1 of one. */
struct phx_split_part {
    uint32_t factor, first, last;
    uint32_t first_step, last_step;
    uint32_t sums; /* which of the thread's two sums are those of a unit that is cut */
};

struct phx_split {
    uint32_t n_factors, n_threads;
    uint32_t unit_steps;
    uint32_t first_unit[PHX_MAX_FACTORS + 1];    /* on the line, of each factor, and where the last one ends */
    struct phx_split_at at[PHX_MAX_THREADS + 1]; /* where the threads begin, and where the last one ends */
};

/* For factors of so many units; false: it would not pay. n_whole: units that the busiest thread has if none is cut. */
bool phx_split_make(struct phx_split *split, const uint32_t *n_units, uint32_t n_factors, uint32_t n_blocks,
                    uint32_t n_whole, uint32_t n_threads);

/* A thread's parts, at most PHX_MOST_SLICES; returns how many. */
uint32_t phx_split_parts(const struct phx_split *split, uint32_t thread, struct phx_split_part *parts);

/* Which threads have a part of a factor's unit: first..last-1, more than one if it is cut. */
struct phx_split_threads {
    uint32_t first, last;
};
struct phx_split_threads phx_split_threads(const struct phx_split *split, uint32_t factor, uint32_t unit);

/* Which of its two sums a thread has for a factor's unit. */
uint32_t phx_split_sums(const struct phx_split *split, uint32_t factor, uint32_t unit, uint32_t thread);

#endif
