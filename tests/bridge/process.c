/* SPDX-License-Identifier: MIT
 *
 * One DSP process. The library's own calls go to static handles, whose methods are numbered as in its IDL files; calls
 * of a skel go to the number that opening it returned.
 */
#define _GNU_SOURCE
#include "bridge.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HANDLE_PROCESS 4
#define PROCESS_EXIT 2
#define PROCESS_EXCEPTION 7

#define HANDLE_LISTENER 7
#define LISTENER_NEXT 6

#define HANDLE_CONTROL 8
#define CONTROL_OPEN 2
#define CONTROL_CLOSE 3
#define CONTROL_SET_PARAM 5

#define HANDLE_QUEUES 0x8000 /* ours; the library uses small numbers for static handles */
#define FIRST_MODULE 0x10000

#define MAX_ARGS 64
#define SOME_ADDRESS 0x40000000 /* of a mapping on the DSP; never used */

/* --- The loopback --- */

static struct dsp loopback;

static void load(void) {
    const char *path = getenv("BRIDGE_LOOPBACK");
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "bridge: BRIDGE_LOOPBACK: %s\n", path != NULL ? dlerror() : "not set");
        abort();
    }
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"remote_handle64_open", &loopback.open},
        {"remote_handle64_close", &loopback.close},
        {"remote_handle64_invoke", &loopback.invoke},
        {"remote_session_control", &loopback.session_control},
        {"remote_handle_control", &loopback.handle_control},
        {"fastrpc_mmap", &loopback.mmap},
        {"fastrpc_munmap", &loopback.munmap},
        {"loopback_kill", &loopback.kill},
        {"loopback_stall", &loopback.stall},
        {"loopback_attach_queue", &loopback.attach_queue},
        {"loopback_detach_queue", &loopback.detach_queue},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(library, functions[i].name);
        if (function == NULL) {
            fprintf(stderr, "bridge: %s has no %s\n", path, functions[i].name);
            abort();
        }
        memcpy(functions[i].function, &function, sizeof function);
    }
}

const struct dsp *dsp(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &loopback;
}

int process_capability(uint32_t attribute, uint32_t *value) {
    fastrpc_capability capability = {.domain = CDSP_DOMAIN_ID, .attribute_ID = attribute};
    int code = dsp()->handle_control(DSPRPC_GET_DSP_INFO, &capability, sizeof capability);
    *value = capability.capability;
    return code == 0 ? 0 : failed(EINVAL);
}

/* --- Life and death --- */

int process_create(struct process *process, bool is_unsigned) {
    int refused = request(REQUEST_create);
    process->effective = -1;
    process->is_unsigned = is_unsigned;
    process->last_id = FIRST_MODULE;
    return refused != 0 ? failed(refused) : 0;
}

static void end(struct process *process, int number) {
    pthread_mutex_lock(&lock);
    if (process->ended == 0) {
        process->ended = number;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void process_die(struct process *process) {
    end(process, EPIPE);
    dsp()->kill(process->effective);
}

void process_destroy(struct process *process) {
    end(process, EPIPE);
    queues_close(process);
    for (int i = 0; i < MAX_MODULES; i++) {
        pthread_mutex_lock(&lock);
        struct module module = process->modules[i];
        process->modules[i].id = 0;
        pthread_mutex_unlock(&lock);
        if (module.id != 0) {
            dsp()->close(module.handle);
        }
    }
}

/* The library's listener waits for calls of the DSP; there are none. */
static int listen(struct process *process) {
    pthread_mutex_lock(&lock);
    while (process->ended == 0) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return process->has_exited ? AEE_DSP(AEE_EBADSTATE) : failed(process->ended);
}

static int current_process(struct process *process, uint32_t method) {
    if (method == PROCESS_EXIT) {
        process->has_exited = true;
        process_destroy(process);
    } else if (method == PROCESS_EXCEPTION) {
        process_die(process);
        return AEE_DSP(AEE_EBADSTATE);
    }
    return 0;
}

/* --- Skels --- */

static void *pointer(const struct fastrpc_invoke_args *arg) {
    return (void *)(uintptr_t)arg->ptr;
}

static int open_skel(struct process *process, const char *uri, uint32_t *id) {
    const char *session = strstr(uri, "&_session=");
    process->effective = CDSP_DOMAIN_ID + 8 * (session != NULL ? atoi(session + strlen("&_session=")) : 0);
    struct remote_rpc_control_unsigned_module mode = {process->effective, process->is_unsigned};
    dsp()->session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &mode, sizeof mode);
    if (process->stack_size != 0) {
        struct remote_rpc_thread_params threads = {process->effective, -1, process->stack_size};
        dsp()->session_control(FASTRPC_THREAD_PARAMS, &threads, sizeof threads);
    }
    uint64_t handle;
    int code = dsp()->open(uri, &handle);
    if (code != 0) {
        return code;
    }
    pthread_mutex_lock(&lock);
    struct module *module = process->modules;
    while (module->id != 0) {
        if (++module == process->modules + MAX_MODULES) {
            abort();
        }
    }
    *id = module->id = ++process->last_id;
    module->handle = handle;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* Finds the skel with this id, and removes it from the table if it is to be closed. Returns false when there is
 * none. */
static bool find_skel(struct process *process, uint32_t id, bool close, uint64_t *handle) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_MODULES && !found; i++) {
        found = process->modules[i].id == id && id != 0;
        if (found) {
            *handle = process->modules[i].handle;
            process->modules[i].id = close ? 0 : id;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* open: {size of the name, of the error text}, the name | {handle, code}, the error text. close: {handle, size of the
 * error text} | {code}, the error text. set_param: {request, number of parameters}, the parameters; of threads:
 * {priority, stack size}. */
static int control(struct process *process, uint32_t method, const struct fastrpc_invoke_args *args) {
    if (method == CONTROL_OPEN) {
        const char *uri = pointer(&args[1]);
        uint32_t *reply = pointer(&args[2]);
        if (strstr(uri, "dspqueue_rpc_skel") != NULL) {
            queues_open(process);
            reply[0] = HANDLE_QUEUES;
            reply[1] = 0;
        } else {
            reply[1] = (uint32_t)open_skel(process, uri, &reply[0]);
        }
        return 0;
    }
    if (method == CONTROL_CLOSE) {
        uint64_t handle;
        uint32_t id = *(uint32_t *)pointer(&args[0]);
        uint32_t *reply = pointer(&args[1]);
        reply[0] = 0;
        if (id == HANDLE_QUEUES) {
            queues_close(process);
        } else if (find_skel(process, id, true, &handle)) {
            reply[0] = (uint32_t)dsp()->close(handle);
        }
        return 0;
    }
    if (method == CONTROL_SET_PARAM && *(uint32_t *)pointer(&args[0]) == FASTRPC_THREAD_PARAMS) {
        process->stack_size = ((int *)pointer(&args[1]))[1];
        return 0;
    }
    return AEE_DSP(AEE_EUNSUPPORTED);
}

static int invoke_skel(struct process *process, uint32_t id, uint32_t scalars, const struct fastrpc_invoke_args *args) {
    uint64_t handle;
    uint32_t n_args = (scalars >> 16 & 255) + (scalars >> 8 & 255);
    int refused = request(REQUEST_invoke);
    if (refused != 0) {
        return failed(refused);
    }
    if (!find_skel(process, id, false, &handle)) {
        return AEE_DSP(AEE_EINVHANDLE);
    }
    if ((scalars & 255) != 0 || n_args > MAX_ARGS) { /* handle arguments */
        return failed(EINVAL);
    }
    remote_arg passed[MAX_ARGS];
    for (uint32_t i = 0; i < n_args; i++) {
        passed[i].buf.pv = pointer(&args[i]);
        passed[i].buf.nLen = args[i].length;
    }
    int code = dsp()->invoke(handle, scalars, passed);
    if (code == AEE_ECONNRESET || code == AEE_DSP(AEE_EBADSTATE)) {
        end(process, EPIPE);
    }
    return code == AEE_ECONNRESET ? failed(EPIPE) : code;
}

int process_invoke(struct process *process, const struct fastrpc_invoke *invoke) {
    const struct fastrpc_invoke_args *args = (const void *)(uintptr_t)invoke->args;
    uint32_t method = invoke->sc >> 24 & 31;
    if (process->ended != 0) {
        return failed(process->ended);
    }
    switch (invoke->handle) {
    case HANDLE_PROCESS:
        return current_process(process, method);
    case HANDLE_LISTENER:
        return method == LISTENER_NEXT ? listen(process) : 0;
    case HANDLE_CONTROL:
        return control(process, method, args);
    case HANDLE_QUEUES:
        return queues_invoke(process, method, args);
    default:
        return invoke_skel(process, invoke->handle, invoke->sc, args);
    }
}

/* --- Memory --- */

/* Requires the lock. Returns the mapping of an fd, or a free entry; NULL when there is none. */
static struct mapping *find_mapping(struct process *process, int fd, bool is_free) {
    for (int i = 0; i < MAX_MAPPINGS; i++) {
        struct mapping *mapping = &process->mappings[i];
        if (is_free ? mapping->size == 0 : mapping->size != 0 && mapping->fd == fd) {
            return mapping;
        }
    }
    return NULL;
}

uint32_t process_mapped(struct process *process, int fd) {
    pthread_mutex_lock(&lock);
    struct mapping *mapping = find_mapping(process, fd, false);
    uint32_t size = mapping != NULL ? mapping->size : 0;
    pthread_mutex_unlock(&lock);
    return size;
}

static void remember(struct process *process, int fd, uint32_t size) {
    pthread_mutex_lock(&lock);
    struct mapping *mapping = find_mapping(process, fd, true);
    if (mapping == NULL) {
        abort();
    }
    *mapping = (struct mapping){fd, size};
    pthread_mutex_unlock(&lock);
}

static void forget(struct process *process, int fd) {
    pthread_mutex_lock(&lock);
    struct mapping *mapping = find_mapping(process, fd, false);
    if (mapping != NULL) {
        mapping->size = 0;
    }
    pthread_mutex_unlock(&lock);
}

int process_map(struct process *process, struct fastrpc_mem_map *map) {
    int refused = request(REQUEST_map);
    refused = process->ended != 0 ? process->ended : refused;
    if (refused != 0) {
        return failed(refused);
    }
    int code = dsp()->mmap(process->effective, map->fd, NULL, 0, map->length, (enum fastrpc_map_flags)map->flags);
    if (code != 0) {
        return failed(code == AEE_DSP(AEE_ENOMEMORY) ? ENOMEM : EINVAL);
    }
    map->vaddrout = SOME_ADDRESS;
    remember(process, map->fd, (uint32_t)map->length);
    return 0;
}

int process_unmap(struct process *process, const struct fastrpc_mem_unmap *unmap) {
    int refused = request(REQUEST_unmap);
    refused = process->ended != 0 ? process->ended : refused;
    if (refused != 0) {
        return failed(refused);
    }
    forget(process, unmap->fd);
    return dsp()->munmap(process->effective, unmap->fd, NULL, unmap->length) == 0 ? 0 : failed(EINVAL);
}
