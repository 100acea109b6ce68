/* SPDX-License-Identifier: MIT */
#include "mapping.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer.h"
#include "log.h"
#include "rates.h"

/* Protected by the session's lock. */
struct mapping {
    struct mapping *next;
    struct engine_memory memory;
    uintptr_t address; /* the caller's own address */
    uint32_t references;
    bool is_remote; /* by remote_mem_map: identified by remote_address, not by fd */
    uint64_t remote_address;
};

static struct mapping *find(struct session *session, int fd) {
    struct mapping *mapping = session->mappings;
    while (mapping != NULL && (mapping->is_remote || mapping->memory.fd != fd)) {
        mapping = mapping->next;
    }
    return mapping;
}

static void drop(struct session *session, struct mapping *mapping) {
    struct mapping **link = &session->mappings;
    while (*link != mapping) {
        link = &(*link)->next;
    }
    *link = mapping->next;
    free(mapping);
}

/* Checks as the kernel does: the fd must be memory of at least that length. */
static bool is_memory(int fd, size_t length) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size >= length;
}

/* Requires the session's lock. Creates the mapping in the process, if there is one yet. */
static int add(struct session *session, struct mapping *mapping) {
    struct process *process = session_use(session);
    int code = AEE_SUCCESS;
    if (process != NULL) {
        code = session_result(process, process->engine->map(process->pd, &mapping->memory, &mapping->remote_address));
        process_put(process);
    } else if (mapping->is_remote) {
        code = AEE_ENOTINITIALIZED; /* without a process there is no address */
    }
    if (code == AEE_SUCCESS) {
        mapping->next = session->mappings;
        session->mappings = mapping;
    } else {
        free(mapping);
    }
    return code;
}

int mapping_add(int domain, int fd, void *address, int offset, size_t length, uint32_t flags) {
    struct session *session = session_get(domain);
    if (session == NULL || fd < 0 || offset != 0 || length == 0 || flags == FASTRPC_MAP_RESERVED ||
        flags > FASTRPC_MAP_FD_NOMAP) {
        return AEE_EBADPARM;
    }
    if (!session_exists(session)) {
        return AEE_ENOTINITIALIZED;
    }
    rates_wait(RATES_MAP, (double)length / (1 << 20));
    pthread_mutex_lock(&session->lock);
    int code;
    struct mapping *mapping = NULL;
    if (find(session, fd) != NULL) {
        code = AEE_EALREADY;
    } else if (!is_memory(fd, length)) {
        code = AEE_EBADPARM;
    } else if ((mapping = calloc(1, sizeof *mapping)) == NULL) {
        code = AEE_ENOMEMORY;
    } else {
        mapping->memory = (struct engine_memory){buffer_memory_id(fd, length), fd, length};
        mapping->address = (uintptr_t)address;
        code = add(session, mapping);
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

/* Requires the session's lock. Returns 0x14, and keeps the record, if the process refuses. */
static int remove_mapping(struct session *session, struct mapping *mapping) {
    struct process *process = session_use(session);
    int code = AEE_SUCCESS;
    if (process != NULL) {
        code = process->engine->unmap(process->pd, mapping->memory.id);
        process_put(process);
    }
    if (code != AEE_SUCCESS && code != ENGINE_DEAD) {
        return AEE_EUNSUPPORTED;
    }
    drop(session, mapping);
    return AEE_SUCCESS;
}

int mapping_remove(int domain, int fd) {
    struct session *session = session_get(domain);
    if (session == NULL) {
        return AEE_EBADPARM;
    }
    if (!session_exists(session)) {
        return AEE_ENOTINITIALIZED;
    }
    pthread_mutex_lock(&session->lock);
    struct mapping *mapping = find(session, fd);
    int code;
    if (mapping == NULL) {
        code = AEE_ENOSUCHMAP;
    } else if (mapping->references != 0) {
        code = AEE_EBADPARM;
    } else {
        code = remove_mapping(session, mapping);
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

int mapping_add_remote(int domain, int fd, int flags, uint64_t address, size_t length, uint64_t *remote_address) {
    struct session *session = session_get(domain);
    if (session == NULL || fd < 0 || flags != REMOTE_MAP_MEM_STATIC || length == 0 || remote_address == NULL) {
        return AEE_EBADPARM;
    }
    if (!session_exists(session)) {
        return AEE_ENOTINITIALIZED;
    }
    struct mapping *mapping = is_memory(fd, length) ? calloc(1, sizeof *mapping) : NULL;
    if (mapping == NULL) {
        return is_memory(fd, length) ? AEE_ENOMEMORY : AEE_EBADPARM;
    }
    mapping->memory = (struct engine_memory){memory_new_id(), fd, length};
    mapping->address = (uintptr_t)address;
    mapping->is_remote = true;
    pthread_mutex_lock(&session->lock);
    int code = add(session, mapping);
    if (code == AEE_SUCCESS) {
        *remote_address = mapping->remote_address;
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

int mapping_remove_remote(int domain, uint64_t remote_address, size_t length) {
    struct session *session = session_get(domain);
    if (session == NULL) {
        return AEE_EBADPARM;
    }
    if (!session_exists(session)) {
        return AEE_ENOTINITIALIZED;
    }
    pthread_mutex_lock(&session->lock);
    struct mapping *mapping = session->mappings;
    while (mapping != NULL &&
           !(mapping->is_remote && mapping->remote_address == remote_address && mapping->memory.size == length)) {
        mapping = mapping->next;
    }
    int code = mapping != NULL ? remove_mapping(session, mapping) : AEE_EBADPARM;
    pthread_mutex_unlock(&session->lock);
    return code;
}

/* --- Packets --- */

static int check(const struct mapping *mapping, const struct dspqueue_buffer *buffer, bool reading) {
    bool whole = buffer->size == 0 && buffer->offset == 0;
    uint64_t size = whole ? mapping->memory.size : buffer->size;
    uint64_t mapped = mapping->memory.size;
    if (size == 0 || buffer->offset > mapped || size > mapped - buffer->offset || size > UINT32_MAX) {
        return reading ? AEE_EBADITEM : AEE_EBADPARM;
    }
    bool takes = (buffer->flags & DSPQUEUE_BUFFER_FLAG_REF) != 0;
    bool drops = (buffer->flags & DSPQUEUE_BUFFER_FLAG_DEREF) != 0;
    bool bad = (takes && drops) || (buffer->flags & DSPQUEUE_BUFFER_FLAG_RESERVED_ZERO) != 0 ||
               (drops && mapping->references == 0);
    return bad ? AEE_EBADPARM : AEE_SUCCESS;
}

static void account(struct mapping *mapping, uint32_t flags, bool forward) {
    if ((flags & DSPQUEUE_BUFFER_FLAG_REF) != 0) {
        mapping->references += forward ? 1 : -1u;
    }
    if ((flags & DSPQUEUE_BUFFER_FLAG_DEREF) != 0) {
        mapping->references += forward ? -1u : 1;
    }
}

int mapping_use(struct session *session, struct dspqueue_buffer *buffers, uint32_t n_buffers, bool reading) {
    int code = AEE_SUCCESS;
    uint32_t done = 0;
    pthread_mutex_lock(&session->lock);
    for (; done < n_buffers; done++) {
        struct dspqueue_buffer *buffer = &buffers[done];
        struct mapping *mapping = find(session, (int)buffer->fd);
        code = mapping != NULL ? check(mapping, buffer, reading) : AEE_ENOSUCHMAP;
        if (code != AEE_SUCCESS) {
            break;
        }
        account(mapping, buffer->flags, true);
        if (reading) {
            buffer->size = buffer->size == 0 ? (uint32_t)mapping->memory.size : buffer->size;
            buffer->ptr = (void *)(mapping->address + buffer->offset);
        }
    }
    while (code != AEE_SUCCESS && done-- > 0) {
        account(find(session, (int)buffers[done].fd), buffers[done].flags, false);
    }
    pthread_mutex_unlock(&session->lock);
    return code;
}

/* --- Start and end of a session --- */

void mappings_hand_over(struct session *session, struct process *process) {
    for (struct mapping *m = session->mappings; m != NULL; m = m->next) {
        if (process->engine->map(process->pd, &m->memory, &m->remote_address) != AEE_SUCCESS) {
            log_line("pd %d: fd %d, mapped before the process began, cannot be mapped", session->effective,
                     m->memory.fd);
        }
    }
}

void mappings_clear(struct session *session) {
    pthread_mutex_lock(&session->lock);
    while (session->mappings != NULL) {
        drop(session, session->mappings);
    }
    pthread_mutex_unlock(&session->lock);
}
