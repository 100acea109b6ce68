/* SPDX-License-Identifier: MIT
 *
 * Few rows of weights over several threads: where whole units of tiles would leave threads without work, they are cut
 * along k, too. Sums over blocks are integers that may be added in any order, so each thread makes those of its blocks,
 * and after a hand-over finish() adds them up: the same bits for any cut.
 *
 * The units of a matrix, one after the other, are a line of steps of 8 blocks, of which each thread gets an equal part.
 */
#ifndef PHX_SPLIT_H
#define PHX_SPLIT_H

#include "kernel.h"
#include "stream.h"

#define PHX_SPLIT_MOST_ROWS 64 /* of activations: the sums of more are long, and tiles of 64 rows are enough units */
#define PHX_SPLIT_SLICES 3     /* of a thread: the end of a unit, whole ones, and the start of one */

/* A place on the line. */
struct phx_split_at {
    uint32_t unit, step;
};

struct phx_split {
    uint32_t n_rows;                             /* of activations that it was made for; 0: it would not pay */
    uint32_t shift;                              /* a unit is 2^shift tiles */
    struct phx_split_at at[PHX_MAX_THREADS + 1]; /* where the threads begin, and where the last one ends */
};

/* For so many rows of activations that meet one matrix. */
void phx_split_make(struct phx_split *split, const struct phx_matmul *mm, const struct phx_cuts *cuts, uint32_t n_tiles,
                    uint32_t shift, uint32_t n_rows, uint32_t n_threads);

/* A thread's slices, PHX_SPLIT_SLICES of them, some perhaps empty. */
void phx_split_slices(const struct phx_split *split, const struct phx_matmul *mm, uint32_t n_tiles, uint32_t thread,
                      struct phx_tile_slice *slices);

/* Which threads have a part of a unit: first..last-1, more than one if it is cut. */
struct phx_split_threads {
    uint32_t first, last;
};
struct phx_split_threads phx_split_threads(const struct phx_split *split, uint32_t unit);

/* A thread may have parts of two units: which of its two sums this one's are. */
static inline uint32_t phx_split_sums(const struct phx_split *split, uint32_t unit, uint32_t thread) {
    return 2 * thread + (unit != split->at[thread].unit);
}

#endif
