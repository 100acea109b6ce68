/* SPDX-License-Identifier: MIT
 *
 * One side's cached copy of a block of shared memory, for the option `incoherent`. The CPU has a copy of each block,
 * unless the option is 2, and each PD has one. A side reads and writes `lines`; only cache maintenance moves data
 * between them and `memory`.
 *
 * This models the worst case of a real cache: it never evicts or prefetches a line. Without an invalidate, a side keeps
 * reading stale data; and cleaning a dirty line overwrites what the other side has written to that line in memory.
 */
#ifndef SHELL_CACHE_H
#define SHELL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHELL_CACHE_LINE 64

struct shell_cache {
    uint8_t *lines;
    uint8_t *filled; /* what the lines held after the last maintenance: a line that differs from it is dirty */
    uint8_t *memory;
    size_t size; /* of each of the three */
};

/* Sets up the cache of a block that `memory` maps; `lines` become a copy of it. Returns false without memory.
 * shell_cache_close() unmaps `memory`; the lines belong to the caller. */
bool shell_cache_open(struct shell_cache *cache, uint8_t *lines, uint8_t *memory, size_t size);
void shell_cache_close(struct shell_cache *cache);

/* Writes the dirty lines of the range to memory. */
void shell_cache_clean(const struct shell_cache *cache, size_t offset, size_t n_bytes);

/* Writes every byte of the range to memory, as if all of its lines were dirty. A line that the side has written with
 * its old values differs in nothing and is dirty nevertheless: this is for ranges that the side is known to have
 * written. Lines at the ends that the range covers in part are written if they are dirty. */
void shell_cache_write(const struct shell_cache *cache, size_t offset, size_t n_bytes);

/* Cleans the lines of the range and reads them from memory again. */
void shell_cache_fill(const struct shell_cache *cache, size_t offset, size_t n_bytes);

#endif
