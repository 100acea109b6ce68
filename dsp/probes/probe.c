/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include "operations.h"
#include "runtime/libc.h"
#include "work.h"

/* Checks the request against its bounds. */
static int check(const struct probe *probe) {
    const struct phx_probe_request *request = &probe->request;
    if (request->n_threads == 0 || request->n_threads > probe->engine->pool.n_threads || request->n_repeats == 0 ||
        request->n_repeats > PHX_PROBE_MAX_REPEATS) {
        return DSP_EBADPARM;
    }
    const struct operation *operation = probe->operation;
    if (operation->memory == NO_MEMORY) {
        return request->size ? DSP_EBADPARM : AEE_SUCCESS;
    }
    if (!operation->unit) {
        return request->size == 1 || request->size == 4 || request->size == PHX_LOOP_ROWS ? AEE_SUCCESS : DSP_EBADPARM;
    }
    if (request->size == 0 || request->size % operation->unit ||
        (uint64_t)request->size * request->n_repeats > PHX_PROBE_MAX_BYTES) {
        return DSP_EBADPARM;
    }
    return operation->most && request->size > operation->most ? DSP_EBADPARM : AEE_SUCCESS;
}

/* Divides buffer and VTCM among the threads, in whole vectors. */
static int share_memory(struct probe *probe) {
    const struct phx_probe_request *request = &probe->request;
    uint32_t memory = probe->operation->memory, size = request->size;
    uint32_t of_buffer = size, of_vtcm = size, n_threads = probe->operation->of_job ? 1 : request->n_threads;
    if (!probe->operation->unit) {
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
        .engine = engine, .request = *request, .records = records, .operation = phx_probe_operation(request->kind)};
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
