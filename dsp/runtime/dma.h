/* SPDX-License-Identifier: MIT
 *
 * The user DMA engine. Each hardware thread has one, which processes a chain of descriptors asynchronously.
 *
 * Each DMA instruction is alone in its packet, so that the process domain under QEMU, which has no such engine, can
 * recognise and emulate it.
 */
#ifndef PHX_DMA_H
#define PHX_DMA_H

#include <stdbool.h>

#include "contract.h"

#define PHX_DMA_BYTES_MAX 0xffffffu /* limit of one descriptor */
#define PHX_DMA_POLLS (1u << 20)    /* some milliseconds; filling all of VTCM takes less than one */

/* Descriptor of a linear copy, which the engine reads and updates. Two pairs of 32-bit words: address of the next
 * descriptor (0: none) and control; source and destination. */
struct phx_dma {
    uint64_t words[2];
};

/* The engine bypasses the cache when it reads memory and, from v73 on, when it writes VTCM. */
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

/* Makes this descriptor the last of its chain. */
static inline void phx_dma_end(struct phx_dma *dma) {
    dma->words[0] &= ~(uint64_t)UINT32_MAX;
}

#ifdef __hexagon__

/* Starts a chain. The engine must be idle. */
static inline void phx_dma_start(const struct phx_dma *first) {
    __asm__ volatile("release(%0):at\n dmstart(%0)" : : "r"(first) : "memory");
}

/* Waits until the chain that ends with `last` is done. Returns false if the engine stopped with an error or the poll
 * limit is reached. After a migration to another hardware thread dmwait may see the idle engine of that thread, so the
 * done bit of the last descriptor decides. */
static inline bool phx_dma_wait(const struct phx_dma *last) {
    const volatile int32_t *control = (const volatile int32_t *)last->words + 1;
    uint32_t state;
    __asm__ volatile("%0 = dmwait" : "=r"(state) : : "memory");
    if ((state & 3) != 0) {
        return false;
    }
    for (uint32_t polls = 0; __builtin_expect(*control >= 0, 0); polls++) { /* the sign bit means done */
        if (polls == PHX_DMA_POLLS) {
            return false;
        }
    }
    return true;
}

#else

/* Hosts have neither the engine nor VTCM. */
static inline void phx_dma_start(const struct phx_dma *first) {
    (void)first;
}

static inline bool phx_dma_wait(const struct phx_dma *last) {
    (void)last;
    return false;
}

#endif
#endif
