/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "mapping.h"
#include "options.h"
#include "queue_cpu.h"

#define DEFAULT_PRIORITY 192
#define DEFAULT_STACK 16384

#define METHOD_OPEN 0
#define METHOD_CLOSE 1
#define SCALARS(method, in, out, in_handles, out_handles)                                                              \
    ((uint32_t)(method) << 24 | (in) << 16 | (out) << 8 | (in_handles) << 4 | (out_handles))

/* A remote_handle64 is the address of its record, so the value of a closed handle may be reused. */
struct handle {
    struct handle *next;
    struct session *session;
    uint32_t module;
    uint64_t skel_handle;
    bool closed; /* closed while others were open: the record stays until the session ends */
};

static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static struct session sessions[N_EFFECTIVE];
static struct handle *handles;

static void forked(void);

__attribute__((constructor)) static void init(void) {
    options_load();
    for (int i = 0; i < N_EFFECTIVE; i++) {
        sessions[i].effective = i;
        sessions[i].thread_priority = DEFAULT_PRIORITY;
        sessions[i].thread_stack = DEFAULT_STACK;
        pthread_mutex_init(&sessions[i].open_lock, NULL);
        pthread_mutex_init(&sessions[i].lock, NULL);
    }
    pthread_atfork(NULL, NULL, forked);
}

/* In the child of a fork the processes are the parent's, whose threads do not exist here. The child sees dead sessions,
 * and neither its calls nor its exit touch memory shared with the parent. */
static void forked(void) {
    pthread_mutex_init(&state, NULL);
    for (int i = 0; i < N_EFFECTIVE; i++) {
        pthread_mutex_init(&sessions[i].open_lock, NULL);
        pthread_mutex_init(&sessions[i].lock, NULL);
        sessions[i].dead = sessions[i].exists;
        sessions[i].process = NULL;
    }
    processes_forked();
    queues_forked();
}

struct session *session_get(int effective) {
    int id = effective == -1 ? CDSP_DOMAIN_ID : effective;
    return id >= 0 && id < N_EFFECTIVE && id % 8 < N_DOMAINS ? &sessions[id] : NULL;
}

bool session_exists(struct session *session) {
    pthread_mutex_lock(&state);
    bool exists = session->exists;
    pthread_mutex_unlock(&state);
    return exists;
}

struct process *session_use(struct session *session) {
    pthread_mutex_lock(&state);
    struct process *process = session->dead ? NULL : session->process;
    if (process != NULL) {
        process_get(process);
    }
    pthread_mutex_unlock(&state);
    return process;
}

/* --- Death --- */

/* Marks the death once. Returns true for the caller that did. */
static bool mark_dead(struct process *process) {
    pthread_mutex_lock(&state);
    bool first = !process->dead;
    bool current = process->session->process == process;
    process->dead = true;
    if (first && current) {
        process->session->dead = true;
    }
    pthread_mutex_unlock(&state);
    return first && current;
}

bool session_notify(struct session *session, const remote_rpc_notif_register_t *notifier) {
    pthread_mutex_lock(&state);
    bool has_room = session->n_notifiers < MAX_NOTIFIERS;
    if (has_room) {
        session->notifiers[session->n_notifiers++] = *notifier;
    }
    pthread_mutex_unlock(&state);
    return has_room;
}

static void report_death(struct session *session) {
    remote_rpc_notif_register_t notifiers[MAX_NOTIFIERS];
    pthread_mutex_lock(&state);
    int n = session->n_notifiers;
    memcpy(notifiers, session->notifiers, sizeof notifiers);
    pthread_mutex_unlock(&state);
    for (int i = 0; i < n; i++) {
        notifiers[i].notifier_fn(notifiers[i].context, session->effective % 8, session->effective / 8,
                                 FASTRPC_USER_PD_EXCEPTION);
    }
}

static void process_died(void *context) {
    struct process *process = context;
    if (mark_dead(process)) {
        log_line("pd %d: died", process->session->effective);
        report_death(process->session);
        queues_died(process->session);
    }
}

int session_result(struct process *process, int result) {
    if (result != ENGINE_DEAD) {
        return result;
    }
    process_died(process);
    pthread_mutex_lock(&state);
    bool first = !process->blamed;
    process->blamed = true;
    pthread_mutex_unlock(&state);
    return first ? AEE_DSP(AEE_EBADSTATE) : AEE_ECONNRESET;
}

bool session_kill(struct session *session) {
    struct process *process = session_use(session);
    if (process == NULL) {
        pthread_mutex_lock(&state);
        bool empty = session->exists && !session->dead && session->process == NULL;
        session->dead = session->dead || empty;
        pthread_mutex_unlock(&state);
        if (empty) {
            report_death(session);
            queues_died(session);
        }
        return empty;
    }
    process_died(process);
    process->engine->kill(process->pd);
    process_put(process);
    return true;
}

/* Requires open_lock. Ends the session; its handles become unknown. */
static void end(struct session *session) {
    pthread_mutex_lock(&state);
    struct process *process = session->process;
    session->process = NULL;
    session->exists = false;
    session->dead = false;
    session->live = 0;
    session->n_queues = 0;
    session->polls = false;
    session->epoch++;
    struct handle **link = &handles;
    while (*link != NULL) {
        struct handle *handle = *link;
        if (handle->session == session) {
            *link = handle->next;
            free(handle);
        } else {
            link = &handle->next;
        }
    }
    pthread_mutex_unlock(&state);
    if (process != NULL) {
        process->engine->kill(process->pd);
        process_put(process);
    }
    queues_died(session);
    mappings_clear(session);
}

void session_destroy(struct session *session) {
    pthread_mutex_lock(&session->open_lock);
    end(session);
    pthread_mutex_unlock(&session->open_lock);
}

/* --- Start --- */

/* Requires open_lock. */
static int begin(struct session *session) {
    if (option_get(OPTION_device) == 0) {
        return AEE_ECONNREFUSED;
    }
    pthread_mutex_lock(&state);
    int code = session->exists && session->dead ? AEE_ECONNRESET : AEE_SUCCESS;
    session->exists = true;
    pthread_mutex_unlock(&state);
    return code;
}

/* Requires open_lock. Ends a session without handles and queues. */
static void end_if_unused(struct session *session) {
    pthread_mutex_lock(&state);
    bool unused = session->exists && session->live == 0;
    pthread_mutex_unlock(&state);
    if (unused) {
        end(session);
    }
}

static int make_process(struct session *session, const struct engine *engine) {
    struct process *process = calloc(1, sizeof *process);
    if (process == NULL) {
        return AEE_ENOMEMORY;
    }
    struct engine_config config = {
        .effective_domain = session->effective,
        .is_unsigned = session->is_unsigned,
        .thread_priority = (uint32_t)session->thread_priority,
        .thread_stack = (uint32_t)session->thread_stack,
        .arch = (uint32_t)option_get(OPTION_arch),
        .hardware_threads = (uint32_t)option_get(OPTION_threads),
        .vtcm_bytes = (uint32_t)option_get(OPTION_vtcm),
        .dma = (uint32_t)option_get(OPTION_dma),
        .heap_bytes = (uint32_t)option_get(OPTION_heap),
        .incoherent = option_get(OPTION_incoherent) != 0,
        .skip_maintenance = (uint32_t)option_get(OPTION_skip_maintenance),
        .stall_at = (uint32_t)option_get(OPTION_stall_at),
        .map_sizes = (uint32_t)option_get(OPTION_map_sizes),
        .power = (int32_t)(uint32_t)option_get(OPTION_power),
        .dspqueue_import = (int32_t)(uint32_t)option_get(OPTION_dspqueue_import),
        .map_limit = (uint64_t)option_get(OPTION_map_limit),
        .died = process_died,
        .context = process,
    };
    process->engine = engine;
    process->session = session;
    pthread_mutex_lock(&session->lock);
    int code = engine->create(&config, &process->pd);
    if (code == AEE_SUCCESS) {
        process_add(process);
        pthread_mutex_lock(&state);
        session->process = process;
        pthread_mutex_unlock(&state);
        mappings_hand_over(session, process);
        queues_hand_over(session, process);
    } else {
        free(process);
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

/* Loads the skel into the session's process, which is created if needed. *process comes with a use. */
static int load(struct session *session, const struct module_uri *uri, struct process **process, uint32_t *module) {
    char path[PATH_MAX];
    if (!skel_find(session->effective % 8, uri->file, path, sizeof path)) {
        return AEE_DSP(AEE_EUNABLETOLOAD);
    }
    const struct engine *engine = engine_for_skel(path);
    if (engine == NULL) {
        return AEE_DSP(AEE_EUNABLETOLOAD);
    }
    pthread_mutex_lock(&state);
    bool fresh = session->process == NULL;
    pthread_mutex_unlock(&state);
    int code = fresh ? make_process(session, engine) : AEE_SUCCESS;
    if (code != AEE_SUCCESS) {
        return code;
    }
    *process = session_use(session);
    if (*process == NULL) {
        return AEE_ECONNRESET;
    }
    if ((*process)->engine != engine) {
        log_line("loader: %s needs the %s engine, but this session runs on the %s engine", path, engine->name,
                 (*process)->engine->name);
        return AEE_DSP(AEE_EUNABLETOLOAD);
    }
    return session_result(*process, engine->load((*process)->pd, process_caller(), path, uri->entry, module));
}

static int call_open(struct process *process, uint32_t module, const char *uri, uint64_t *skel_handle) {
    uint32_t length = (uint32_t)strlen(uri) + 1;
    struct engine_arg args[] = {
        {.kind = ENGINE_IN, .data = &length, .size = sizeof length},
        {.kind = ENGINE_IN, .data = (void *)(uintptr_t)uri, .size = length},
        {.kind = ENGINE_OUT_HANDLE},
    };
    struct engine_call call = {process_caller(), module, 0, SCALARS(METHOD_OPEN, 2, 0, 0, 1), 3, args};
    int result = 0;
    int code = session_result(process, process->engine->invoke(process->pd, &call, &result));
    *skel_handle = args[2].handle;
    return code != AEE_SUCCESS ? code : errno_to_aee(result);
}

/* Requires open_lock. */
static int open_module(struct session *session, const struct module_uri *uri, const char *text,
                       remote_handle64 *opened) {
    struct handle *handle = calloc(1, sizeof *handle);
    struct process *process = NULL;
    int code = handle != NULL ? begin(session) : AEE_ENOMEMORY;
    if (code == AEE_SUCCESS) {
        code = load(session, uri, &process, &handle->module);
    }
    if (code == AEE_SUCCESS) {
        code = call_open(process, handle->module, text, &handle->skel_handle);
    }
    if (process != NULL) {
        process_put(process);
    }
    if (code != AEE_SUCCESS) {
        free(handle);
        return code;
    }
    handle->session = session;
    pthread_mutex_lock(&state);
    handle->next = handles;
    handles = handle;
    session->live++;
    pthread_mutex_unlock(&state);
    *opened = (remote_handle64)(uintptr_t)handle;
    return AEE_SUCCESS;
}

int session_open(const char *text, remote_handle64 *handle) {
    struct module_uri uri;
    int code = handle != NULL ? uri_parse(text, &uri) : AEE_EBADPARM;
    if (code != AEE_SUCCESS) {
        return code > 0 || option_get(OPTION_device) != 0 ? code : AEE_ECONNREFUSED;
    }
    struct session *session = &sessions[uri.effective];
    pthread_mutex_lock(&session->open_lock);
    code = open_module(session, &uri, text, handle);
    end_if_unused(session);
    pthread_mutex_unlock(&session->open_lock);
    return code;
}

/* --- Handles --- */

/* Requires the state lock. */
static struct handle *find(remote_handle64 value) {
    struct handle *handle = handles;
    while (handle != NULL && (remote_handle64)(uintptr_t)handle != value) {
        handle = handle->next;
    }
    return handle;
}

struct session *session_of(remote_handle64 value) {
    pthread_mutex_lock(&state);
    struct handle *handle = find(value);
    struct session *session = handle != NULL ? handle->session : NULL;
    pthread_mutex_unlock(&state);
    return session;
}

int session_target(remote_handle64 value, struct target *target) {
    target->process = NULL;
    pthread_mutex_lock(&state);
    struct handle *handle = find(value);
    int code = AEE_SUCCESS;
    if (handle != NULL && (handle->session->dead || handle->session->process == NULL)) {
        code = AEE_ECONNRESET;
    } else if (handle != NULL && handle->closed) {
        code = AEE_DSP(AEE_ENOSUCHMOD);
    } else if (handle != NULL) {
        target->process = handle->session->process;
        process_get(target->process);
        target->module = handle->module;
        target->skel_handle = handle->skel_handle;
    }
    pthread_mutex_unlock(&state);
    return code;
}

static void call_close(const struct target *target) {
    struct engine_arg arg = {.kind = ENGINE_IN_HANDLE, .handle = target->skel_handle};
    struct engine_call call = {process_caller(), target->module, 0, SCALARS(METHOD_CLOSE, 0, 0, 1, 0), 1, &arg};
    int result = 0;
    session_result(target->process, target->process->engine->invoke(target->process->pd, &call, &result));
}

/* Closing the last handle ends the process without calling the skel. Closing one of several calls the skel's close and
 * keeps the record; closing that handle again destroys the session, as the real library does. */
int session_close(remote_handle64 value) {
    struct session *session = session_of(value);
    if (session == NULL) {
        return AEE_EINVHANDLE;
    }
    pthread_mutex_lock(&session->open_lock);
    pthread_mutex_lock(&state);
    struct handle *handle = find(value);
    bool known = handle != NULL && handle->session == session;
    bool ends = known && (handle->closed || session->live == 1);
    pthread_mutex_unlock(&state);
    if (ends) {
        end(session);
    } else if (known) {
        struct target target;
        if (session_target(value, &target) == AEE_SUCCESS && target.process != NULL) {
            call_close(&target);
            process_put(target.process);
        }
        pthread_mutex_lock(&state);
        handle->closed = true;
        session->live--;
        pthread_mutex_unlock(&state);
    }
    pthread_mutex_unlock(&session->open_lock);
    return known ? AEE_SUCCESS : AEE_EINVHANDLE;
}

int session_add_queue(struct session *session, uint64_t *epoch) {
    pthread_mutex_lock(&session->open_lock);
    int code = begin(session);
    if (code == AEE_SUCCESS) {
        pthread_mutex_lock(&state);
        session->live += session->n_queues++ == 0;
        *epoch = session->epoch;
        pthread_mutex_unlock(&state);
    }
    pthread_mutex_unlock(&session->open_lock);
    return code;
}

void session_remove_queue(struct session *session, uint64_t epoch) {
    pthread_mutex_lock(&session->open_lock);
    pthread_mutex_lock(&state);
    bool last = session->epoch == epoch && --session->n_queues == 0;
    session->live -= last;
    pthread_mutex_unlock(&state);
    if (last) {
        end_if_unused(session);
    }
    pthread_mutex_unlock(&session->open_lock);
}
