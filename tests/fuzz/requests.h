/* SPDX-License-Identifier: MIT
 *
 * Seeded requests: valid definitions of programs, runs of kept ones with patches, and what was valid before something
 * happened to it. The ops are those of idl/ops.h.
 */
#ifndef FUZZ_REQUESTS_H
#define FUZZ_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/contract.h"

#define N_FDS 2
#define BUFFER_BYTES 262144u /* as told to the skel */
#define MAX_REQUEST_BYTES 16384u

struct random {
    uint64_t state;
};

uint32_t random_word(struct random *random);
uint32_t random_below(struct random *random, uint32_t n); /* n = 0 counts as 1 */

struct fuzz_request {
    uint8_t bytes[MAX_REQUEST_BYTES];
    uint32_t n_bytes;    /* what is sent, perhaps less than was made */
    uint32_t n_response; /* room for the response */
    uint32_t n_ops;      /* as made */
    bool is_valid;       /* nothing was changed, and all ids are good */
};

/* Buffers mapped under these fds. */
struct fuzz_memory {
    int32_t fds[N_FDS];
    uint8_t *buffers[N_FDS];
};

/* A definition of 0..4 ops, run or not, valid but for an id now and then; fills in what its inputs hold. */
void make_definition(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request);

/* A run of a program that may have been defined before, with patches that may fit it; every other one moves something, and
 * the second after it moves that back. */
void make_run(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request);

/* Changes something, perhaps something that does not matter. */
void mutate_request(struct random *random, struct fuzz_request *request);

#endif
