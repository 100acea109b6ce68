/* SPDX-License-Identifier: MIT */
#include "dma.h"

#ifdef __hexagon__

#include "clock.h"

/* The bound of a wait: 50 ms of the qtimer. Filling all of VTCM takes less than 1 ms. */
#define WAIT_TICKS (19200000 / 20)

/* Stops the engine, so that the next start finds it idle. */
static enum phx_dma_result fail(enum phx_dma_result result) {
    uint32_t state;
    __asm__ volatile("%0 = dmpause" : "=r"(state) : : "memory");
    return result;
}

enum phx_dma_result phx_dma_wait_long(const struct phx_dma *last) {
    uint64_t start = HAP_perf_get_qtimer_count();
    for (;;) {
        /* The time is read first, so a thread that was preempted for long still polls once more. */
        bool is_late = HAP_perf_get_qtimer_count() - start > WAIT_TICKS;
        uint32_t state = phx_dma_poll();
        if (state == PHX_DMA_STOPPED) {
            return fail(PHX_DMA_ERROR);
        }
        if (state == PHX_DMA_IDLE && phx_dma_is_done(last)) {
            return PHX_DMA_DONE;
        }
        if (is_late) {
            return fail(PHX_DMA_TIMEOUT);
        }
        __asm__ volatile("pause(#64)");
    }
}

#endif
