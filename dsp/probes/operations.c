/* SPDX-License-Identifier: MIT */
#include "operations.h"

#include "runtime/clock.h"
#include "runtime/dma.h"
#include "runtime/fetch.h"
#include "work.h"

#define UNROLLED (2048 / PHX_PACKETS) /* loop bodies in a repeat */
#define CACHE_LINE 64                 /* bytes */
#define FETCH_BYTES 8192u             /* fetched ahead by probes of loads */
#define LARGEST_CHUNK (1u << 20)      /* of user DMA */
#define CHAIN 8                       /* descriptors that a thread has in flight */

#ifndef __hexagon__
/* Advances the scripted clocks of the calling thread, in the loopback with the option `rates`. */
extern void phx_pd_elapse(uint32_t kind, uint32_t n_threads, uint32_t size, uint64_t work) __attribute__((weak));
#endif

/* --- Measuring: sums of differences, so that the clocks may be stopped and started again --- */

static __attribute__((noinline)) void start(struct phx_probe_record *record) {
    record->packets -= phx_packets();
    record->ticks -= HAP_perf_get_qtimer_count();
    record->cycles -= phx_cycles();
}

static __attribute__((noinline)) void stop(const struct probe *probe, struct phx_probe_record *record, uint64_t work) {
#ifndef __hexagon__
    if (phx_pd_elapse) {
        phx_pd_elapse(probe->request.kind, probe->request.n_threads, probe->request.size, work);
    }
#else
    (void)probe;
#endif
    record->cycles += phx_cycles();
    record->ticks += HAP_perf_get_qtimer_count();
    record->packets += phx_packets();
    record->work += work;
}

/* --- Operations of one thread --- */

static void run_packets(struct probe *probe, uint32_t thread) {
    uint32_t n = UNROLLED * probe->request.n_repeats;
    start(&probe->records[thread]);
    switch (probe->request.kind) {
    case PHX_PROBE_NOP:
        phx_nops(n);
        break;
    case PHX_PROBE_VRMPY_CHAIN:
        phx_vrmpy_chain(n);
        break;
    default:
        phx_vrmpy_pairs(n);
    }
    stop(probe, &probe->records[thread], (uint64_t)PHX_PACKETS * n);
}

static void run_loop(struct probe *probe, uint32_t thread) {
    const struct phx_probe_request *request = &probe->request;
    const bool is_stored = probe->operation->is_stored, is_ahead = probe->operation->is_ahead;
    const uint32_t dtype = probe->operation->dtype;
    const uint8_t *tiles = probe->vtcm + thread * probe->n_vtcm;
    uint8_t *rows = probe->memory + thread * probe->n_memory;
    start(&probe->records[thread]);
    for (uint32_t i = 0; i < request->n_repeats; i++) {
        if (is_stored) {
            stop(probe, &probe->records[thread], 0);
            phx_store(rows, request->size * PHX_LOOP_ROW_BYTES / PHX_VECTOR);
            start(&probe->records[thread]);
        }
        if (is_ahead) {
            phx_loop(dtype, tiles, rows, request->size, true);
        } else {
            phx_loop(dtype, tiles, rows, request->size, false);
        }
    }
    stop(probe, &probe->records[thread], (uint64_t)request->n_repeats * (request->size > 4 ? request->size / 4 : 1));
}

static void run_load(struct probe *probe, uint32_t thread) {
    const struct phx_probe_request *request = &probe->request;
    bool is_fetched = probe->operation->is_ahead;
    const uint8_t *from = request->kind == PHX_PROBE_LOAD_VTCM ? probe->vtcm + thread * probe->n_vtcm
                                                               : probe->memory + thread * probe->n_memory;
    start(&probe->records[thread]);
    for (uint32_t i = 0; i < request->n_repeats; i++) {
        for (uint32_t at = 0; at < request->size; at += FETCH_BYTES) {
            if (is_fetched && at + FETCH_BYTES < request->size) {
                phx_fetch(from + at + FETCH_BYTES, FETCH_BYTES);
            }
            phx_load(from + at, FETCH_BYTES / PHX_VECTOR);
        }
    }
    stop(probe, &probe->records[thread], (uint64_t)request->n_repeats * request->size);
}

/* Copies `n` chunks in one chain. */
static bool copy(struct phx_dma *chain, const uint8_t *const *from, uint8_t *to, uint32_t n_bytes, uint32_t n) {
#ifdef __hexagon__
    for (uint32_t i = 0; i < n; i++) {
        phx_dma_set(&chain[i], i + 1 < n ? &chain[i + 1] : NULL, from[i], to + i * n_bytes, n_bytes);
    }
    phx_dma_start(chain);
    return phx_dma_wait(&chain[n - 1]) == PHX_DMA_DONE;
#else
    (void)chain, (void)to;
    for (uint32_t i = 0; i < n; i++) {
        phx_load(from[i], n_bytes / PHX_VECTOR);
    }
    return true;
#endif
}

static void run_dma(struct probe *probe, uint32_t thread) {
    struct phx_dma chain[CHAIN] __attribute__((aligned(64)));
    const struct phx_probe_request *request = &probe->request;
    const uint8_t *memory = probe->memory + thread * probe->n_memory, *from[CHAIN];
    uint32_t n_chunks = probe->n_memory / request->size, most = probe->n_vtcm / request->size;
    most = most < CHAIN ? most : CHAIN;
    start(&probe->records[thread]);
    for (uint32_t done = 0, n; done < request->n_repeats; done += n) {
        n = request->n_repeats - done < most ? request->n_repeats - done : most;
        for (uint32_t i = 0; i < n; i++) {
            from[i] = memory + (done + i) % n_chunks * request->size;
        }
        if (!copy(chain, from, probe->vtcm + thread * probe->n_vtcm, request->size, n)) {
            __atomic_store_n(&probe->is_failed, 1, __ATOMIC_RELAXED);
            break;
        }
    }
    stop(probe, &probe->records[thread], (uint64_t)request->n_repeats * request->size);
}

/* Thread 0 copies; the other threads load vectors from their parts of VTCM until it has finished. */
static void run_dma_shared(struct probe *probe, uint32_t thread) {
    if (thread == 0) {
        run_dma(probe, thread);
        __atomic_store_n(&probe->is_copied, 1, __ATOMIC_RELEASE);
        return;
    }
    while (!__atomic_load_n(&probe->is_copied, __ATOMIC_ACQUIRE)) {
        phx_load(probe->vtcm + thread * probe->n_vtcm, probe->request.size / PHX_VECTOR);
    }
}

/* --- Operations of the job thread --- */

static void do_nothing(void *argument, uint32_t thread, uint32_t n_threads) {
    (void)argument, (void)thread, (void)n_threads;
}

static void run_dispatch(struct probe *probe) {
    start(&probe->records[0]);
    for (uint32_t i = 0; i < probe->request.n_repeats; i++) {
        phx_pool_run(&probe->engine->pool, probe->request.n_threads, do_nothing, NULL);
    }
    stop(probe, &probe->records[0], probe->request.n_repeats);
}

static void run_cache(struct probe *probe) {
    uint32_t n_bytes = probe->request.size;
    bool is_clean = probe->request.kind == PHX_PROBE_CACHE_CLEAN;
    for (uint32_t i = 0; i < probe->request.n_repeats; i++) {
        for (uint32_t at = 0; at < n_bytes; at += CACHE_LINE) {
            ((volatile uint8_t *)probe->memory)[at] = (uint8_t)i;
        }
        start(&probe->records[0]);
        qurt_mem_cache_clean((uintptr_t)probe->memory, n_bytes,
                             is_clean ? QURT_MEM_CACHE_FLUSH : QURT_MEM_CACHE_FLUSH_INVALIDATE, QURT_MEM_DCACHE);
        stop(probe, &probe->records[0], n_bytes);
    }
}

/* --- Kinds --- */

const struct operation *phx_probe_operation(uint32_t kind) {
    static const struct operation operations[] = {
        [PHX_PROBE_NOP] = {.of_thread = run_packets},
        [PHX_PROBE_VRMPY_CHAIN] = {.of_thread = run_packets},
        [PHX_PROBE_VRMPY_PAIRS] = {.of_thread = run_packets},
        [PHX_PROBE_LOOP_Q4_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q4_0, false, false},
        [PHX_PROBE_LOOP_Q8_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q8_0, false, false},
        [PHX_PROBE_STORED_Q4_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q4_0, false, true},
        [PHX_PROBE_STORED_Q8_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q8_0, false, true},
        [PHX_PROBE_DCFETCH_Q4_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q4_0, true, true},
        [PHX_PROBE_DCFETCH_Q8_0] = {run_loop, NULL, BUFFER | VTCM, 0, 0, PHX_Q8_0, true, true},
        [PHX_PROBE_LOAD_VTCM] = {.of_thread = run_load, .memory = VTCM, .unit = FETCH_BYTES},
        [PHX_PROBE_LOAD_MEMORY] = {.of_thread = run_load, .memory = BUFFER, .unit = FETCH_BYTES},
        [PHX_PROBE_LOAD_FETCHED] = {.of_thread = run_load, .memory = BUFFER, .unit = FETCH_BYTES, .is_ahead = true},
        [PHX_PROBE_DMA] = {run_dma, NULL, BUFFER | VTCM, PHX_VECTOR, LARGEST_CHUNK, 0, false, false},
        [PHX_PROBE_DMA_SHARED] = {run_dma_shared, NULL, BUFFER | VTCM, FETCH_BYTES, LARGEST_CHUNK, 0, false, false},
        [PHX_PROBE_DISPATCH_SPIN] = {.of_job = run_dispatch},
        [PHX_PROBE_DISPATCH_SIGNAL] = {.of_job = run_dispatch},
        [PHX_PROBE_CACHE_CLEAN] = {.of_job = run_cache, .memory = BUFFER, .unit = PHX_VECTOR},
        [PHX_PROBE_CACHE_INVALIDATE] = {.of_job = run_cache, .memory = BUFFER, .unit = PHX_VECTOR},
    };
    return kind < sizeof(operations) / sizeof(operations[0]) ? &operations[kind] : NULL;
}
