/* SPDX-License-Identifier: MIT
 *
 * Counts rows of attention that depend on something they must not: tests/ops/test_attention_rules.py. Each row is
 * computed twice: alone, over a cache of zeros that ends with it; and in a call of 7, with later tokens in place and
 * garbage in slots that were never written and in pages that were dropped.
 */
#include "ops/attention/attention.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 200,
    FIRST = 65,
    D = 32,
    HEADS = 2,
    PAGES = 4,
    PIECE = 7
};

/* State of the whole call, for kernels that break a rule on purpose. */
uint32_t call_tiles;
int32_t call_largest;

static float q[N][HEADS][D], k[N][D], v[N][D];
static uint8_t garbage[2][1 << 16] __attribute__((aligned(128)));
static uint64_t state = 1;

static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static float normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += uniform();
    }
    return (float)sum;
}

static void fill(void) {
    for (int t = 0; t < N; t++) {
        float size = (float)(1 << (int)(24 * uniform())) / 4096;
        for (int i = 0; i < D; i++) {
            k[t][i] = normal();
            v[t][i] = size * normal();
            for (int h = 0; h < HEADS; h++) {
                q[t][h][i] = (t % 3 ? 1.5f : 6.0f) * normal();
            }
        }
    }
    for (size_t i = 0; i < sizeof(garbage[1]); i++) {
        garbage[1][i] = (uint8_t)(256 * uniform());
    }
}

static void append(const struct phx_cache *cache, uint8_t *pages, uint32_t t) {
    struct phx_slot slot = {t / PHX_TILE_ROWS * cache->page_bytes, t};
    phx_attention_ref.append(cache, &(struct phx_tokens){.k = (const uint8_t *)k[t],
                                                         .v = (const uint8_t *)v[t],
                                                         .width = D,
                                                         .tiles = pages,
                                                         .slots = &slot,
                                                         .n = 1});
}

static uint32_t tiles_of(uint32_t row, uint32_t window) {
    return row / PHX_TILE_ROWS + 1 - (window && row + 1 > window ? (row + 1 - window) / PHX_TILE_ROWS : 0);
}

static void attend(const struct phx_attention *op, const uint8_t *pages, uint32_t row, uint32_t window, float *to) {
    static uint8_t work[1 << 16] __attribute__((aligned(128)));
    uint32_t offsets[PAGES];
    for (uint32_t i = 0; i < PAGES; i++) {
        offsets[i] = i * op->cache.page_bytes;
    }
    struct phx_heads heads = {.q = (const uint8_t *)q[row],
                              .q_step = sizeof(q[0][0]),
                              .dst = (uint8_t *)to,
                              .dst_step = D * sizeof(float),
                              .n_heads = HEADS,
                              .tiles = pages,
                              .pages = offsets,
                              .first = window && row + 1 > window ? row + 1 - window : 0,
                              .end = row + 1};
    phx_attention_ref.attend(op, &heads, work);
}

/* Sets up a call of rows first..end-1. */
static void start_call(uint32_t first, uint32_t end, uint32_t window) {
    call_tiles = 0;
    call_largest = 0;
    for (uint32_t row = first; row < end; row++) {
        call_tiles = tiles_of(row, window) > call_tiles ? tiles_of(row, window) : call_tiles;
        for (int i = 0; i < HEADS * D; i++) {
            int32_t bits;
            memcpy(&bits, &q[row][0][i], sizeof(bits));
            bits &= 0x7fffffff;
            call_largest = bits > call_largest ? bits : call_largest;
        }
    }
}

int main(int argc, char **argv) {
    (void)argc;
    const uint32_t dtype = (uint32_t)atoi(argv[1]);
    static float alone[N][HEADS][D], together[N][HEADS][D];
    struct phx_operand cache = {.view = {.dtype = dtype, .ne = {D, 1, PAGES, 1}}};
    struct phx_attention op = {.cache = phx_cache_of(&cache), .width = D};
    phx_attention_set_scale(&op, 0.18f);
    int n_changed = 0;
    for (uint32_t window = 0; window <= 71; window += 71) {
        uint8_t *zeros = memset(garbage[0], 0, sizeof(garbage[0]));
        fill();
        for (uint32_t row = 0; row < N; row++) {
            append(&op.cache, zeros, row);
            start_call(row, row + 1, window);
            attend(&op, zeros, row, window, alone[row][0]);
        }
        for (uint32_t t = window ? (FIRST - window / 2) / 2 : 0; t < N; t++) {
            append(&op.cache, garbage[1], t);
        }
        for (uint32_t row = window ? 110 : FIRST; row < N; row++) {
            uint32_t end = row - row % PIECE + PIECE;
            start_call(row - row % PIECE, end < N ? end : N, window);
            attend(&op, garbage[1], row, window, together[row][0]);
            n_changed += memcmp(alone[row], together[row], sizeof(alone[row])) != 0;
        }
    }
    printf("%d\n", n_changed);
    return 0;
}
