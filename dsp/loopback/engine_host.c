/* SPDX-License-Identifier: MIT
 *
 * The engine for skels built for this machine: it loads them into this process and runs them on threads of their own.
 *
 * Each calling CPU thread has a service thread in the PD. The caller passes it one job at a time and sleeps until the
 * answer or the PD's death. Everything that a job refers to (the argument array, the copies of ordinary memory) belongs
 * to the service, so a caller can abandon a dead PD whose thread still runs.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"
#include "log.h"
#include "shell/deadline.h"

#define COPY_ALIGNMENT 128 /* the kernel's alignment of copied arguments */
#define LEAVE_US 200000    /* limit of destroy's wait for the PD's threads */

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#error "no host engine for this machine"
#endif

enum service_state {
    SERVICE_IDLE,
    SERVICE_ASKED,
    SERVICE_ANSWERED
};

struct host_service {
    struct host_service *next;
    struct engine_pd *pd;
    uint64_t caller;
    pthread_cond_t changed;
    enum service_state state;
    bool quit; /* removed from the list; its thread frees it */

    /* The job: a load if `path` is set, else a call. */
    const char *path;
    const char *name;
    uint32_t module;
    skel_entry *entry;
    uint64_t handle;
    uint32_t scalars;
    uint32_t n_args;
    remote_arg *args;
    void **copies; /* of ordinary buffers; NULL for shared ones and handles */
    int result;
};

static void clear_job(struct host_service *service) {
    for (uint32_t i = 0; i < service->n_args && service->copies != NULL; i++) {
        free(service->copies[i]);
    }
    free(service->args);
    free(service->copies);
    service->n_args = 0;
    service->args = NULL;
    service->copies = NULL;
}

static void free_service(struct host_service *service) {
    clear_job(service);
    free((char *)(uintptr_t)service->path);
    free((char *)(uintptr_t)service->name);
    pthread_cond_destroy(&service->changed);
    free(service);
}

/* --- Life of a PD --- */

static void put(struct engine_pd *pd) {
    pthread_mutex_lock(&pd->lock);
    bool last = --pd->references == 0;
    pthread_cond_broadcast(&pd->left);
    pthread_mutex_unlock(&pd->lock);
    if (!last) {
        return;
    }
    host_images_unload(pd);
    host_memory_release(pd);
    while (pd->services != NULL) {
        struct host_service *service = pd->services;
        pd->services = service->next;
        free_service(service);
    }
    if (pd->shell.vtcm != NULL) {
        munmap(pd->shell.vtcm, pd->shell.vtcm_size);
    }
    shell_pd_destroy(&pd->shell);
    pthread_cond_destroy(&pd->left);
    pthread_mutex_destroy(&pd->lock);
    free(pd);
}

void shell_pd_is_empty(struct shell_pd *shell) {
    put((struct engine_pd *)shell);
}

void shell_log(const char *text) {
    struct shell_thread *self = shell_self();
    if (self != NULL) {
        log_line("pd %d: %s", ((struct engine_pd *)self->pd)->config.effective_domain, text);
    } else {
        log_line("%s", text);
    }
}

static int create(const struct engine_config *config, struct engine_pd **created) {
    struct engine_pd *pd = calloc(1, sizeof *pd);
    uint32_t vtcm_size = config->vtcm_bytes < SHELL_VTCM_MAX ? config->vtcm_bytes : SHELL_VTCM_MAX;
    void *vtcm = NULL;
    if (pd != NULL && vtcm_size != 0) {
        vtcm = mmap(NULL, vtcm_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (pd == NULL || vtcm == MAP_FAILED) {
        free(pd);
        return AEE_ENOMEMORY;
    }
    shell_pd_init(&pd->shell, config->hardware_threads, vtcm, vtcm_size);
    pd->shell.arch = config->arch;
    pd->shell.power = config->power;
    pd->shell.dspqueue_import = config->dspqueue_import;
    pd->shell.map_sizes = config->map_sizes;
    pd->shell.heap_bytes = config->heap_bytes;
    pd->shell.incoherent = config->incoherent;
    pd->shell.skip_maintenance = config->skip_maintenance;
    pd->shell.stall_in = config->stall_at;
    pthread_mutex_init(&pd->lock, NULL);
    pthread_cond_init(&pd->left, NULL);
    pd->config = *config;
    pd->references = 2;
    *created = pd;
    return AEE_SUCCESS;
}

static void kill_pd(struct engine_pd *pd) {
    shell_pd_kill(&pd->shell);
    pthread_mutex_lock(&pd->lock);
    for (struct host_service *service = pd->services; service != NULL; service = service->next) {
        pthread_cond_broadcast(&service->changed);
    }
    pthread_mutex_unlock(&pd->lock);
}

/* Waits briefly, since well-behaved threads end at once: after closing a session its caller then finds everything
 * released. */
static void destroy(struct engine_pd *pd) {
    struct timespec until = deadline_after(LEAVE_US);
    pthread_mutex_lock(&pd->lock);
    int code = 0;
    while (pd->references > 1 && code == 0) {
        code = pthread_cond_timedwait(&pd->left, &pd->lock, &until);
    }
    pthread_mutex_unlock(&pd->lock);
    put(pd);
}

static void stall(struct engine_pd *pd, bool on) {
    shell_pd_stall(&pd->shell, on);
}

static void stall_at(struct engine_pd *pd, uint32_t nth) {
    shell_pd_stall_at(&pd->shell, nth);
}

static bool is_stalled(struct engine_pd *pd) {
    return shell_pd_is_stalled(&pd->shell);
}

/* --- Service threads --- */

static int do_job(struct host_service *service) {
    if (service->path != NULL) {
        return host_image_load(service->pd, service->path, service->name, &service->module);
    }
    return service->entry(service->handle, service->scalars, service->args);
}

static void serve(void *argument) {
    struct host_service *service = argument;
    struct engine_pd *pd = service->pd;
    pthread_mutex_lock(&pd->lock);
    while (!service->quit && !atomic_load(&pd->shell.dead)) {
        if (service->state != SERVICE_ASKED) {
            pthread_cond_wait(&service->changed, &pd->lock);
            continue;
        }
        pthread_mutex_unlock(&pd->lock);
        shell_gate();
        int result = do_job(service);
        shell_gate();
        pthread_mutex_lock(&pd->lock);
        service->result = result;
        service->state = SERVICE_ANSWERED;
        pthread_cond_broadcast(&service->changed);
    }
    bool quit = service->quit;
    pthread_mutex_unlock(&pd->lock);
    if (quit) {
        free_service(service);
    }
}

/* Returns the caller's service, created with its thread on first use. */
static struct host_service *service_of(struct engine_pd *pd, uint64_t caller) {
    if (atomic_load(&pd->shell.dead)) {
        return NULL; /* an earlier job of this caller may still run */
    }
    pthread_mutex_lock(&pd->lock);
    struct host_service *service = pd->services;
    while (service != NULL && service->caller != caller) {
        service = service->next;
    }
    pthread_mutex_unlock(&pd->lock);
    if (service != NULL) {
        return service;
    }
    service = calloc(1, sizeof *service);
    if (service == NULL) {
        return NULL;
    }
    service->pd = pd;
    service->caller = caller;
    pthread_cond_init(&service->changed, NULL);
    pthread_mutex_lock(&pd->lock);
    service->next = pd->services;
    pd->services = service;
    const struct shell_thread_attr attr = {"fastrpc", (uint16_t)pd->config.thread_priority, SHELL_TIMETEST_ID,
                                           pd->config.thread_stack, false};
    bool ok = shell_thread_start(&pd->shell, &attr, serve, service) != NULL;
    if (!ok) {
        pd->services = service->next;
        free_service(service);
    }
    pthread_mutex_unlock(&pd->lock);
    return ok ? service : NULL;
}

static int no_service(struct engine_pd *pd) {
    return atomic_load(&pd->shell.dead) ? ENGINE_DEAD : AEE_DSP(AEE_EQURTTHREADCREATE);
}

/* Runs the job on the service thread and waits. Returns 0 with service->result set, or ENGINE_DEAD. */
static int ask(struct host_service *service) {
    struct engine_pd *pd = service->pd;
    pthread_mutex_lock(&pd->lock);
    service->state = SERVICE_ASKED;
    pthread_cond_broadcast(&service->changed);
    while (service->state != SERVICE_ANSWERED && !atomic_load(&pd->shell.dead)) {
        pthread_cond_wait(&service->changed, &pd->lock);
    }
    bool answered = service->state == SERVICE_ANSWERED;
    if (answered) {
        service->state = SERVICE_IDLE;
    }
    pthread_mutex_unlock(&pd->lock);
    return answered ? AEE_SUCCESS : ENGINE_DEAD;
}

static void caller_gone(struct engine_pd *pd, uint64_t caller) {
    pthread_mutex_lock(&pd->lock);
    struct host_service **link = &pd->services;
    while (*link != NULL && (*link)->caller != caller) {
        link = &(*link)->next;
    }
    struct host_service *service = *link;
    if (service != NULL && !atomic_load(&pd->shell.dead)) { /* services of a dead PD end with it */
        *link = service->next;
        service->quit = true;
        pthread_cond_broadcast(&service->changed);
    }
    pthread_mutex_unlock(&pd->lock);
}

/* --- Jobs --- */

static int load(struct engine_pd *pd, uint64_t caller, const char *path, const char *entry, uint32_t *module) {
    struct host_service *service = service_of(pd, caller);
    if (service == NULL) {
        return no_service(pd);
    }
    service->path = strdup(path);
    service->name = strdup(entry);
    if (service->path == NULL || service->name == NULL) {
        return AEE_ENOMEMORY;
    }
    int code = ask(service);
    if (code != AEE_SUCCESS) {
        return code; /* the strings now belong to the dead PD's thread */
    }
    *module = service->module;
    free((char *)(uintptr_t)service->path);
    free((char *)(uintptr_t)service->name);
    service->path = service->name = NULL;
    return service->result;
}

static int fill_buffer(struct host_service *service, uint32_t i, const struct engine_arg *arg) {
    uint8_t *base;
    service->args[i].buf.nLen = arg->size;
    service->args[i].buf.pv = NULL;
    if (arg->memory != NULL) {
        int code = host_map_argument(service->pd, arg->memory, &base);
        service->args[i].buf.pv = code == AEE_SUCCESS ? base + arg->offset : NULL;
        if (code == AEE_SUCCESS) {
            shell_maintain(&service->pd->shell, service->args[i].buf.pv, arg->size, false);
        }
        return code;
    }
    if (arg->size == 0) {
        return AEE_SUCCESS;
    }
    if (posix_memalign(&service->copies[i], COPY_ALIGNMENT, arg->size) != 0) {
        service->copies[i] = NULL;
        return AEE_ENOMEMORY;
    }
    if (arg->kind == ENGINE_IN) {
        memcpy(service->copies[i], arg->data, arg->size);
    } else {
        memset(service->copies[i], 0, arg->size);
    }
    service->args[i].buf.pv = service->copies[i];
    return AEE_SUCCESS;
}

static int fill_job(struct host_service *service, const struct engine_call *call) {
    service->entry = host_module_entry(service->pd, call->module);
    service->handle = call->handle;
    service->scalars = call->scalars;
    service->n_args = call->n_args;
    service->args = calloc(call->n_args + 1, sizeof *service->args);
    service->copies = calloc(call->n_args + 1, sizeof *service->copies);
    if (service->args == NULL || service->copies == NULL) {
        return AEE_ENOMEMORY;
    }
    int code = service->entry != NULL ? AEE_SUCCESS : AEE_DSP(AEE_ENOSUCHMOD);
    for (uint32_t i = 0; i < call->n_args && code == AEE_SUCCESS; i++) {
        const struct engine_arg *arg = &call->args[i];
        if (arg->kind == ENGINE_IN || arg->kind == ENGINE_OUT) {
            code = fill_buffer(service, i, arg);
        } else {
            service->args[i].h64 = arg->handle;
        }
    }
    return code;
}

/* Copies outputs to the caller, only if the skel returned 0. Outputs in shared memory: FastRPC's DSP side cleans the
 * DSP's caches, and nobody the CPU's. */
static void take_answer(struct host_service *service, const struct engine_call *call) {
    for (uint32_t i = 0; i < call->n_args && service->result == 0; i++) {
        struct engine_arg *arg = &call->args[i];
        if (arg->kind == ENGINE_OUT && service->copies[i] != NULL) {
            memcpy(arg->data, service->copies[i], arg->size);
        } else if (arg->kind == ENGINE_OUT && arg->memory != NULL) {
            shell_maintain(&service->pd->shell, service->args[i].buf.pv, arg->size, true);
        } else if (arg->kind == ENGINE_OUT_HANDLE) {
            arg->handle = service->args[i].h64;
        }
    }
}

static int invoke(struct engine_pd *pd, const struct engine_call *call, int *result) {
    struct host_service *service = service_of(pd, call->caller);
    if (service == NULL) {
        return no_service(pd);
    }
    int code = fill_job(service, call);
    if (code == AEE_SUCCESS) {
        code = ask(service);
    }
    if (code == ENGINE_DEAD) {
        return code; /* the job now belongs to the dead PD's thread */
    }
    if (code == AEE_SUCCESS) {
        *result = service->result;
        take_answer(service, call);
    }
    clear_job(service);
    return code;
}

const struct engine engine_host = {
    .name = "host",
    .elf_machine = HOST_MACHINE,
    .elf_class = ELFCLASS64,
    .create = create,
    .load = load,
    .invoke = invoke,
    .caller_gone = caller_gone,
    .map = host_map,
    .unmap = host_unmap,
    .forget = host_forget,
    .attach_queue = host_attach_queue,
    .detach_queue = host_detach_queue,
    .stall = stall,
    .stall_at = stall_at,
    .is_stalled = is_stalled,
    .kill = kill_pd,
    .destroy = destroy,
};
