/* SPDX-License-Identifier: MIT
 *
 * Shared memory in a PD of the host engine: its own mapping of each block, kept as long as anyone needs it (the CPU's
 * fastrpc_mmap, the arguments of invokes, or a pin by the skel), and its own mapping of each queue.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "buffer.h"
#include "host.h"

struct host_mapping {
    struct host_mapping *next;
    struct engine_memory memory;
    struct shell_cache cache; /* of an incoherent PD */
    uint8_t *base;
    bool by_map;
    bool by_invoke;
    uint32_t pins;
};

struct host_queue {
    struct host_queue *next;
    uint64_t id;
    void *block;
    size_t size;
    bool imported;
};

/* --- Mappings; these functions require the PD's lock --- */

static struct host_mapping *find(struct engine_pd *pd, uint64_t memory_id) {
    struct host_mapping *mapping = pd->mappings;
    while (mapping != NULL && mapping->memory.id != memory_id) {
        mapping = mapping->next;
    }
    return mapping;
}

static struct host_mapping *find_fd(struct engine_pd *pd, int fd) {
    struct host_mapping *mapping = pd->mappings;
    while (mapping != NULL && (mapping->memory.fd != fd || !mapping->by_map)) {
        mapping = mapping->next;
    }
    return mapping;
}

static struct host_mapping *make(struct engine_pd *pd, const struct engine_memory *memory, int *code) {
    if (memory->size > pd->config.map_limit || pd->mapped > pd->config.map_limit - memory->size) {
        *code = AEE_DSP(AEE_ENOMEMORY);
        return NULL;
    }
    struct host_mapping *mapping = calloc(1, sizeof *mapping);
    uint8_t *base = mapping != NULL ? memory_map(memory->fd, memory->size, pd->config.incoherent, &mapping->cache)
                                    : NULL;
    if (base == NULL) {
        *code = mapping != NULL ? AEE_EBADPARM : AEE_DSP(AEE_ENOMEMORY);
        free(mapping);
        return NULL;
    }
    mapping->memory = *memory;
    mapping->base = base;
    mapping->next = pd->mappings;
    pd->mappings = mapping;
    pd->mapped += memory->size;
    *code = AEE_SUCCESS;
    return mapping;
}

static void release_if_unused(struct engine_pd *pd, struct host_mapping *mapping) {
    if (mapping->by_map || mapping->by_invoke || mapping->pins != 0) {
        return;
    }
    struct host_mapping **link = &pd->mappings;
    while (*link != mapping) {
        link = &(*link)->next;
    }
    *link = mapping->next;
    if (mapping->cache.lines != NULL && !atomic_load(&pd->shell.dead)) {
        shell_cache_clean(&mapping->cache, 0, mapping->memory.size); /* dirty lines reach memory at some time */
    }
    memory_unmap(mapping->base, mapping->memory.size, &mapping->cache);
    pd->mapped -= mapping->memory.size;
    free(mapping);
}

/* --- Calls from the CPU --- */

/* Returns the PD's address of a block, which is mapped if needed: for fastrpc_mmap, or for the arguments of invokes. */
static int use(struct engine_pd *pd, const struct engine_memory *memory, bool by_map, uint8_t **address) {
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *mapping = find(pd, memory->id);
    if (mapping == NULL) {
        mapping = make(pd, memory, &code);
    }
    if (mapping != NULL) {
        mapping->by_map |= by_map;
        mapping->by_invoke |= !by_map;
        *address = mapping->base;
    }
    pthread_mutex_unlock(&pd->lock);
    return code;
}

int host_map(struct engine_pd *pd, const struct engine_memory *memory, uint64_t *address) {
    uint8_t *base = NULL;
    int code = use(pd, memory, true, &base);
    *address = (uint64_t)(uintptr_t)base;
    return code;
}

int host_map_argument(struct engine_pd *pd, const struct engine_memory *memory, uint8_t **address) {
    return use(pd, memory, false, address);
}

int host_unmap(struct engine_pd *pd, uint64_t memory_id) {
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *mapping = find(pd, memory_id);
    if (mapping != NULL) {
        mapping->by_map = false;
        release_if_unused(pd, mapping);
    }
    pthread_mutex_unlock(&pd->lock);
    return mapping != NULL ? AEE_SUCCESS : AEE_ENOSUCHMAP;
}

/* A thread of a dead PD may still use the buffer; its mapping is then freed with the PD. */
void host_forget(struct engine_pd *pd, uint64_t memory_id) {
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *mapping = find(pd, memory_id);
    if (mapping != NULL && !atomic_load(&pd->shell.dead)) {
        mapping->by_invoke = false;
        release_if_unused(pd, mapping);
    }
    pthread_mutex_unlock(&pd->lock);
}

int host_attach_queue(struct engine_pd *pd, const struct engine_queue *queue) {
    struct host_queue *own = calloc(1, sizeof *own);
    void *block = own != NULL ? mmap(NULL, queue->memory.size, PROT_READ | PROT_WRITE, MAP_SHARED, queue->memory.fd, 0)
                              : MAP_FAILED;
    if (block == MAP_FAILED) {
        free(own);
        return AEE_DSP(AEE_ENOMEMORY);
    }
    pthread_mutex_lock(&pd->lock);
    *own = (struct host_queue){pd->queues, queue->id, block, queue->memory.size, false};
    pd->queues = own;
    pthread_mutex_unlock(&pd->lock);
    return AEE_SUCCESS;
}

int host_detach_queue(struct engine_pd *pd, uint64_t queue_id) {
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&pd->lock);
    struct host_queue **link = &pd->queues;
    while (*link != NULL && (*link)->id != queue_id) {
        link = &(*link)->next;
    }
    struct host_queue *queue = *link;
    if (queue != NULL && queue->imported) {
        code = AEE_EBADPARM;
    } else if (queue != NULL) {
        *link = queue->next;
        munmap(queue->block, queue->size);
        free(queue);
    }
    pthread_mutex_unlock(&pd->lock);
    return code;
}

void host_memory_release(struct engine_pd *pd) {
    while (pd->mappings != NULL) {
        struct host_mapping *mapping = pd->mappings;
        mapping->by_map = mapping->by_invoke = false;
        mapping->pins = 0;
        release_if_unused(pd, mapping);
    }
    while (pd->queues != NULL) {
        struct host_queue *queue = pd->queues;
        pd->queues = queue->next;
        munmap(queue->block, queue->size);
        free(queue);
    }
}

/* --- Calls from the skel, through the shell --- */

static struct engine_pd *pd_of(struct shell_pd *shell) {
    return (struct engine_pd *)shell;
}

static bool look_up(struct engine_pd *pd, int fd, struct shell_mapping *mapping, uint32_t pins) {
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *found = find_fd(pd, fd);
    if (found != NULL) {
        found->pins += pins;
        mapping->address = found->base;
        mapping->size = found->memory.size;
    }
    pthread_mutex_unlock(&pd->lock);
    return found != NULL;
}

bool shell_mapping_find(struct shell_pd *shell, int fd, struct shell_mapping *mapping) {
    return look_up(pd_of(shell), fd, mapping, 0);
}

bool shell_mapping_pin(struct shell_pd *shell, int fd, struct shell_mapping *mapping) {
    return look_up(pd_of(shell), fd, mapping, 1);
}

bool shell_mapping_unpin(struct shell_pd *shell, int fd, const void *address) {
    struct engine_pd *pd = pd_of(shell);
    const uint8_t *at = address;
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *found = pd->mappings;
    while (found != NULL) {
        bool matches = fd != -1 ? found->memory.fd == fd : at >= found->base && at < found->base + found->memory.size;
        if (matches && found->pins != 0) {
            break;
        }
        found = found->next;
    }
    if (found != NULL) {
        found->pins--;
        release_if_unused(pd, found);
    }
    pthread_mutex_unlock(&pd->lock);
    return found != NULL;
}

bool shell_mapping_cache(struct shell_pd *shell, const void *address, struct shell_cache *cache) {
    struct engine_pd *pd = pd_of(shell);
    const uint8_t *at = address;
    pthread_mutex_lock(&pd->lock);
    struct host_mapping *found = pd->mappings;
    while (found != NULL && !(at >= found->base && at < found->base + found->memory.size)) {
        found = found->next;
    }
    if (found != NULL) {
        *cache = found->cache;
    }
    pthread_mutex_unlock(&pd->lock);
    return found != NULL;
}

bool shell_queue_import(struct shell_pd *shell, uint64_t id, void **block, uint32_t *size) {
    struct engine_pd *pd = pd_of(shell);
    pthread_mutex_lock(&pd->lock);
    struct host_queue *queue = pd->queues;
    while (queue != NULL && (queue->id != id || queue->imported)) {
        queue = queue->next;
    }
    if (queue != NULL) {
        queue->imported = true;
        *block = queue->block;
        *size = (uint32_t)queue->size;
    }
    pthread_mutex_unlock(&pd->lock);
    return queue != NULL;
}

void shell_queue_release(struct shell_pd *shell, uint64_t id) {
    struct engine_pd *pd = pd_of(shell);
    pthread_mutex_lock(&pd->lock);
    for (struct host_queue *queue = pd->queues; queue != NULL; queue = queue->next) {
        if (queue->id == id) {
            queue->imported = false;
        }
    }
    pthread_mutex_unlock(&pd->lock);
}
