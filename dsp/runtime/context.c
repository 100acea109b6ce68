/* SPDX-License-Identifier: MIT
 *
 * The registry of open handles, and the calls that change them. A handle number is never reused, so a stale handle is
 * refused instead of dereferenced. When a handle is closed while another thread is inside a call, the context is freed
 * at the end of that call.
 */
#include "context.h"

#include "libc.h"
#include "power.h"

static struct {
    uint32_t state; /* atomic; one of the enum below */
    qurt_mutex_t mutex;
    struct phx_context *first;
    uint64_t last_handle;
} registry;

enum {
    REGISTRY_NEW,
    REGISTRY_MAKING,
    REGISTRY_READY
};

/* The board's loader runs no constructors, so the first caller creates the mutex. Concurrent callers spin for those few
 * instructions, which is safe because all of them run at the same priority. */
static void lock_registry(void) {
    uint32_t expected = REGISTRY_NEW;
    if (__atomic_compare_exchange_n(&registry.state, &expected, REGISTRY_MAKING, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        qurt_mutex_init(&registry.mutex);
        __atomic_store_n(&registry.state, REGISTRY_READY, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&registry.state, __ATOMIC_ACQUIRE) != REGISTRY_READY) {
    }
    qurt_mutex_lock(&registry.mutex);
}

static void unlock_registry(void) {
    qurt_mutex_unlock(&registry.mutex);
}

int phx_context_open(uint64_t *handle) {
    struct phx_context *context = phx_malloc(sizeof(*context));
    if (!context) {
        return DSP_ENOMEMORY;
    }
    memset(context, 0, sizeof(*context));
    qurt_mutex_init(&context->control);
    qurt_mutex_init(&context->running);
    phx_log_init(&context->engine.log);
    struct phx_workspace *workspace = &context->engine.workspace;
    context->engine.maps.entries.workspace = workspace;
    context->engine.scratch.workspace = context->engine.streams.workspace = workspace;
    context->n_users = 1;
    lock_registry();
    context->handle = ++registry.last_handle;
    context->next = registry.first;
    registry.first = context;
    *handle = context->handle;
    unlock_registry();
    return AEE_SUCCESS;
}

/* Returns the link that points to the context of `handle`, or to NULL. */
static struct phx_context **find(uint64_t handle) {
    struct phx_context **link = &registry.first;
    while (*link && (*link)->handle != handle) {
        link = &(*link)->next;
    }
    return link;
}

struct phx_context *phx_context_acquire(uint64_t handle) {
    lock_registry();
    struct phx_context *context = *find(handle);
    if (context) {
        context->n_users++;
    }
    unlock_registry();
    return context;
}

void phx_context_release(struct phx_context *context) {
    lock_registry();
    bool is_last = --context->n_users == 0;
    unlock_registry();
    if (is_last) {
        phx_context_stop(context);
        phx_log_destroy(&context->engine.log);
        qurt_mutex_destroy(&context->running);
        qurt_mutex_destroy(&context->control);
        phx_free(context);
    }
}

int phx_context_close(uint64_t handle) {
    lock_registry();
    struct phx_context **link = find(handle);
    struct phx_context *context = *link;
    if (context) {
        *link = context->next;
    }
    unlock_registry();
    if (!context) {
        return DSP_EINVHANDLE;
    }
    phx_context_release(context);
    return AEE_SUCCESS;
}

static void log_start(struct phx_context *context, uint32_t n_threads, bool with_queue, int error) {
    struct phx_log *log = &context->engine.log;
    const char *queue = with_queue ? "with" : "without";
    if (error) {
        phx_log_write(log, PHX_LOG_ERROR, "start with %u threads, %s dspqueue: 0x%x", (unsigned)n_threads, queue,
                      (unsigned)error);
        return;
    }
    phx_log_write(log, PHX_LOG_INFO,
                  "started: %u of %u threads, priority %d, stacks of %u bytes, %s dspqueue, %u bytes of VTCM",
                  (unsigned)context->engine.pool.n_threads, (unsigned)phx_pool_device_threads(),
                  qurt_thread_get_priority(qurt_thread_get_id()), PHX_POOL_STACK_BYTES, queue,
                  (unsigned)context->engine.vtcm.n_bytes);
}

/* Starts the thread pool and acquires VTCM. */
static int start_engine(struct phx_engine *engine, uint32_t n_threads) {
    int error = phx_job_thread_start(&engine->job_thread);
    if (error) {
        return error;
    }
    error = phx_pool_start(&engine->pool, n_threads);
    if (error) {
        phx_job_thread_stop(&engine->job_thread);
        return error;
    }
    phx_vtcm_acquire(&engine->vtcm);
    return AEE_SUCCESS;
}

static void stop_engine(struct phx_engine *engine) {
    phx_execute_drop_all(engine);
    phx_job_thread_stop(&engine->job_thread);
    phx_pool_stop(&engine->pool);
    phx_area_free(&engine->streams);
    phx_area_free(&engine->scratch);
    phx_vtcm_release(&engine->vtcm);
    phx_user_kernels_unload_all(&engine->user_kernels);
}

int phx_context_start(struct phx_context *context, uint64_t queue_id, uint32_t n_threads) {
    if (n_threads > PHX_MAX_THREADS) {
        return DSP_EBADPARM;
    }
    struct phx_pool *pool = &context->engine.pool;
    int error;
    qurt_mutex_lock(&context->control);
    qurt_mutex_lock(&context->running);
    if (pool->n_threads) {
        error = DSP_EALREADY;
    } else {
        error = start_engine(&context->engine, n_threads ? n_threads : phx_pool_device_threads());
        if (!error && queue_id) {
            error = phx_queue_open(context, queue_id);
        }
        if (error && pool->n_threads) {
            stop_engine(&context->engine);
        }
        __atomic_store_n(&context->vtcm_bytes, context->engine.vtcm.n_bytes, __ATOMIC_RELAXED);
        __atomic_store_n(&context->n_threads, pool->n_threads, __ATOMIC_RELAXED);
    }
    log_start(context, n_threads, queue_id != 0, error);
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_stop(struct phx_context *context) {
    qurt_mutex_lock(&context->control);
    phx_queue_close(context);
    qurt_mutex_lock(&context->running);
    if (context->engine.pool.n_threads) {
        stop_engine(&context->engine);
        __atomic_store_n(&context->vtcm_bytes, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&context->n_threads, 0, __ATOMIC_RELAXED);
    }
    if (context->has_voted) {
        phx_power_release(context);
        context->has_voted = false;
    }
    phx_log_write(&context->engine.log, PHX_LOG_INFO, "stopped; %u buffers were mapped",
                  (unsigned)context->engine.maps.n_entries);
    phx_log_close(&context->engine.log);
    phx_maps_clear(&context->engine.maps);
    phx_workspace_clear(&context->engine.workspace);
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return AEE_SUCCESS;
}

static void log_map(struct phx_engine *engine, const char *what, int32_t fd, uint32_t size, int error) {
    phx_log_write(&engine->log, error ? PHX_LOG_WARNING : PHX_LOG_DEBUG,
                  "%s fd %d, %u bytes: 0x%x; %u buffers are mapped", what, (int)fd, (unsigned)size, (unsigned)error,
                  (unsigned)engine->maps.n_entries);
}

int phx_context_map(struct phx_context *context, int32_t fd, uint32_t size) {
    qurt_mutex_lock(&context->control);
    qurt_mutex_lock(&context->running);
    bool is_ours = phx_workspace_has(&context->engine.workspace, fd);
    int error = is_ours ? DSP_EALREADY : phx_maps_add(&context->engine.maps, fd, size);
    log_map(&context->engine, "map", fd, size, error);
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_unmap(struct phx_context *context, int32_t fd) {
    qurt_mutex_lock(&context->control);
    qurt_mutex_lock(&context->running);
    if (fd == context->engine.log.fd) {
        phx_log_close(&context->engine.log);
    }
    const struct phx_map *map = phx_maps_find(&context->engine.maps, fd);
    uint32_t size = map ? map->size : 0;
    int error = phx_maps_remove(&context->engine.maps, fd);
    log_map(&context->engine, "unmap", fd, size, error);
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_add_workspace(struct phx_context *context, int32_t fd, uint32_t size) {
    struct phx_engine *engine = &context->engine;
    qurt_mutex_lock(&context->control);
    qurt_mutex_lock(&context->running);
    bool is_mapped = phx_maps_find(&engine->maps, fd) != NULL;
    int error = is_mapped ? DSP_EALREADY : phx_workspace_add(&engine->workspace, fd, size);
    log_map(engine, "workspace", fd, size, error);
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_set_power(struct phx_context *context, uint32_t power) {
    qurt_mutex_lock(&context->control);
    context->has_voted = true;
    int error = phx_power_vote(context, power, &context->engine.log);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_set_log(struct phx_context *context, int32_t fd, uint32_t n_bytes, uint32_t level) {
    struct phx_engine *engine = &context->engine;
    int error = AEE_SUCCESS;
    qurt_mutex_lock(&context->control);
    qurt_mutex_lock(&context->running);
    if (n_bytes == 0) {
        phx_log_close(&engine->log);
    } else {
        const struct phx_map *map = phx_maps_find(&engine->maps, fd);
        error = map ? phx_log_open(&engine->log, map, n_bytes, level) : DSP_ENOSUCHMAP;
    }
    qurt_mutex_unlock(&context->running);
    qurt_mutex_unlock(&context->control);
    return error;
}

int phx_context_run(struct phx_context *context, const void *request, size_t n_request, void *response,
                    size_t n_response) {
    qurt_mutex_lock(&context->running);
    int error = phx_execute(&context->engine, request, n_request, response, n_response);
    qurt_mutex_unlock(&context->running);
    return error;
}

int phx_context_probe(struct phx_context *context, const struct phx_probe_request *request,
                      struct phx_probe_record records[PHX_MAX_THREADS]) {
    qurt_mutex_lock(&context->running);
    int error = phx_probe_run(&context->engine, request, records);
    qurt_mutex_unlock(&context->running);
    return error;
}

int phx_context_load_kernel(struct phx_context *context, uint32_t number, const char *name, const void *image,
                            uint32_t n_bytes, bool is_path) {
    struct phx_engine *engine = &context->engine;
    int error = AEE_SUCCESS;
    qurt_mutex_lock(&context->running);
    if (engine->pool.n_threads == 0) {
        error = DSP_EBADSTATE;
    } else if (n_bytes) {
        error = phx_user_kernels_load(&engine->user_kernels, number, name, image, n_bytes, is_path, &engine->log);
    } else {
        phx_execute_drop_all(engine);
        phx_user_kernels_unload(&engine->user_kernels, number);
    }
    qurt_mutex_unlock(&context->running);
    return error;
}
