/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "session.h"
#include "shell/pd.h"

#define ALL_DOMAINS (-1)
#define KEEP (-1)
#define MIN_STACK 16384
#define MAX_STACK 8388608
#define MIN_INITMEM (3u << 20)
#define MAX_INITMEM (200u << 20)
#define MAX_ATTRIBUTE 260
#define POLL_LIMIT_US 10000

/* Sessions allocated by FASTRPC_RESERVE_NEW_SESSION, per domain; never returned. */
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;
static int reserved[N_DOMAINS];

/* --- Settings, per session or for all sessions --- */

static int set_unsigned(struct session *session, int enable) {
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&session->lock);
    if (session->is_unsigned != (enable != 0)) {
        if (session_exists(session)) {
            code = AEE_EALREADYLOADED;
        } else {
            session->is_unsigned = enable != 0;
        }
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

/* Applies to threads of processes created later. */
static int set_threads(struct session *session, const struct remote_rpc_thread_params *params) {
    pthread_mutex_lock(&session->lock);
    session->thread_priority = params->prio != KEEP ? params->prio : session->thread_priority;
    session->thread_stack = params->stack_size != KEEP ? params->stack_size : session->thread_stack;
    pthread_mutex_unlock(&session->lock);
    return AEE_SUCCESS;
}

static int set_one(struct session *session, uint32_t request, const void *data) {
    const struct remote_rpc_control_unsigned_module *module = data;
    return request == FASTRPC_THREAD_PARAMS ? set_threads(session, data) : set_unsigned(session, module->enable);
}

static int set(uint32_t request, int domain, const void *data) {
    if (domain != ALL_DOMAINS) {
        struct session *session = session_get(domain);
        return session != NULL ? set_one(session, request, data) : AEE_EBADPARM;
    }
    int code = AEE_SUCCESS;
    for (int i = 0; i < N_EFFECTIVE; i++) {
        struct session *session = session_get(i);
        int one = session != NULL ? set_one(session, request, data) : AEE_SUCCESS;
        code = code == AEE_SUCCESS ? one : code;
    }
    return code;
}

static int thread_params(const struct remote_rpc_thread_params *params) {
    bool bad = (params->prio != KEEP && (params->prio < 1 || params->prio > 255)) ||
               (params->stack_size != KEEP && (params->stack_size < MIN_STACK || params->stack_size > MAX_STACK));
    return bad ? AEE_EBADPARM : set(FASTRPC_THREAD_PARAMS, params->domain, params);
}

static int initmem_size(struct session *session, uint32_t size) {
    if (session->is_unsigned) {
        return AEE_EUNSUPPORTED;
    }
    return size < MIN_INITMEM || size > MAX_INITMEM ? AEE_EBADPARM : AEE_SUCCESS;
}

/* --- Requests that need a session --- */

static int session_close_request(struct session *session) {
    if (!session_exists(session)) {
        return AEE_EUNKNOWN;
    }
    session_destroy(session); /* the real library crashes here while handles are open */
    return AEE_SUCCESS;
}

static int with_domain(uint32_t request, int domain, void *data) {
    struct session *session = session_get(domain);
    struct remote_process_type *type = data;
    if (session == NULL) {
        if (request == FASTRPC_REMOTE_PROCESS_TYPE) {
            type->process_type = -1;
        }
        return AEE_EBADPARM;
    }
    bool exists = session_exists(session);
    switch (request) {
    case FASTRPC_REMOTE_PROCESS_KILL:
        return exists ? AEE_EUNSUPPORTED : AEE_ERPC;
    case FASTRPC_SESSION_CLOSE:
        return session_close_request(session);
    case FASTRPC_CONTROL_PD_DUMP:
        return exists ? AEE_ERPC : AEE_SUCCESS;
    case FASTRPC_REMOTE_PROCESS_EXCEPTION:
        return exists && session_kill(session) ? AEE_SUCCESS : AEE_ERPC;
    case FASTRPC_REMOTE_PROCESS_TYPE:
        type->process_type = session->is_unsigned ? PROCESS_TYPE_UNSIGNED : PROCESS_TYPE_SIGNED;
        return AEE_SUCCESS;
    case FASTRPC_PD_INITMEM_SIZE:
        return initmem_size(session, ((struct remote_rpc_pd_initmem_size *)data)->pd_initmem_size);
    default:
        return AEE_SUCCESS; /* FASTRPC_RELATIVE_THREAD_PRIORITY */
    }
}

/* --- Sessions beyond the first, and URIs --- */

static int reserve(remote_rpc_reserve_new_session_t *request) {
    int domain = domain_by_name(request->domain_name, request->domain_name_len);
    if (domain < 0) {
        return AEE_EBADPARM;
    }
    pthread_mutex_lock(&reserve_lock);
    int code = reserved[domain] < N_SESSIONS - 1 ? AEE_SUCCESS : AEE_ENOSESSION;
    if (code == AEE_SUCCESS) {
        request->session_id = (uint32_t)++reserved[domain];
        request->effective_domain_id = (uint32_t)domain + 8 * request->session_id;
    }
    pthread_mutex_unlock(&reserve_lock);
    return code;
}

static int effective_id(remote_rpc_effective_domain_id_t *request) {
    int domain = domain_by_name(request->domain_name, request->domain_name_len);
    if (domain < 0 || request->session_id >= N_SESSIONS) {
        return AEE_EBADPARM;
    }
    request->effective_domain_id = (uint32_t)domain + 8 * request->session_id;
    return AEE_SUCCESS;
}

static int get_uri(remote_rpc_get_uri_t *request) {
    int domain = domain_by_name(request->domain_name, request->domain_name_len);
    if (domain < 0 || request->session_id >= N_SESSIONS || request->module_uri == NULL || request->uri == NULL ||
        request->uri_len <= request->module_uri_len) {
        return AEE_EBADPARM;
    }
    int n = snprintf(request->uri, request->uri_len, "%.*s&_dom=%s&_session=%u", (int)request->module_uri_len,
                     request->module_uri, domain_name(domain), request->session_id);
    return n >= 0 && (uint32_t)n < request->uri_len ? AEE_SUCCESS : AEE_EBADSIZE;
}

/* For one session: no client of the loopback registers for all of them. */
static int notify(const remote_rpc_notif_register_t *request) {
    struct session *session = request->domain != ALL_DOMAINS ? session_get(request->domain) : NULL;
    if (session == NULL) {
        return AEE_EBADPARM;
    }
    return session_notify(session, request) ? AEE_SUCCESS : AEE_ENOMEMORY;
}

static uint32_t session_request_size(uint32_t request) {
    switch (request) {
    case FASTRPC_THREAD_PARAMS:
        return sizeof(struct remote_rpc_thread_params);
    case DSPRPC_CONTROL_UNSIGNED_MODULE:
        return sizeof(struct remote_rpc_control_unsigned_module);
    case FASTRPC_RELATIVE_THREAD_PRIORITY:
        return sizeof(struct remote_rpc_relative_thread_priority);
    case FASTRPC_REMOTE_PROCESS_KILL:
    case FASTRPC_REMOTE_PROCESS_EXCEPTION:
        return sizeof(struct remote_rpc_process_clean_params);
    case FASTRPC_SESSION_CLOSE:
        return sizeof(struct remote_rpc_session_close);
    case FASTRPC_CONTROL_PD_DUMP:
        return sizeof(struct remote_rpc_control_pd_dump);
    case FASTRPC_REMOTE_PROCESS_TYPE:
        return sizeof(struct remote_process_type);
    case FASTRPC_REGISTER_STATUS_NOTIFICATIONS:
        return sizeof(remote_rpc_notif_register_t);
    case FASTRPC_PD_INITMEM_SIZE:
        return sizeof(struct remote_rpc_pd_initmem_size);
    case FASTRPC_RESERVE_NEW_SESSION:
        return sizeof(remote_rpc_reserve_new_session_t);
    case FASTRPC_GET_EFFECTIVE_DOMAIN_ID:
        return sizeof(remote_rpc_effective_domain_id_t);
    case FASTRPC_GET_URI:
        return sizeof(remote_rpc_get_uri_t);
    case FASTRPC_CONTEXT_CREATE:
        return sizeof(fastrpc_context_create);
    case FASTRPC_CONTEXT_DESTROY:
        return sizeof(fastrpc_context_destroy);
    default:
        return 0;
    }
}

int control_session(uint32_t request, void *data, uint32_t size) {
    uint32_t wanted = session_request_size(request);
    if (wanted == 0) {
        return AEE_EUNSUPPORTED;
    }
    if (data == NULL || size != wanted) {
        return AEE_EBADPARM;
    }
    switch (request) {
    case FASTRPC_THREAD_PARAMS:
        return thread_params(data);
    case DSPRPC_CONTROL_UNSIGNED_MODULE:
        return set(request, ((struct remote_rpc_control_unsigned_module *)data)->domain, data);
    case FASTRPC_REGISTER_STATUS_NOTIFICATIONS:
        return notify(data);
    case FASTRPC_RESERVE_NEW_SESSION:
        return reserve(data);
    case FASTRPC_GET_EFFECTIVE_DOMAIN_ID:
        return effective_id(data);
    case FASTRPC_GET_URI:
        return get_uri(data);
    case FASTRPC_CONTEXT_CREATE:
    case FASTRPC_CONTEXT_DESTROY:
        return AEE_ECONNREFUSED;
    default:
        return with_domain(request, *(int *)data, data); /* all of these start with the domain */
    }
}

/* --- Requests about a handle or the default domain --- */

static int dsp_info(fastrpc_capability *capability) {
    struct session *session = capability != NULL ? session_get((int)capability->domain) : NULL;
    if (session == NULL || capability->attribute_ID >= MAX_ATTRIBUTE) {
        return AEE_EBADPARM;
    }
    capability->capability = 0;
    if (option_get(OPTION_device) == 0) {
        return capability->attribute_ID == DOMAIN_SUPPORT ? AEE_SUCCESS : AEE_ECONNREFUSED;
    }
    int domain = session->effective % 8;
    bool has_hvx = domain == CDSP_DOMAIN_ID || domain == CDSP1_DOMAIN_ID;
    switch (capability->attribute_ID) {
    case DOMAIN_SUPPORT:
        capability->capability = 1;
        break;
    case UNSIGNED_PD_SUPPORT:
        capability->capability = option_get(OPTION_unsigned) != 0;
        break;
    case HVX_SUPPORT_128B:
        capability->capability = has_hvx ? (uint32_t)option_get(OPTION_threads) : 0;
        break;
    case VTCM_PAGE:
        capability->capability = has_hvx ? SHELL_VTCM_PAGE : 0;
        break;
    case VTCM_COUNT:
        capability->capability = has_hvx ? (uint32_t)option_get(OPTION_vtcm) / SHELL_VTCM_PAGE : 0;
        break;
    case ARCH_VER:
        capability->capability = (uint32_t)option_get(OPTION_arch);
        break;
    default:
        break;
    }
    return AEE_SUCCESS;
}

static int latency(int domain, const struct remote_rpc_control_latency *request) {
    struct session *session = session_get(domain);
    switch (request->enable) {
    case RPC_PM_QOS:
    case RPC_ADAPTIVE_QOS:
        return AEE_SUCCESS;
    case RPC_DISABLE_QOS:
    case RPC_POLL_QOS:
        if (session == NULL || !session_exists(session)) {
            return AEE_ECONNREFUSED;
        }
        if (request->latency >= POLL_LIMIT_US) {
            return AEE_EBADPARM;
        }
        if (!option_get(OPTION_poll)) {
            return AEE_EUNSUPPORTED;
        }
        atomic_store(&session->polls, request->enable == RPC_POLL_QOS);
        return AEE_SUCCESS;
    default:
        return AEE_EBADPARM;
    }
}

int control_handle(int domain, uint32_t request, void *data, uint32_t size) {
    switch (request) {
    case DSPRPC_CONTROL_LATENCY:
        return data == NULL || size != sizeof(struct remote_rpc_control_latency) ? AEE_EBADPARM : latency(domain, data);
    case DSPRPC_GET_DSP_INFO:
        return dsp_info(data); /* the length is not checked */
    case DSPRPC_CONTROL_WAKELOCK:
        return AEE_EUNSUPPORTEDAPI;
    case DSPRPC_GET_DOMAIN:
        if (data == NULL || size != sizeof(remote_rpc_get_domain_t)) {
            return AEE_EBADPARM;
        }
        ((remote_rpc_get_domain_t *)data)->domain = domain;
        return AEE_SUCCESS;
    default:
        return AEE_EUNSUPPORTED;
    }
}
