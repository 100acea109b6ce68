/* SPDX-License-Identifier: MIT
 *
 * Internals of the shell: a process domain's threads and objects, on top of pthreads. One source for the host engine
 * (many PDs in one process) and for the PD program that runs under QEMU (one PD, which is the process).
 *
 * Every thread of a PD, whether it serves invokes or was created by the skel, is a shell_thread started by
 * shell_thread_start(). All QuRT objects are 16 opaque bytes in the skel's memory; their waiters are threads of the PD
 * whose `waits_for` is the object's address. One lock per PD protects all of that, so objects need no lock of their own
 * and a wake-up can choose the waiter with the highest priority, as QuRT does.
 *
 * Death (host engine; a QEMU PD dies with its process): shell_pd_kill() marks the PD and wakes all threads that wait in
 * shell primitives. A thread that is in a primitive, or enters one, leaves the skel permanently by longjmp to the start
 * of its thread. A thread that computes runs until its next primitive or its end; it only accesses the PD's own
 * mappings and heap, which are freed when the last thread has left.
 */
#ifndef SHELL_PD_H
#define SHELL_PD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache.h"

#define SHELL_NAME_SIZE 16
#define SHELL_MAX_MAINTAINERS 32

struct shell_pd;

struct shell_thread {
    struct shell_pd *pd;
    struct shell_thread *next;
    uint32_t id;
    uint16_t priority; /* 1 high .. 255 low */
    uint16_t timetest_id;
    char name[SHELL_NAME_SIZE];
    void (*entry)(void *);
    void *argument;
    jmp_buf leave;
    pthread_cond_t wake;
    const void *waits_for; /* address of a QuRT object, or NULL */
    uint32_t wait_mask;    /* signals: bits, and whether all of them are required */
    bool wait_all;
    uint64_t wait_order;
    uint32_t stack_requested; /* bytes */
    uint32_t *stack_low;      /* lowest address and first frame of a painted stack */
    uint32_t *stack_top;
    bool joinable; /* by qurt_thread_join; other threads are forgotten at their end */
    bool ended;
    int status;
};

struct shell_thread_attr {
    const char *name;
    uint16_t priority;
    uint16_t timetest_id; /* a number that the skel chooses; some skels identify their workers by it */
    uint32_t stack;       /* bytes; see stack.c */
    bool joinable;
};
#define SHELL_TIMETEST_ID 0xfffe /* default of a thread */

struct shell_heap_block;

struct shell_pd {
    pthread_mutex_t lock;
    pthread_cond_t ended;   /* a thread has ended, or waits */
    pthread_cond_t resumed; /* no longer stalled, or dead */
    struct shell_thread *threads;
    uint32_t n_running;
    uint32_t last_thread_id;
    uint64_t wait_order;
    _Atomic bool dead;
    bool stalled;
    _Atomic uint32_t stall_in; /* moments until the PD stalls; 0: it does not; changes under `lock` */
    uint32_t hardware_threads;
    uint32_t arch;              /* 0x68 for v68 */
    _Atomic uint8_t bus_corner; /* the lowest of the last vote; 0 without one */
    int32_t power;              /* this and the fields below: the options of the same names */
    int32_t dspqueue_import;
    uint32_t map_sizes;
    uint32_t heap_bytes;
    bool incoherent;
    uint32_t skip_maintenance;
    uint32_t n_maintainers; /* places of the skel that have called for cache maintenance, under `lock` */
    const void *maintainers[SHELL_MAX_MAINTAINERS];

    pthread_mutex_t heap_lock;
    struct shell_heap_block *heap;
    size_t heap_used; /* bytes of all blocks, without their headers */

    pthread_cond_t vtcm_released; /* also signalled on death */
    uint8_t *vtcm;                /* vtcm_size bytes, provided by the creator of the PD */
    uint32_t vtcm_size;
    uint8_t vtcm_owner[64]; /* per page: 0 free, else the number of its allocation */
};

#define SHELL_VTCM_PAGE 262144 /* assumed; no public source states the unit */
#define SHELL_VTCM_MAX (64 * SHELL_VTCM_PAGE)

void shell_pd_init(struct shell_pd *pd, uint32_t hardware_threads, void *vtcm, uint32_t vtcm_size);

/* Frees the thread records and the heap, once no thread is left. */
void shell_pd_destroy(struct shell_pd *pd);

void shell_pd_kill(struct shell_pd *pd);
void shell_pd_stall(struct shell_pd *pd, bool on);

/* Stalls the PD at its nth moment from now on; 0: at none. */
void shell_pd_stall_at(struct shell_pd *pd, uint32_t nth);
bool shell_pd_is_stalled(struct shell_pd *pd);

/* Starts a thread of the PD. Returns NULL when memory is exhausted or the PD is dead. */
struct shell_thread *shell_thread_start(struct shell_pd *pd, const struct shell_thread_attr *attr,
                                        void (*entry)(void *), void *argument);

/* Returns the calling thread, or NULL if it is not a PD's. */
struct shell_thread *shell_self(void);

/* Waits while the PD is stalled, and leaves when it is dead. Called wherever a PD communicates with the CPU, which is a
 * moment, too. */
void shell_gate(void);

/* A moment at which shell_pd_stall_at() can stall the PD; the calling thread waits as in the gate if it is that one. */
void shell_moment(void);

/* Ends the calling thread if its PD is dead. */
void shell_leave_if_dead(void);

/* Requires the PD's lock. Waits until shell_wake() selects this thread. Leaves (and unlocks) when the PD dies. */
void shell_block(struct shell_thread *self, const void *object);
/* Require the PD's lock. Return the next waiter of an object by priority, or NULL; and wake a waiter. */
struct shell_thread *shell_next_waiter(struct shell_pd *pd, const void *object);
void shell_wake(struct shell_thread *thread);

/* hap.c: maintenance of an incoherent PD's caches, for a range of a mapping; does nothing for other addresses. FastRPC's
 * DSP side does it for the arguments of an invoke that are in shared memory: fill before the call, write after it. */
void shell_maintain(struct shell_pd *pd, const void *address, size_t n_bytes, bool writes);

/* --- Functions that the environment provides: the host engine, or the PD program --- */

/* Writes a line to the PD's log. */
void shell_log(const char *text);

/* Returns whether the calling thread has a scripted clock (the option `rates`, host engine only), and its time. */
bool shell_scripted_ns(uint64_t *ns);

/* stack.c: the size to create a thread with; paint the calling thread's stack; log if it used more than half of it. */
size_t shell_stack_size(uint32_t requested);
void shell_stack_paint(struct shell_thread *thread);
void shell_stack_check(const struct shell_thread *thread);

/* Called once, when the PD is dead and its last thread has left. */
void shell_pd_is_empty(struct shell_pd *pd);

/* The PD's mapping of an fd that the CPU mapped; a pin keeps it alive. Pinning returns false when there is none. */
struct shell_mapping {
    void *address;
    uint64_t size;
};
bool shell_mapping_find(struct shell_pd *pd, int fd, struct shell_mapping *mapping);
bool shell_mapping_pin(struct shell_pd *pd, int fd, struct shell_mapping *mapping);
bool shell_mapping_unpin(struct shell_pd *pd, int fd, const void *address); /* fd -1: by address */

/* The cache of the mapping that contains the address. Returns false when there is none. */
bool shell_mapping_cache(struct shell_pd *pd, const void *address, struct shell_cache *cache);

/* Imports the block of a queue that the CPU created; one import at a time. Returns false if there is none or it is
 * imported. */
bool shell_queue_import(struct shell_pd *pd, uint64_t id, void **block, uint32_t *size);
void shell_queue_release(struct shell_pd *pd, uint64_t id);

#endif
