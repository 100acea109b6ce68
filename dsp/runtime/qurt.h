/* SPDX-License-Identifier: MIT
 *
 * The QuRT calls that the skel uses, under the names that the board's shell exports. The layouts are the ones that the
 * shell was observed to use; the objects are opaque and at most 16 bytes on the board. The loopback exports the same
 * names to host skels.
 */
#ifndef PHX_QURT_H
#define PHX_QURT_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned int qurt_thread_t;

typedef struct {
    char name[16];
    uint8_t tcb_partition;
    uint8_t stid;
    uint16_t priority; /* 1 high .. 254 low */
    uint8_t bits;      /* 0: stack allocated by QuRT, 1-6: group */
    uint8_t bus_priority;
    uint16_t timetest_id;
    uint32_t stack_size;
    void *stack; /* lowest address; required */
    uint16_t detach_state;
} qurt_thread_attr_t;

#define QURT_BUS_PRIORITY_DEFAULT 0xff
#define QURT_TIMETEST_ID_DEFAULT 0xfffe

_Static_assert(offsetof(qurt_thread_attr_t, priority) == 0x12, "qurt_thread_attr_t.priority");
_Static_assert(offsetof(qurt_thread_attr_t, stack_size) == 0x18, "qurt_thread_attr_t.stack_size");
#if UINTPTR_MAX == UINT32_MAX
_Static_assert(offsetof(qurt_thread_attr_t, stack) == 0x1c, "qurt_thread_attr_t.stack");
_Static_assert(offsetof(qurt_thread_attr_t, detach_state) == 0x20, "qurt_thread_attr_t.detach_state");
_Static_assert(sizeof(qurt_thread_attr_t) == 36, "qurt_thread_attr_t");
#endif

typedef struct {
    uint64_t opaque[2];
} qurt_mutex_t;

typedef struct {
    uint64_t opaque[2];
} qurt_signal_t; /* at most one waiting thread at a time */

#define QURT_EOK 0

#define QURT_SIGNAL_ATTR_WAIT_ANY 0
#define QURT_SIGNAL_ATTR_WAIT_ALL 1

#define QURT_MEM_CACHE_FLUSH_INVALIDATE 2
#define QURT_MEM_CACHE_FLUSH 0
#define QURT_MEM_DCACHE 1

int qurt_thread_create(qurt_thread_t *thread, qurt_thread_attr_t *attr, void (*entry)(void *), void *argument);
int qurt_thread_join(qurt_thread_t thread, int *status);
void qurt_thread_exit(int status);
qurt_thread_t qurt_thread_get_id(void);
int qurt_thread_get_priority(qurt_thread_t thread);
void qurt_yield(void); /* yields to ready threads of the same priority */

void qurt_mutex_init(qurt_mutex_t *mutex);
void qurt_mutex_destroy(qurt_mutex_t *mutex);
void qurt_mutex_lock(qurt_mutex_t *mutex);
void qurt_mutex_unlock(qurt_mutex_t *mutex);

void qurt_signal_init(qurt_signal_t *signal);
void qurt_signal_destroy(qurt_signal_t *signal);
unsigned int qurt_signal_wait(qurt_signal_t *signal, unsigned int mask, unsigned int attribute);
void qurt_signal_set(qurt_signal_t *signal, unsigned int mask);
void qurt_signal_clear(qurt_signal_t *signal, unsigned int mask);

int qurt_mem_cache_clean(uintptr_t address, uintptr_t size, unsigned int operation, unsigned int type);

/* Bits 8-15: HVX units of 128 bytes; bits 0-7: of 64 bytes. */
int qurt_hvx_get_units(void);

#endif
