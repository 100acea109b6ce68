/* SPDX-License-Identifier: MIT
 *
 * The operations that probes repeat. On a host they are stand-ins that only touch the same memory: no figure of a host
 * says anything about a DSP.
 */
#ifndef PHX_PROBE_WORK_H
#define PHX_PROBE_WORK_H

#include <stdbool.h>

#include "runtime/contract.h"
#include "runtime/fetch.h"

#define PHX_PACKETS 16 /* of a hardware loop's body */

#define PHX_LOOP_GROUPS 8       /* groups of four blocks in a call of an inner loop: K = 1024 */
#define PHX_LOOP_VECTORS 72     /* of a group of the larger type, Q8_0: more than 4 blocks of 17 vectors */
#define PHX_LOOP_TILES 4        /* one for each result of the loop for a single row */
#define PHX_LOOP_ROWS 32        /* at most */
#define PHX_LOOP_ROW_Q 1024     /* bytes of a row's activations */
#define PHX_LOOP_ROW_BYTES 2048 /* with their scales, and room for a loop that reads ahead */
#define PHX_LOOP_TILE_BYTES (PHX_LOOP_GROUPS * PHX_LOOP_VECTORS * PHX_VECTOR)

#ifdef __hexagon__
#include "hvx/matmul/groups.h"

/* Run PHX_PACKETS n packets; n is at least 1. */
static inline void phx_nops(uint32_t n) {
    __asm__ volatile("loop0(1f, %0)\n"
                     "1:\n"
                     ".rept 15\n"
                     "{ nop }\n"
                     ".endr\n"
                     "{ nop }:endloop0"
                     :
                     : "r"(n)
                     : "lc0", "sa0");
}

static inline void phx_vrmpy_chain(uint32_t n) {
    __asm__ volatile("loop0(1f, %0)\n"
                     "1:\n"
                     ".rept 15\n"
                     "{ v0.w = vrmpy(v0.ub, %1.b) }\n"
                     ".endr\n"
                     "{ v0.w = vrmpy(v0.ub, %1.b) }:endloop0"
                     :
                     : "r"(n), "r"(0x01020304)
                     : "lc0", "sa0", "v0");
}

static inline void phx_vrmpy_pairs(uint32_t n) {
    __asm__ volatile("loop0(1f, %0)\n"
                     "1:\n"
                     ".rept 3\n"
                     "{ v0.w += vrmpy(v8.ub, %1.b); v1.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v2.w += vrmpy(v8.ub, %1.b); v3.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v4.w += vrmpy(v8.ub, %1.b); v5.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v6.w += vrmpy(v8.ub, %1.b); v7.w += vrmpy(v8.ub, %1.b) }\n"
                     ".endr\n"
                     "{ v0.w += vrmpy(v8.ub, %1.b); v1.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v2.w += vrmpy(v8.ub, %1.b); v3.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v4.w += vrmpy(v8.ub, %1.b); v5.w += vrmpy(v8.ub, %1.b) }\n"
                     "{ v6.w += vrmpy(v8.ub, %1.b); v7.w += vrmpy(v8.ub, %1.b) }:endloop0"
                     :
                     : "r"(n), "r"(0x01020304)
                     : "lc0", "sa0", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
}

/* Loads n vectors; n is a multiple of 8. */
static inline void phx_load(const void *from, uint32_t n) {
    __asm__ volatile("loop0(1f, %1)\n"
                     "1:\n"
                     ".rept 7\n"
                     "{ v0 = vmem(%0++#1) }\n"
                     ".endr\n"
                     "{ v0 = vmem(%0++#1) }:endloop0"
                     : "+r"(from)
                     : "r"(n / 8)
                     : "lc0", "sa0", "v0", "memory");
}

/* Stores n vectors; n is a multiple of 8. */
static inline void phx_store(void *to, uint32_t n) {
    __asm__ volatile("loop0(1f, %1)\n"
                     "{ v0 = vxor(v0, v0) }\n"
                     "1:\n"
                     ".rept 7\n"
                     "{ vmem(%0++#1) = v0 }\n"
                     ".endr\n"
                     "{ vmem(%0++#1) = v0 }:endloop0"
                     : "+r"(to)
                     : "r"(n / 8)
                     : "lc0", "sa0", "v0", "memory");
}

static inline void phx_fetch_rows(const uint8_t *rows, uint32_t n_rows) {
    for (uint32_t i = 0; i < n_rows; i++) {
        phx_dcfetch(rows + i * PHX_LOOP_ROW_BYTES, PHX_LOOP_ROW_Q + 4 * PHX_LOOP_GROUPS * sizeof(struct hvx_block));
    }
}

/* Calls the inner loop of a product's type once for four tiles and one row, or for one tile and each four rows; with
 * `is_ahead`, dcfetch brings the activations of the next call's rows before each call, as products do. */
static inline void phx_loop(uint32_t dtype, const uint8_t *tiles, const uint8_t *rows, uint32_t n_rows, bool is_ahead) {
    HVX_Vector totals[2 * HVX_RESULTS];
    struct hvx_groups groups = {.n_groups = PHX_LOOP_GROUPS, .ds = 4, .totals = totals};
    hvx_sum_groups *of_tiles = dtype == PHX_Q4_0 ? hvx_sum_q4_0_tiles : hvx_sum_q8_0_tiles;
    hvx_sum_groups *of_rows = dtype == PHX_Q4_0 ? hvx_sum_q4_0_rows : hvx_sum_q8_0_rows;
    for (uint32_t i = 0; i < 2 * HVX_RESULTS; i++) {
        totals[i] = Q6_V_vzero();
    }
    for (uint32_t i = 0; i < HVX_RESULTS; i++) {
        groups.w[i] = (const HVX_Vector *)(tiles + i * PHX_LOOP_TILE_BYTES);
    }
    if (is_ahead) {
        phx_fetch_rows(rows, n_rows < HVX_RESULTS ? n_rows : HVX_RESULTS);
    }
    for (uint32_t row = 0; row < n_rows; row += HVX_RESULTS) {
        if (is_ahead && row + HVX_RESULTS < n_rows) {
            phx_fetch_rows(rows + (row + HVX_RESULTS) * PHX_LOOP_ROW_BYTES, HVX_RESULTS);
        }
        for (uint32_t i = 0; i < HVX_RESULTS; i++) {
            const uint8_t *of_row = rows + (row + i) % n_rows * PHX_LOOP_ROW_BYTES;
            groups.q[i] = (const int32_t *)of_row;
            groups.blocks[i] = (const struct hvx_block *)(of_row + PHX_LOOP_ROW_Q);
        }
        (n_rows == 1 ? of_tiles : of_rows)(&groups);
    }
}

#else

static inline void phx_nops(uint32_t n) {
    for (uint32_t i = 0; i < PHX_PACKETS * n; i++) {
        __asm__ volatile("");
    }
}

static inline void phx_vrmpy_chain(uint32_t n) {
    phx_nops(n);
}

static inline void phx_vrmpy_pairs(uint32_t n) {
    phx_nops(n);
}

static inline void phx_load(const void *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        (void)((const volatile uint8_t *)from)[i * PHX_VECTOR];
    }
}

static inline void phx_store(void *to, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ((volatile uint8_t *)to)[i * PHX_VECTOR] = 0;
    }
}

static inline void phx_loop(uint32_t dtype, const uint8_t *tiles, const uint8_t *rows, uint32_t n_rows, bool is_ahead) {
    (void)is_ahead;
    phx_load(tiles, (dtype == PHX_Q4_0 ? 4 : 8) * PHX_LOOP_GROUPS);
    phx_load(rows, n_rows * PHX_LOOP_ROW_BYTES / PHX_VECTOR);
}

#endif
#endif
