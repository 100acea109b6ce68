/* SPDX-License-Identifier: MIT
 *
 * CPU threads that compute a part of the rows of a program's products while the DSP runs the program (docs/cpu.md).
 * cffi reads this file.
 */

/* One product with a meeting (idl/contract.h). Addresses are a buffer's number and an offset in it. */
struct sharing_product {
    uint32_t dtype;          /* of the weights, enum phx_dtype */
    uint32_t k, n;           /* of the weights */
    uint32_t first_tile;     /* the CPU's tiles reach from here to the last one */
    uint32_t weights;        /* buffer of the tiles, which begin with it */
    uint32_t activations;    /* buffer */
    uint32_t meeting;        /* buffer */
    uint32_t meeting_offset; /* in bytes */
    uint32_t activations_offset;
    uint32_t group; /* consecutive products with the same number multiply the same activations */
    uint32_t ne[3]; /* rows of activations, and the bytes from one to the next, in dimensions 1 to 3 */
    uint32_t nb[3];
    uint32_t n_experts; /* of a MUL_MAT_ID, whose experts all have these k, n and first_tile; 0: it is a MUL_MAT */
    uint32_t n_used;    /* ids of a token */
    uint32_t ids;       /* buffer */
    uint32_t ids_offset;
    uint32_t ids_stride; /* bytes from one token's ids to the next */
};

/* What the threads did in a run. */
struct sharing_counts {
    uint32_t n_meetings;  /* products: the CPU computed at least one tile of each, used by the DSP or not */
    uint32_t n_tiles;     /* computed */
    uint32_t n_quantized; /* all threads: how often they quantized the activations of a product */
    uint64_t busy_ns;     /* all threads: quantizing and multiplying */
    uint64_t wait_ns;     /* all threads: waiting for the DSP */
};

/* Starts a team of n_threads threads, which sleep. NULL: the system has no thread or no memory for it. */
void *phx_sharing_start(uint32_t n_threads);

/* Writes the run's number and how long the DSP waits into the meetings, and has the threads compute their part of each
 * product when the DSP has reached it. The team must be idle. Products, buffers and the memory of all buffers must stay
 * until phx_sharing_finish() has returned. */
void phx_sharing_begin(void *team, const struct sharing_product *products, uint32_t n_products, const uint64_t *buffers,
                       uint32_t run, uint32_t patience_us, uint32_t grace_us);

/* Makes the threads stop after the tile that they compute, waits until they are idle, and returns their counts: zeros
 * if there was no run. */
void phx_sharing_finish(void *team, struct sharing_counts *counts);

/* Ends the threads and frees the team, unless it is NULL. In a forked child, which has no copy of the threads, it does
 * nothing. */
void phx_sharing_stop(void *team);
