/* SPDX-License-Identifier: MIT
 *
 * The QEMU engine: a PD is a process, pyhexagon-pd under qemu-hexagon, that runs the board's skel itself.
 */
#define _GNU_SOURCE
#include "engine_qemu.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "aee.h"
#include "large.h"
#include "uri.h"

struct mapping {
    uint64_t id;
    uint32_t address;
    bool mapped, kept; /* by fastrpc_mmap; for invokes */
    size_t size;
};

/* Sends one request and receives its reply. The caller holds `control`. */
static int ask(struct engine_pd *pd, const struct pd_request *request, int fd, uint32_t *value) {
    struct pd_request copy = *request;
    struct iovec vector = {&copy, sizeof copy};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights = {0};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = rights.bytes;
        message.msg_controllen = sizeof rights.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    struct pd_reply reply;
    ssize_t n;
    do {
        n = sendmsg(pd->process.control, &message, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return ENGINE_DEAD;
    }
    do {
        n = recv(pd->process.control, &reply, sizeof reply, 0);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof reply) {
        return ENGINE_DEAD;
    }
    if (value) {
        *value = reply.value;
    }
    return (int)reply.status;
}

int qemu_ask(struct engine_pd *pd, const struct pd_request *request, int fd, uint32_t *value) {
    pthread_mutex_lock(&pd->control);
    int rc = ask(pd, request, fd, value);
    pthread_mutex_unlock(&pd->control);
    return rc;
}

static void ended(void *context) {
    struct engine_pd *pd = context;
    qemu_channels_kill(pd);
    if (atomic_exchange(&pd->announce, false)) {
        pd->config.died(pd->config.context);
    }
}

static void qemu_kill(struct engine_pd *pd) {
    atomic_store(&pd->announce, false);
    qemu_process_kill(&pd->process);
    qemu_channels_kill(pd);
}

static void pd_free(struct engine_pd *pd) {
    qemu_channels_free(pd);
    pthread_mutex_destroy(&pd->channels_lock);
    pthread_mutex_destroy(&pd->control);
    free(pd->mappings);
    free(pd);
}

static void qemu_destroy(struct engine_pd *pd) {
    qemu_process_join(&pd->process);
    pd_free(pd);
}

static int qemu_create(const struct engine_config *config, struct engine_pd **out) {
    struct engine_pd *pd = calloc(1, sizeof *pd);
    if (!pd) {
        return AEE_ENOMEMORY;
    }
    pd->config = *config;
    pthread_mutex_init(&pd->control, NULL);
    pthread_mutex_init(&pd->channels_lock, NULL);
    pd->process.on_end = ended;
    pd->process.context = pd;
    pd->process.arch = config->arch;
    if (!qemu_process_start(&pd->process)) {
        pd_free(pd);
        return AEE_ECONNREFUSED;
    }
    struct pd_request request = {
        .kind = PD_START,
        .config = {.thread_priority = config->thread_priority,
                   .thread_stack = config->thread_stack,
                   .arch = config->arch,
                   .hardware_threads = config->hardware_threads,
                   .vtcm_bytes = config->vtcm_bytes,
                   .dma = config->dma,
                   .power = config->power,
                   .dspqueue_import = config->dspqueue_import,
                   .map_sizes = config->map_sizes,
                   .heap_bytes = config->heap_bytes,
                   .incoherent = config->incoherent,
                   .skip_maintenance = config->skip_maintenance,
                   .stall_at = config->stall_at,
                   .is_unsigned = config->is_unsigned},
    };
    snprintf(request.config.domain, sizeof request.config.domain, "%s", domain_name(config->effective_domain % 8));
    int rc = qemu_ask(pd, &request, -1, NULL);
    if (rc != 0) {
        qemu_kill(pd);
        qemu_destroy(pd);
        return rc == ENGINE_DEAD ? AEE_ECONNREFUSED : rc;
    }
    atomic_store(&pd->announce, true);
    if (atomic_load(&pd->dead) && atomic_exchange(&pd->announce, false)) {
        qemu_destroy(pd); /* it ended between its answer and the previous line */
        return AEE_ECONNREFUSED;
    }
    *out = pd;
    return 0;
}

static struct mapping *find_mapping(struct engine_pd *pd, uint64_t id) {
    for (size_t i = 0; i < pd->n_mappings; i++) {
        if (pd->mappings[i].id == id) {
            return &pd->mappings[i];
        }
    }
    return NULL;
}

/* Maps the memory in the PD for `kind`, PD_MAP or PD_KEEP, unless it is mapped already. Both share one address. */
static int map_for(struct engine_pd *pd, uint32_t kind, const struct engine_memory *memory, uint32_t *address) {
    pthread_mutex_lock(&pd->control);
    int rc = 0;
    struct mapping *mapping = find_mapping(pd, memory->id);
    if (!mapping) {
        struct mapping *more = NULL;
        if (memory->size <= pd->config.map_limit && pd->mapped_bytes <= pd->config.map_limit - memory->size) {
            more = realloc(pd->mappings, (pd->n_mappings + 1) * sizeof *more);
        }
        if (more) {
            pd->mappings = more;
            mapping = &more[pd->n_mappings];
            *mapping = (struct mapping){.id = memory->id, .size = memory->size};
        }
    }
    if (!mapping) {
        rc = AEE_DSP(AEE_ENOMEMORY);
    } else if (kind == PD_MAP ? !mapping->mapped : !mapping->kept) {
        struct pd_request request = {.kind = kind, .fd = memory->fd, .id = memory->id, .size = memory->size};
        rc = large_share(memory->fd) ? ask(pd, &request, memory->fd, &mapping->address) : AEE_DSP(AEE_ENOMEMORY);
        if (rc == 0) {
            if (mapping == pd->mappings + pd->n_mappings) {
                pd->n_mappings++;
                pd->mapped_bytes += mapping->size;
            }
            mapping->mapped |= kind == PD_MAP;
            mapping->kept |= kind == PD_KEEP;
        }
    }
    if (rc == 0) {
        *address = mapping->address;
    }
    pthread_mutex_unlock(&pd->control);
    return rc;
}

static int unmap_for(struct engine_pd *pd, uint32_t kind, uint64_t id) {
    pthread_mutex_lock(&pd->control);
    int rc = 0;
    struct mapping *mapping = find_mapping(pd, id);
    if (mapping && (kind == PD_UNMAP ? mapping->mapped : mapping->kept)) {
        struct pd_request request = {.kind = kind, .id = id};
        rc = ask(pd, &request, -1, NULL);
        if (rc == 0) {
            mapping->mapped &= kind != PD_UNMAP;
            mapping->kept &= kind != PD_FORGET;
            if (!mapping->mapped && !mapping->kept) {
                pd->mapped_bytes -= mapping->size;
                *mapping = pd->mappings[--pd->n_mappings];
            }
        }
    }
    pthread_mutex_unlock(&pd->control);
    return rc;
}

int qemu_keep(struct engine_pd *pd, const struct engine_memory *memory, uint32_t *address) {
    return map_for(pd, PD_KEEP, memory, address);
}

static int qemu_map(struct engine_pd *pd, const struct engine_memory *memory, uint64_t *address) {
    uint32_t place = 0;
    int rc = map_for(pd, PD_MAP, memory, &place);
    *address = place;
    return rc;
}

static int qemu_unmap(struct engine_pd *pd, uint64_t memory_id) {
    return unmap_for(pd, PD_UNMAP, memory_id);
}

static void qemu_forget(struct engine_pd *pd, uint64_t memory_id) {
    unmap_for(pd, PD_FORGET, memory_id);
}

static int qemu_attach_queue(struct engine_pd *pd, const struct engine_queue *queue) {
    struct pd_request request = {.kind = PD_ATTACH_QUEUE, .id = queue->id, .size = queue->memory.size};
    return qemu_ask(pd, &request, queue->memory.fd, NULL);
}

static int qemu_detach_queue(struct engine_pd *pd, uint64_t queue_id) {
    struct pd_request request = {.kind = PD_DETACH_QUEUE, .id = queue_id};
    return qemu_ask(pd, &request, -1, NULL);
}

static void qemu_stall(struct engine_pd *pd, bool on) {
    struct pd_request request = {.kind = PD_STALL, .id = on};
    qemu_ask(pd, &request, -1, NULL);
}

static void qemu_stall_at(struct engine_pd *pd, uint32_t nth) {
    struct pd_request request = {.kind = PD_STALL_AT, .id = nth};
    qemu_ask(pd, &request, -1, NULL);
}

static bool qemu_is_stalled(struct engine_pd *pd) {
    struct pd_request request = {.kind = PD_IS_STALLED};
    uint32_t value = 0;
    return qemu_ask(pd, &request, -1, &value) == 0 && value != 0;
}

const struct engine engine_qemu = {
    .name = "qemu",
    .elf_machine = EM_QDSP6,
    .elf_class = ELFCLASS32,
    .create = qemu_create,
    .load = qemu_load,
    .invoke = qemu_invoke,
    .caller_gone = qemu_caller_gone,
    .map = qemu_map,
    .unmap = qemu_unmap,
    .forget = qemu_forget,
    .attach_queue = qemu_attach_queue,
    .detach_queue = qemu_detach_queue,
    .stall = qemu_stall,
    .stall_at = qemu_stall_at,
    .is_stalled = qemu_is_stalled,
    .kill = qemu_kill,
    .destroy = qemu_destroy,
};
