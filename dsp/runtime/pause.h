/* SPDX-License-Identifier: MIT
 *
 * Busy waiting: how to wait between two polls of a flag.
 */
#ifndef PHX_PAUSE_H
#define PHX_PAUSE_H

#define PHX_POLLS_PER_YIELD 64 /* polls before yielding the processor: a PC may have fewer cores than threads */

/* Lets other hardware threads run between two polls. */
static inline void phx_pause(void) {
#if defined(__hexagon__)
    __asm__ volatile("pause(#8)");
#elif defined(__x86_64__)
    __asm__ volatile("pause");
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
