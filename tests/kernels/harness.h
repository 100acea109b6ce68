/* SPDX-License-Identifier: MIT
 *
 * A kernel call and its memory: every tensor between guard pages, so that an access of one byte outside faults.
 */
#ifndef PHX_TESTS_HARNESS_H
#define PHX_TESTS_HARNESS_H

#include <stdbool.h>

#include "ops/matmul/kernel.h"
#include "formats/tiles.h"
#include "random.h"

/* n_bytes that end at a guard page, or begin after one; free with guarded_free(). */
struct guarded {
    uint8_t *data;
    size_t n_bytes;
    uint8_t *map;
    size_t map_bytes;
};

struct guarded guarded_alloc(size_t n_bytes, bool at_end);
void guarded_free(struct guarded *area);

struct shape {
    uint32_t dtype, n, k, m;
};

struct phx_matmul matmul_of(struct shape shape, const uint8_t *tiles);
const char *dtype_name(uint32_t dtype);

enum weights {
    WEIGHTS_LIKELY,
    WEIGHTS_ANY_BYTES,
    WEIGHTS_EXTREME,
    WEIGHTS_KINDS
};
enum activations {
    X_NORMAL,
    X_ANY_BITS,
    X_ZERO,
    X_UNEVEN,
    X_SPECIAL,
    X_EXTREME,
    X_KINDS
};

/* Directory of dump(); NULL (initially): dump() does nothing. */
extern const char *dump_directory;

/* Writes NAME.bin to it. You may also declare and call it in a kernel that you are debugging. */
void dump(const char *name, const void *data, size_t n_bytes);

void fill_tiles(const struct phx_matmul *mm, uint8_t *tiles, enum weights kind);
void fill_x(uint32_t *x, uint32_t k, enum activations kind);

#endif
