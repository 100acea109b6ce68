/* SPDX-License-Identifier: MIT
 *
 * Emulates user DMA. qemu-hexagon lacks these instructions and raises SIGILL, with pc already behind the packet. By
 * default a start only records the chain of descriptors, and the copies happen in the thread's next poll or wait, which
 * finds the engine idle. A kernel that reads data without waiting thus always reads old data here. The option `dma`
 * moves the copies to the start: a kernel that refills a buffer which it still reads then always finds new data.
 *
 * The signal frame does not save vector registers, and musl's memcpy may use them, so the copies are plain loops.
 *
 * Descriptors (16 bytes linear, 32 bytes for two dimensions, words little endian): next; length, with the kind at bits
 * 24-25 and done at bit 31; source; destination; for two dimensions: flags, row width | rows << 16, source stride |
 * destination stride << 16, offsets. A skel must put each DMA instruction into a packet of its own.
 */
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "program.h"

#define DONE 0x80000000u
#define KIND_2D 1u
#define BUSY_POLLS 5
#define FAILING_CHAIN 3

/* Instruction words with the register fields cleared: Rs at bit 16, Rt at bit 8, Rd at bit 0. */
enum {
    DMSTART = 0xa600c020, /* dmstart(Rs) */
    DMLINK = 0xa600c040,  /* dmlink(Rs, Rt) */
    DMRESUME = 0xa600c080,
    DMWAIT = 0xa800c020, /* Rd = dmwait */
    DMPOLL = 0xa800c040,
    DMPAUSE = 0xa800c060,
};

enum {
    COPIES_NEVER,
    COPIES_IN_THE_WAIT,
    COPIES_IN_THE_START,
    COPIES_NEVER_BUT_IDLE,
    COPIES_LATE,     /* after BUSY_POLLS polls, which find the engine running */
    COPIES_SOMETIMES /* each FAILING_CHAIN-th chain of a thread stops with an error */
};
enum {
    IDLE = 0,
    RUNNING = 1,
    STOPPED_WITH_ERROR = 2
}; /* results of poll and wait */

static uint32_t copies = COPIES_IN_THE_WAIT;

void dma_configure(uint32_t when) {
    copies = when;
}

/* First descriptor that the thread's engine has not processed. */
static __thread uint32_t pending;

static __thread uint32_t n_chains; /* that the thread has started */
static __thread uint32_t n_polls;  /* since the last start */

static void copy(uint32_t to, uint32_t from, uint32_t n_bytes) {
    to = memory_past_cache(to);
    from = memory_past_cache(from);
    volatile uint8_t *target = (volatile uint8_t *)(uintptr_t)to;
    const volatile uint8_t *source = (const volatile uint8_t *)(uintptr_t)from;
    if (((to | from | n_bytes) & 7) == 0) {
        for (uint32_t i = 0; i < n_bytes; i += 8) {
            *(volatile uint64_t *)(target + i) = *(const volatile uint64_t *)(source + i);
        }
        return;
    }
    for (uint32_t i = 0; i < n_bytes; i++) {
        target[i] = source[i];
    }
}

static void run(void) {
    uint32_t descriptor = pending;
    pending = 0;
    while (descriptor != 0) {
        volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)descriptor;
        if (((word[1] >> 24) & 3) == KIND_2D) {
            uint32_t width = word[5] & 0xffff, rows = word[5] >> 16;
            uint32_t from_stride = word[6] & 0xffff, to_stride = word[6] >> 16;
            for (uint32_t i = 0; i < rows; i++) {
                copy(word[3] + i * to_stride, word[2] + i * from_stride, width);
            }
        } else {
            copy(word[3], word[2], word[1] & 0xffffff);
        }
        word[1] |= DONE;
        descriptor = word[0];
    }
}

/* A poll or a wait: returns the engine's state. */
static uint32_t look(void) {
    switch (copies) {
    case COPIES_NEVER:
        return STOPPED_WITH_ERROR;
    case COPIES_NEVER_BUT_IDLE:
        return IDLE;
    case COPIES_LATE:
        if (pending != 0 && n_polls++ < BUSY_POLLS) {
            return RUNNING;
        }
        break;
    case COPIES_SOMETIMES:
        if (pending != 0 && n_chains % FAILING_CHAIN == 0) {
            return STOPPED_WITH_ERROR;
        }
        break;
    default:
        break;
    }
    run();
    return IDLE;
}

bool dma_emulate(void *context) {
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    unsigned long *r = &machine->r0; /* r0 to r31 are contiguous */
    uint32_t op = *(const uint32_t *)(uintptr_t)(machine->pc - 4);
    uint32_t rs = (op >> 16) & 31, rt = (op >> 8) & 31, rd = op & 31;
    shell_moment();
    if ((op & 0xffe0ffff) == DMSTART || (op & 0xffe0ffff) == DMRESUME) {
        pending = (uint32_t)r[rs];
        n_chains++;
        n_polls = 0;
        if (copies == COPIES_IN_THE_START) {
            run();
        }
    } else if ((op & 0xffe0e0ff) == DMLINK) {
        if (r[rs] != 0) {
            *(volatile uint32_t *)(uintptr_t)r[rs] = (uint32_t)r[rt];
        }
        if (pending == 0) {
            pending = (uint32_t)r[rt];
        }
        if (copies == COPIES_IN_THE_START) {
            run();
        }
    } else if ((op & 0xffffffe0) == DMWAIT || (op & 0xffffffe0) == DMPOLL) {
        r[rd] = look();
    } else if ((op & 0xffffffe0) == DMPAUSE) {
        r[rd] = pending;
        pending = 0;
    } else {
        return false;
    }
    return true;
}
