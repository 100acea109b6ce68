/* SPDX-License-Identifier: MIT
 *
 * Stacks of the PD's threads.
 *
 * The PD under QEMU gives each thread the stack that was asked for, rounded up to a page, above a guard page: musl adds
 * its own data and the guard to that size. It paints the stack, and tells at the thread's end if more than half of the
 * requested size was used.
 *
 * The host engine runs other machine code, whose frames say nothing of the DSP's. glibc takes its thread descriptor and
 * thread-local storage out of the stack, signal frames with AVX-512 registers take 3 KiB, and sanitizers multiply every
 * frame. A thread therefore gets 256 KiB more than was asked for.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "pd.h"

#ifdef __hexagon__
#define EXTRA_STACK 0
#else
#define EXTRA_STACK 262144
#endif

size_t shell_stack_size(uint32_t requested) {
    return ((size_t)requested + EXTRA_STACK + 4095) & ~(size_t)4095;
}

#ifdef __hexagon__
#define PAINT 0x5aa5c33cu
#define MARGIN 256 /* bytes below the frame of shell_stack_paint() that are left alone */

void shell_stack_paint(struct shell_thread *thread) {
    pthread_attr_t attr;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) {
        return;
    }
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    thread->stack_low = low;
    thread->stack_top = (uint32_t *)__builtin_frame_address(0);
    volatile uint32_t *word = thread->stack_low;
    for (volatile uint32_t *end = thread->stack_top - MARGIN / sizeof *word; word < end; word++) {
        *word = PAINT;
    }
}

void shell_stack_check(const struct shell_thread *thread) {
    const volatile uint32_t *word = thread->stack_low;
    while (word < thread->stack_top && *word == PAINT) {
        word++;
    }
    uint32_t used = (uint32_t)((uintptr_t)thread->stack_top - (uintptr_t)word);
    if (used > thread->stack_requested / 2) {
        char text[128];
        snprintf(text, sizeof text, "pd: thread %s used %u of %u bytes of stack, more than half", thread->name,
                 (unsigned)used, (unsigned)thread->stack_requested);
        shell_log(text);
    }
}
#else
void shell_stack_paint(struct shell_thread *thread) {
    (void)thread;
}

void shell_stack_check(const struct shell_thread *thread) {
    (void)thread;
}
#endif
