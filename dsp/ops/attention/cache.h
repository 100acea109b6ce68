/* SPDX-License-Identifier: MIT
 *
 * Memory layout of the KV cache: docs/attention.md, 1. Pages of 64 tokens; in a page, for each KV head, a tile of keys,
 * then a tile of values. A token's place in its page depends only on its position.
 *
 * A tile consists of vectors of 128 bytes. A token's lane is its index in vectors of 64 int16.
 *     keys      exponents; then for each 32 dims: codes, scales
 *     values    sizes; the scales of each 32 dims; then for each 32 dims: codes
 * Q4_0 has two codes per byte. F16 has no scales: its codes are int16, relative to the exponent of a token's key or
 * value; the codes of values are stored as separate low and high bytes.
 */
#ifndef PHX_CACHE_H
#define PHX_CACHE_H

#include "formats/cache.h"
#include "ops/op.h"

#define PHX_CACHE_MAX_BLOCKS (PHX_CACHE_MAX_DIMS / PHX_BLOCK)
#define PHX_CACHE_MAX_TILES 16384u /* that one row may attend to: keeps sums within 32 bits */
#define PHX_CACHE_SPECIAL 255      /* exponent of a token whose key or value contains NaN or infinity */

struct phx_cache {
    uint8_t *data;
    uint32_t dtype; /* PHX_Q8_0, PHX_Q4_0 or PHX_F16 */
    uint32_t n_dims;
    uint32_t n_blocks; /* of 32 dims */
    uint32_t n_heads;
    uint32_t n_pages;
    uint32_t tile_bytes; /* bytes of a tile of keys, equal to those of values */
    uint32_t page_bytes;
};

static inline struct phx_cache phx_cache_of(const struct phx_operand *operand) {
    const struct phx_tensor *view = &operand->view;
    uint32_t tile_bytes = phx_cache_tile_bytes(view->dtype, view->ne[0]);
    return (struct phx_cache){.data = operand->data,
                              .dtype = view->dtype,
                              .n_dims = view->ne[0],
                              .n_blocks = view->ne[0] / PHX_BLOCK,
                              .n_heads = view->ne[1],
                              .n_pages = view->ne[2],
                              .tile_bytes = tile_bytes,
                              .page_bytes = view->ne[1] * 2 * tile_bytes};
}

/* Returns whether heads of `width` floats fit; they are zero-padded to a whole block. */
static inline bool phx_cache_takes(const struct phx_cache *cache, uint32_t width) {
    return width <= cache->n_dims && width + PHX_BLOCK > cache->n_dims;
}

#define PHX_NO_PAGE 0xffffffffu

/* Returns the offset of a page from the cache's data, or PHX_NO_PAGE for an invalid number. Reads the number once,
 * since the CPU may change it. */
static inline uint32_t phx_page_offset(const struct phx_cache *cache, const uint8_t *number) {
    uint32_t page = *(const volatile uint32_t *)number;
    return page < cache->n_pages ? page * cache->page_bytes : PHX_NO_PAGE;
}

/* Returns the lane of a token. */
static inline uint32_t phx_cache_lane(uint32_t position) {
    uint32_t token = position % PHX_TILE_ROWS;
    return token < 32 ? 2 * token : 2 * (token - 32) + 1;
}

#endif
