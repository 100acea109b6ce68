/* SPDX-License-Identifier: MIT
 *
 * Sizes of the tiles of a KV cache: docs/attention.md, 1. A page has, for each KV head, a tile of keys and a tile of
 * values, both of the same size.
 */
#ifndef PHX_FORMATS_CACHE_H
#define PHX_FORMATS_CACHE_H

#include <stdbool.h>

#include "runtime/contract.h"

#define PHX_CACHE_MAX_DIMS 512u /* of a head */

/* Vectors for each 32 dims, scales included; 0: the cache has no such type. */
static inline uint32_t phx_cache_block_vectors(uint32_t dtype) {
    return dtype == PHX_Q8_0 ? 17 : dtype == PHX_Q4_0 ? 9 : dtype == PHX_F16 ? 32 : 0;
}

static inline uint32_t phx_cache_tile_bytes(uint32_t dtype, uint32_t n_dims) {
    return (1 + n_dims / PHX_BLOCK * phx_cache_block_vectors(dtype)) * PHX_VECTOR;
}

/* Whether a cache may have heads of n_dims. */
static inline bool phx_cache_has_dims(uint32_t n_dims) {
    return n_dims > 0 && n_dims % PHX_BLOCK == 0 && n_dims <= PHX_CACHE_MAX_DIMS;
}

#endif
