/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include "runtime/clock.h"
#include "runtime/dma.h"
#include "runtime/fetch.h"
#include "runtime/libc.h"
#include "work.h"

#define UNROLLED (2048 / PHX_PACKETS) /* loop bodies in a repeat */
#define CACHE_LINE 64                 /* bytes */
#define FETCH_BYTES 8192u             /* fetched ahead */
#define CHAIN 8                       /* descriptors that a thread has in flight */
#define LARGEST_CHUNK (1u << 20)      /* of user DMA */

struct probe {
    struct phx_engine *engine;
    struct phx_probe_request request;
    uint8_t *memory; /* of thread 0; the other threads' parts follow */
    uint32_t n_memory;
    uint8_t *vtcm;
    uint32_t n_vtcm;
    struct phx_probe_record *records;
    const struct operation *operation;
    uint32_t is_failed; /* atomic */
};

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
    uint32_t dtype = request->kind == PHX_PROBE_LOOP_Q4_0 ? PHX_Q4_0 : PHX_Q8_0;
    const uint8_t *tiles = probe->vtcm + thread * probe->n_vtcm, *rows = probe->memory + thread * probe->n_memory;
    start(&probe->records[thread]);
    for (uint32_t i = 0; i < request->n_repeats; i++) {
        phx_loop(dtype, tiles, rows, request->size);
    }
    stop(probe, &probe->records[thread], (uint64_t)request->n_repeats * (request->size > 4 ? request->size / 4 : 1));
}

static void run_load(struct probe *probe, uint32_t thread) {
    const struct phx_probe_request *request = &probe->request;
    bool is_fetched = request->kind == PHX_PROBE_LOAD_FETCHED;
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

/* --- Requests --- */

enum memory {
    NO_MEMORY = 0,
    BUFFER = 1,
    VTCM = 2
};

/* The operation of a kind: of each thread, or of the job thread alone. */
struct operation {
    void (*of_thread)(struct probe *probe, uint32_t thread);
    void (*of_job)(struct probe *probe);
    uint32_t memory; /* enum memory, or both */
};

static const struct operation *operation_of(uint32_t kind) {
    static const struct operation operations[] = {
        [PHX_PROBE_NOP] = {run_packets, NULL, NO_MEMORY},
        [PHX_PROBE_VRMPY_CHAIN] = {run_packets, NULL, NO_MEMORY},
        [PHX_PROBE_VRMPY_PAIRS] = {run_packets, NULL, NO_MEMORY},
        [PHX_PROBE_LOOP_Q4_0] = {run_loop, NULL, BUFFER | VTCM},
        [PHX_PROBE_LOOP_Q8_0] = {run_loop, NULL, BUFFER | VTCM},
        [PHX_PROBE_LOAD_VTCM] = {run_load, NULL, VTCM},
        [PHX_PROBE_LOAD_MEMORY] = {run_load, NULL, BUFFER},
        [PHX_PROBE_LOAD_FETCHED] = {run_load, NULL, BUFFER},
        [PHX_PROBE_DMA] = {run_dma, NULL, BUFFER | VTCM},
        [PHX_PROBE_DISPATCH_SPIN] = {NULL, run_dispatch, NO_MEMORY},
        [PHX_PROBE_DISPATCH_SIGNAL] = {NULL, run_dispatch, NO_MEMORY},
        [PHX_PROBE_CACHE_CLEAN] = {NULL, run_cache, BUFFER},
        [PHX_PROBE_CACHE_INVALIDATE] = {NULL, run_cache, BUFFER},
    };
    return kind < sizeof(operations) / sizeof(operations[0]) ? &operations[kind] : NULL;
}

/* Checks the request against its bounds. */
static int check(const struct probe *probe) {
    const struct phx_probe_request *request = &probe->request;
    bool is_loop = request->kind == PHX_PROBE_LOOP_Q4_0 || request->kind == PHX_PROBE_LOOP_Q8_0;
    if (request->n_threads == 0 || request->n_threads > probe->engine->pool.n_threads || request->n_repeats == 0 ||
        request->n_repeats > PHX_PROBE_MAX_REPEATS) {
        return DSP_EBADPARM;
    }
    if (is_loop) {
        return request->size == 1 || request->size == 4 || request->size == PHX_LOOP_ROWS ? AEE_SUCCESS : DSP_EBADPARM;
    }
    if (probe->operation->memory == NO_MEMORY) {
        return request->size ? DSP_EBADPARM : AEE_SUCCESS;
    }
    bool is_load = probe->operation->of_thread == run_load;
    if (request->size == 0 || request->size % (is_load ? FETCH_BYTES : PHX_VECTOR) ||
        (uint64_t)request->size * request->n_repeats > PHX_PROBE_MAX_BYTES) {
        return DSP_EBADPARM;
    }
    return request->kind == PHX_PROBE_DMA && request->size > LARGEST_CHUNK ? DSP_EBADPARM : AEE_SUCCESS;
}

/* Divides buffer and VTCM among the threads, in whole vectors. */
static int share_memory(struct probe *probe) {
    const struct phx_probe_request *request = &probe->request;
    uint32_t memory = probe->operation->memory, size = request->size;
    uint32_t of_buffer = size, of_vtcm = size, n_threads = probe->operation->of_job ? 1 : request->n_threads;
    if (probe->operation->of_thread == run_loop) {
        of_buffer = size * PHX_LOOP_ROW_BYTES;
        of_vtcm = PHX_LOOP_TILES * PHX_LOOP_TILE_BYTES;
    }
#ifndef __hexagon__ /* hosts have no VTCM: the buffer stands for it */
    memory = memory ? BUFFER : NO_MEMORY;
#endif
    if (memory & BUFFER) {
        const struct phx_map *map = phx_maps_find(&probe->engine->maps, request->fd);
        if (!map) {
            return DSP_ENOSUCHMAP;
        }
        probe->memory = map->data;
        probe->n_memory = map->size / n_threads / PHX_VECTOR * PHX_VECTOR;
        if ((uintptr_t)map->data % PHX_VECTOR || probe->n_memory < of_buffer) {
            return DSP_ENOMEMORY;
        }
        probe->vtcm = probe->memory;
        probe->n_vtcm = probe->n_memory;
    }
    if (memory & VTCM) {
        const struct phx_vtcm *vtcm = &probe->engine->vtcm;
        probe->vtcm = vtcm->data;
        probe->n_vtcm = vtcm->data ? vtcm->n_bytes / n_threads / PHX_VECTOR * PHX_VECTOR : 0;
        if (probe->n_vtcm < of_vtcm) {
            return DSP_ENOMEMORY;
        }
    }
    return AEE_SUCCESS;
}

static void run_thread(void *argument, uint32_t thread, uint32_t n_threads) {
    struct probe *probe = argument;
    (void)n_threads;
    phx_pool_barrier(&probe->engine->pool, thread); /* all threads start together */
    probe->operation->of_thread(probe, thread);
}

static void run_job(void *argument) {
    struct probe *probe = argument;
    struct phx_pool *pool = &probe->engine->pool;
    phx_pool_begin(pool);
    if (probe->request.kind == PHX_PROBE_DISPATCH_SIGNAL) {
        phx_pool_end(pool); /* from here on, idle threads sleep instead of spinning */
    }
    if (probe->operation->of_thread) {
        phx_pool_run(pool, probe->request.n_threads, run_thread, probe);
    } else {
        probe->operation->of_job(probe);
    }
    phx_pool_end(pool);
}

int phx_probe_run(struct phx_engine *engine, const struct phx_probe_request *request,
                  struct phx_probe_record records[PHX_MAX_THREADS]) {
    struct probe probe = {
        .engine = engine, .request = *request, .records = records, .operation = operation_of(request->kind)};
    if (!engine->pool.n_threads) {
        return DSP_EBADSTATE;
    }
    if (!probe.operation) {
        return DSP_EUNSUPPORTED;
    }
    int error = check(&probe);
    if (!error) {
        error = share_memory(&probe);
    }
    if (error) {
        return error;
    }
    memset(records, 0, PHX_MAX_THREADS * sizeof(*records));
    phx_job_thread_call(&engine->job_thread, run_job, &probe);
    return probe.is_failed ? DSP_EFAILED : AEE_SUCCESS;
}
