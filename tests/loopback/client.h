/* SPDX-License-Identifier: MIT
 *
 * A C client of the FastRPC ABI, compiled against the public declarations and linked with the loopback. Each test is a
 * function; a failed CHECK ends the program.
 */
#ifndef TEST_CLIENT_H
#define TEST_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../pyhexagon/_ffi/cdef/dspqueue.h"
#include "../../pyhexagon/_ffi/cdef/remote.h"
#include "../../pyhexagon/_ffi/cdef/rpcmem.h"

#include "../../dsp/loopback/loopback.h"
#include "test_skel.h"

#define CDSP 3
#define URI TEST_URI "&_dom=cdsp"
#define SCALARS(method, in, out) ((uint32_t)(method) << 24 | (in) << 16 | (out) << 8)

/* Compares as unsigned 32-bit numbers: AEE codes. */
#define CHECK(expression, expected)                                                                                    \
    do {                                                                                                               \
        uint32_t got_ = (uint32_t)(expression);                                                                        \
        if (got_ != (uint32_t)(expected)) {                                                                            \
            fprintf(stderr, "%s:%d: %s: got 0x%x, expected 0x%x\n", __FILE__, __LINE__, #expression, got_,             \
                    (uint32_t)(expected));                                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define CHECK_TRUE(expression) CHECK(!!(expression), 1)

/* Exported by the loopback, as by the real library: a stub's FARF lines. */
void HAP_debug(const char *text, int level, const char *file, int line);
void HAP_debug_v2(int level, const char *file, int line, const char *format, ...);

remote_handle64 open_session(void);
int call_sum(remote_handle64 handle, const int32_t *values, uint32_t n, int64_t *total);
int call_word(remote_handle64 handle, uint32_t method, uint32_t word);
int call_import(remote_handle64 handle, dspqueue_t queue, uint32_t by_what);
uint32_t calls_of_pd(remote_handle64 handle);
void sleep_ms(uint32_t ms);
uint64_t now_ms(void);

#define MINUTE 60000u /* milliseconds: timeout of operations that complete at once, even on a slow or busy machine */

/* A thread of this client, and its number once it runs. */
struct thread {
    void *(*run)(void *);
    void *argument;
    _Atomic int32_t number;
    pthread_t thread;
};

/* Starts a thread and returns when it waits in the kernel. */
void start_until_it_waits(struct thread *thread, void *(*run)(void *), void *argument);

/* Open files, threads, mappings of shared memory and allocated bytes of this process. */
struct usage {
    uint32_t fds;
    uint32_t threads;
    uint32_t maps;
    uint32_t heap_bytes;
};
struct usage usage_now(void);

/* client_session.c */
void test_session(void);
void test_invoke(void);
void test_memory(void);
void test_mapping(void);
void test_threads(void);
void test_misuse(void);
void test_farf(void);
void test_controls(void);
void test_traps(void);
void test_control_api(void);
void test_no_device(void);

/* client_death.c */
void test_cycles(void);
void test_kill_cycles(void);
void test_death(void);
void test_stall(void);
void test_churn(void);
void test_fork(void);
void test_cost(void);

/* client_queue.c */
void test_queue(void);
void test_queue_buffers(void);
void test_queue_limits(void);
void test_queue_callbacks(void);
void test_queue_wrap(void);
void test_queue_death(void);
void test_queue_alone(void);
void test_early_wakeup(void);

#endif
