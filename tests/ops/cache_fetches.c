/* SPDX-License-Identifier: MIT
 *
 * Checks which bytes of a KV cache attention prefetches: tests/ops/test_cache_fetches.py. Prints the first mistake.
 *
 *     cache_fetches DTYPE DIMS
 */
#include "fetch_log.h"

#include "ops/attention/attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGES = 9,
    KV_HEADS = 2
};

const struct phx_attention_kernel phx_attention_ref; /* not called */

static struct phx_attention op;
static uint8_t *n_fetches; /* of each line of the cache */
static uint32_t n_boxes_of_lines, n_lines;
static const uint32_t table[PAGES] = {5, 2, 8, 0, 7, 3, 6, 1, 4};
static uint32_t offsets[PAGES];
static float q[4 * PHX_CACHE_MAX_DIMS], results[4 * PHX_CACHE_MAX_DIMS];

static void fail(const char *what, uint32_t n) {
    printf("%s: %u\n", what, n);
    exit(1);
}

void fetched(const void *from, uint64_t box) {
    uint32_t stride = (uint32_t)(box >> 32), width = (uint32_t)(box >> 16) & 0xffff, height = (uint32_t)box & 0xffff;
    size_t at = (size_t)((const uint8_t *)from - op.cache.data);
    if (!width || !height || stride != PHX_VECTOR || width != PHX_VECTOR || at % PHX_VECTOR) {
        fail("not a box of lines", (uint32_t)width);
    }
    if (at / PHX_VECTOR + height > n_lines) {
        fail("a line outside of the cache", (uint32_t)(at / PHX_VECTOR + height));
    }
    for (uint32_t i = 0; i < height; i++) {
        n_fetches[at / PHX_VECTOR + i] = 1;
    }
    n_boxes_of_lines += height > 1;
}

/* Requires that exactly the lines of a KV head in tiles first..end-1 are prefetched; for a block of one head, the keys,
 * sizes and scales. */
static void expect_tiles(uint32_t n_heads, uint32_t kv_head, uint32_t first, uint32_t end) {
    uint32_t n_lines_of_half = op.cache.tile_bytes / PHX_VECTOR;
    uint32_t n = n_lines_of_half + (n_heads == 1 ? 1 + op.cache.n_blocks : n_lines_of_half);
    for (uint32_t tile = first; tile < end; tile++) {
        uint8_t *at = n_fetches + (offsets[tile] + kv_head * 2 * op.cache.tile_bytes) / PHX_VECTOR;
        for (uint32_t i = 0; i < n; i++) {
            if (!at[i]) {
                fail("not prefetched: line of a tile", i);
            }
            at[i] = 0;
        }
    }
    for (uint32_t i = 0; i < n_lines; i++) {
        if (n_fetches[i]) {
            fail("prefetched for nothing: line", i);
        }
    }
}

/* Sets the pages of tiles first..end-1; the others are missing. */
static void set_pages(uint32_t first, uint32_t end) {
    for (uint32_t i = 0; i < PAGES; i++) {
        offsets[i] = i < first || i >= end ? PHX_NO_PAGE : table[i] * op.cache.page_bytes;
    }
}

static struct phx_heads heads_of(uint32_t kv_head, uint32_t n_heads, uint32_t first, uint32_t end) {
    return (struct phx_heads){.q = (const uint8_t *)q,
                              .q_step = op.width * sizeof(float),
                              .dst = (uint8_t *)results,
                              .dst_step = op.width * sizeof(float),
                              .n_heads = n_heads,
                              .tiles = op.cache.data + kv_head * 2 * op.cache.tile_bytes,
                              .pages = offsets,
                              .first = first,
                              .end = end};
}

static void check(uint32_t n_heads, uint32_t first, uint32_t end, void *work) {
    uint32_t first_tile = first / PHX_TILE_ROWS, end_tile = (end - 1) / PHX_TILE_ROWS + 1;
    struct phx_heads heads = heads_of(n_heads % KV_HEADS, n_heads, first, end);
    set_pages(first_tile, end_tile);
    memset(n_fetches, 0, n_lines);
    phx_attention_hvx.attend(&op, &heads, work);
    expect_tiles(n_heads, n_heads % KV_HEADS, first_tile, end_tile);

    phx_attention_set_fetching(&op, false);
    n_boxes_of_lines = 0;
    phx_attention_hvx.attend(&op, &heads, work);
    if (n_boxes_of_lines) {
        fail("boxes of several lines without prefetching", n_boxes_of_lines);
    }
    phx_attention_set_fetching(&op, true);
}

/* Parts run one after the other. */
void phx_pool_barrier(struct phx_pool *pool, uint32_t thread) {
    (void)pool, (void)thread;
}

/* Two threads' parts of a block prefetch what each reads in each pass. */
static void check_parts(uint32_t n_tiles, void *work) {
    struct phx_heads heads = heads_of(1, 3, 0, n_tiles * PHX_TILE_ROWS - 5);
    const uint32_t keys[] = {0, n_tiles / 2, n_tiles}, values[] = {0, (n_tiles + 1) / 2, n_tiles};
    set_pages(0, n_tiles);
    memset(n_fetches, 0, n_lines);
    phx_attention_hvx.prepare(&op, &heads, work, 0, 1);
    struct phx_part part = {&heads, work, 0, 2, {keys, keys, values}};
    phx_attention_hvx.attend_parts(&op, &part, 1, NULL, 0);
    part = (struct phx_part){&heads, work, 1, 2, {keys + 1, keys + 1, values + 1}};
    phx_attention_hvx.attend_parts(&op, &part, 1, NULL, 0);
    expect_tiles(heads.n_heads, 1, 0, n_tiles);
}

int main(int argc, char **argv) {
    uint32_t dtype = argc > 1 ? (uint32_t)atoi(argv[1]) : 0, n_dims = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    uint32_t tile_bytes = phx_cache_tile_bytes(dtype, n_dims), page_bytes = KV_HEADS * 2 * tile_bytes;
    n_lines = PAGES * page_bytes / PHX_VECTOR;
    n_fetches = calloc(n_lines, 1);
    op = (struct phx_attention){.cache = {.data = aligned_alloc(PHX_VECTOR, PAGES * page_bytes),
                                          .dtype = dtype,
                                          .n_dims = n_dims,
                                          .n_blocks = n_dims / PHX_BLOCK,
                                          .n_heads = KV_HEADS,
                                          .n_pages = PAGES,
                                          .tile_bytes = tile_bytes,
                                          .page_bytes = page_bytes},
                                .width = n_dims};
    phx_attention_set_scale(&op, 0.125f);
    phx_attention_set_fetching(&op, true);
    memset(op.cache.data, 0, PAGES * page_bytes);
    void *work = aligned_alloc(PHX_VECTOR, (phx_attention_hvx.work_bytes(&op.cache, PAGES, 2) + 127) / 128 * 128);
    static const uint32_t ranges[][2] = {{0, 1},    {0, 64},  {0, 65},    {70, 129},
                                         {63, 192}, {0, 320}, {190, 513}, {65, 575}};
    for (uint32_t n_heads = 1; n_heads <= 4; n_heads++) {
        for (uint32_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
            check(n_heads, ranges[i][0], ranges[i][1], work);
        }
    }
    for (uint32_t n_tiles = 2; n_tiles <= PAGES; n_tiles++) {
        check_parts(n_tiles, work);
    }
    return 0;
}
