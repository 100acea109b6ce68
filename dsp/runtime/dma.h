/* SPDX-License-Identifier: MIT
 *
 * The user DMA engine: each hardware thread has one, which works down a chain of descriptors beside the thread.
 *
 * Each of its instructions is a packet of its own: so the PD under QEMU, which has no such engine, can tell them apart.
 */
#ifndef PHX_DMA_H
#define PHX_DMA_H

#include <stdbool.h>

#include "contract.h"

#define PHX_DMA_BYTES_MAX 0xffffffu /* of one descriptor */
#define PHX_DMA_POLLS (1u << 20)    /* some milliseconds: all of VTCM takes less than one */

/* A copy of bytes that follow one another; the engine reads and writes it. Two words to each: the address of the next
 * one or 0, and control; from, and to. */
struct phx_dma {
    uint64_t words[2];
};

/* The engine reads memory and not the cache; from v73 on it writes VTCM so too. */
#if defined(__HEXAGON_ARCH__) && __HEXAGON_ARCH__ >= 73
#define PHX_DMA_PAST_CACHE 0x30000000u
#else
#define PHX_DMA_PAST_CACHE 0x20000000u
#endif

static inline void phx_dma_set(struct phx_dma *dma, const struct phx_dma *next, const void *from, const void *to,
                               uint32_t n_bytes) {
    dma->words[0] = (uint64_t)(n_bytes | PHX_DMA_PAST_CACHE) << 32 | (uint32_t)(uintptr_t)next;
    dma->words[1] = (uint64_t)(uint32_t)(uintptr_t)to << 32 | (uint32_t)(uintptr_t)from;
}

/* Makes it the last of its chain. */
static inline void phx_dma_end(struct phx_dma *dma) {
    dma->words[0] &= ~(uint64_t)UINT32_MAX;
}

#ifdef __hexagon__

/* The engine must be idle. */
static inline void phx_dma_start(const struct phx_dma *first) {
    __asm__ volatile("release(%0):at\n dmstart(%0)" : : "r"(first) : "memory");
}

/* Until the chain that ends with `last` is done; false when its engine stopped with an error. A thread that was moved
 * to another hardware thread meanwhile may find that one's engine idle: so what counts is what the engine wrote. */
static inline bool phx_dma_wait(const struct phx_dma *last) {
    const volatile int32_t *control = (const volatile int32_t *)last->words + 1;
    uint32_t state;
    __asm__ volatile("%0 = dmwait" : "=r"(state) : : "memory");
    if ((state & 3) != 0) {
        return false;
    }
    for (uint32_t polls = 0; __builtin_expect(*control >= 0, 0); polls++) { /* the sign bit says done */
        if (polls == PHX_DMA_POLLS) {
            return false;
        }
    }
    return true;
}

#else

/* A host has no such engine, and no VTCM to fill. */
static inline void phx_dma_start(const struct phx_dma *first) {
    (void)first;
}

static inline bool phx_dma_wait(const struct phx_dma *last) {
    (void)last;
    return false;
}

#endif
#endif
