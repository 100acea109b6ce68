/* SPDX-License-Identifier: MIT
 *
 * Random ops and their operands, in buffers that fill up.
 */
#ifndef FUZZ_OPERANDS_H
#define FUZZ_OPERANDS_H

#include "requests.h"

#define MAX_MADE_OPS 4
#define MAX_OPERANDS 8

struct memory {
    uint8_t *const *buffers;
    uint32_t used[N_FDS];
};

/* A definition in the making. */
struct fuzz_tables {
    struct phx_tensor tensors[MAX_MADE_OPS * MAX_OPERANDS];
    struct phx_op ops[MAX_MADE_OPS];
    uint32_t n_tensors;
    uint32_t n_ops;
    bool is_valid;
};

/* What a maker of an op works with; it fills in tensors and op, whose indices are relative to the tensors. */
struct maker {
    struct random *random;
    struct memory *memory;
    struct phx_tensor *tensors; /* MAX_OPERANDS */
    struct phx_op *op;
    uint32_t n_tensors;
    bool is_valid;
};

uint8_t *bytes_of(const struct memory *memory, const struct phx_tensor *tensor);

/* Puts the tensor in one of the buffers; false when it is full. */
bool place(struct random *random, struct memory *memory, struct phx_tensor *tensor, uint32_t n_bytes,
           uint32_t alignment);

/* Floats of all sizes; now and then any bits at all, NaN and infinity too. */
void fill_floats(struct random *random, uint8_t *to, uint32_t n_floats);

/* Rows of elements of so many bytes: n of them in each dimension, after each of which up to two are left out. */
struct phx_tensor rows(struct random *random, uint32_t dtype, uint32_t element, const uint32_t n[4]);
uint32_t rows_bytes(const struct phx_tensor *tensor);

/* Adds float32 rows, filled; false when the buffers are full. */
bool add_floats(struct maker *maker, const uint32_t n[4]);

/* Adds rows of 32-bit words: small numbers, or any bits. */
bool add_words(struct maker *maker, const uint32_t n[4]);

/* Adds a weight of any type. */
bool add_tiles(struct maker *maker, const uint32_t n_matrices[2], uint32_t *k, uint32_t *n);

/* Adds ids below `limit`. Now and then one is too large: such a request is no valid one. */
bool add_ids(struct maker *maker, const uint32_t n[4], uint32_t limit);

/* Adds a cache of keys and values, whatever its bytes. */
bool add_cache(struct maker *maker, uint32_t dtype, uint32_t n_dims, uint32_t n_heads, uint32_t n_pages);

/* The first `n_src` tensors are the sources, in order, and the one after them the result. */
void set_operands(struct phx_op *op, uint32_t n_src);

/* An op of idl/ops.h and its tensors; false when the buffers are full. */
bool make_op(struct random *random, struct memory *memory, struct fuzz_tables *tables);

#endif
