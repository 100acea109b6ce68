/* SPDX-License-Identifier: MIT
 *
 * Seeded requests: valid definitions of programs, runs of kept programs with patches, and mutations of valid requests.
 * The ops come from idl/ops.h.
 */
#ifndef FUZZ_REQUESTS_H
#define FUZZ_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/contract.h"

#define N_FDS 2
#define BUFFER_BYTES 262144u /* size given to the skel */
#define MAX_REQUEST_BYTES 16384u

struct random {
    uint64_t state;
};

uint32_t random_word(struct random *random);
uint32_t random_below(struct random *random, uint32_t n); /* n = 0 counts as 1 */

struct fuzz_request {
    uint8_t bytes[MAX_REQUEST_BYTES];
    uint32_t n_bytes;    /* bytes to send, possibly fewer than the request has */
    uint32_t n_response; /* size of the response */
    uint32_t n_ops;      /* before mutations */
    bool is_valid;       /* not mutated, and all ids are valid */
};

/* Buffers mapped under these fds. */
struct fuzz_memory {
    int32_t fds[N_FDS];
    uint8_t *buffers[N_FDS];
};

/* Makes a definition of 0..4 ops, run or not, valid except for an occasional bad id; fills in the contents of its
 * inputs. */
void make_definition(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request);

/* Makes a run of a program that may have been defined before, with patches that may fit it. Every other run moves
 * something, and the second one after it moves that back. */
void make_run(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request);

#define N_PROGRAMS 6 /* numbers of programs that these requests use: the first ones */

/* Changes something, which may have no effect. */
void mutate_request(struct random *random, struct fuzz_request *request);

/* operand_mutations.c: changes operands of a definition's ops: which are absent, what they share, their sizes, their
 * ids. */
void mutate_operands(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request);

#endif
