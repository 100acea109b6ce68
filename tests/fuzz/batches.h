/* SPDX-License-Identifier: MIT
 *
 * Seeded batches: valid ones, and ones that were valid before something happened to them.
 */
#ifndef FUZZ_BATCHES_H
#define FUZZ_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/contract.h"

#define N_FDS 2
#define BUFFER_BYTES 262144u /* as told to the skel */
#define MAX_BATCH_BYTES 16384u

struct random {
    uint64_t state;
};

uint32_t random_word(struct random *random);
uint32_t random_below(struct random *random, uint32_t n); /* n = 0 counts as 1 */

struct fuzz_batch {
    uint8_t bytes[MAX_BATCH_BYTES];
    uint32_t n_bytes;       /* what is sent, perhaps less than was made */
    uint32_t n_response;    /* room for the response */
    uint32_t n_ops;         /* as made */
    bool is_valid;          /* nothing was changed, and all ids are experts' */
};

/* A batch of 0..3 ops, valid but for an id now and then, over the buffers `memory`, each mapped under fds[i]; fills in activations for it. */
void make_batch(struct random *random, const int32_t fds[N_FDS], uint8_t *const memory[N_FDS],
                struct fuzz_batch *batch);

/* Changes something, perhaps something that does not matter. */
void mutate_batch(struct random *random, struct fuzz_batch *batch);

#endif
