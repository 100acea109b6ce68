/* SPDX-License-Identifier: MIT
 *
 * Random ops and their operands, allocated from buffers.
 */
#ifndef FUZZ_OPERANDS_H
#define FUZZ_OPERANDS_H

#include "requests.h"

#define MAX_MADE_OPS 4
#define MAX_OPERANDS 9 /* sources and results */

struct memory {
    uint8_t *const *buffers;
    uint32_t used[N_FDS];
};

/* A definition under construction. */
struct fuzz_tables {
    struct phx_tensor tensors[MAX_MADE_OPS * MAX_OPERANDS];
    struct phx_op ops[MAX_MADE_OPS];
    uint32_t n_tensors;
    uint32_t n_ops;
    bool is_valid;
};

/* Arguments of a function that makes an op; it fills in tensors and op, whose indices are relative to the tensors. */
struct maker {
    struct random *random;
    struct memory *memory;
    struct phx_tensor *tensors; /* MAX_OPERANDS */
    struct phx_op *op;
    uint32_t n_tensors;
    bool is_valid;
};

uint8_t *bytes_of(const struct memory *memory, const struct phx_tensor *tensor);

/* Allocates memory for the tensor in one of the buffers. Returns false when it is full. */
bool place(struct random *random, struct memory *memory, struct phx_tensor *tensor, uint32_t n_bytes,
           uint32_t alignment);

/* Fills in floats of all magnitudes; occasionally arbitrary bits, NaN and infinity included. */
void fill_floats(struct random *random, uint8_t *to, uint32_t n_floats);

/* Returns a view of rows of elements of `element` bytes: n of them in each dimension, each with a gap of up to two. */
struct phx_tensor rows(struct random *random, uint32_t dtype, uint32_t element, const uint32_t n[4]);
uint32_t rows_bytes(const struct phx_tensor *tensor);

/* Adds float32 rows with contents. Returns false when the buffers are full. */
bool add_floats(struct maker *maker, const uint32_t n[4]);

/* Adds rows of 32-bit words: small numbers, or any bits. */
bool add_words(struct maker *maker, const uint32_t n[4]);

/* Adds a weight of any type. */
bool add_tiles(struct maker *maker, const uint32_t n_matrices[2], uint32_t *k, uint32_t *n);

/* Adds ids below `limit`. Occasionally one is too large, which makes the request invalid. */
bool add_ids(struct maker *maker, const uint32_t n[4], uint32_t limit);

/* Adds a KV cache with arbitrary bytes. */
bool add_cache(struct maker *maker, uint32_t dtype, uint32_t n_dims, uint32_t n_heads, uint32_t n_pages);

/* Uses the first `n_src` tensors as the sources, in order, and the next one as the result. */
void set_operands(struct phx_op *op, uint32_t n_src);

/* Makes an op of idl/ops.h, of any code if `code` is PHX_NONE, and its tensors. Returns false when the buffers are
 * full. */
bool make_op(struct random *random, struct memory *memory, struct fuzz_tables *tables, uint32_t code);

#endif
