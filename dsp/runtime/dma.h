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

enum phx_dma_result {
    PHX_DMA_DONE,
    PHX_DMA_ERROR,  /* the engine stopped with an error */
    PHX_DMA_TIMEOUT /* the chain did not complete in time; the engine may still write to its destinations */
};

#ifdef __hexagon__

enum phx_dma_state {
    PHX_DMA_IDLE = 0,
    PHX_DMA_STOPPED = 2 /* with an error; 1: running */
};

/* Starts a chain. The engine must be idle. */
static inline void phx_dma_start(const struct phx_dma *first) {
    __asm__ volatile("release(%0):at\n dmstart(%0)" : : "r"(first) : "memory");
}

/* Returns the engine's state. */
static inline uint32_t phx_dma_poll(void) {
    uint32_t state;
    __asm__ volatile("%0 = dmpoll" : "=r"(state) : : "memory");
    return state & 3;
}

static inline bool phx_dma_is_done(const struct phx_dma *dma) {
    return *((const volatile int32_t *)dma->words + 1) < 0; /* the sign bit means done */
}

/* Polls until the chain that ends with `last` is done, for at most 50 ms, and stops the engine after a failure. */
enum phx_dma_result phx_dma_wait_long(const struct phx_dma *last);

/* Waits until the chain that ends with `last` is done. The engine's state alone does not prove it: after a migration to
 * another hardware thread, the thread sees the idle engine of that one. */
static inline enum phx_dma_result phx_dma_wait(const struct phx_dma *last) {
    if (__builtin_expect(phx_dma_poll() == PHX_DMA_IDLE && phx_dma_is_done(last), 1)) {
        return PHX_DMA_DONE;
    }
    return phx_dma_wait_long(last);
}

#else

/* Hosts have neither the engine nor VTCM. */
static inline void phx_dma_start(const struct phx_dma *first) {
    (void)first;
}

static inline enum phx_dma_result phx_dma_wait(const struct phx_dma *last) {
    (void)last;
    return PHX_DMA_ERROR;
}

#endif
#endif
