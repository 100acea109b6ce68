/* SPDX-License-Identifier: MIT
 *
 * Memory of the host in this PD. Every mapping is surrounded by two guard pages, so a skel that overruns either end of
 * a buffer faults in every test.
 *
 * Uses the raw mmap2 call, since musl's wrapper refuses 2 GiB and more.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../aee.h"
#include "program.h"

#define PAGE 4096u
#define VTCM_ADDRESS 0xd0000000u

struct memory {
    struct memory *next;
    uint64_t id;
    int fd; /* the host's number */
    uint32_t address;
    uint64_t size;
    struct shell_cache cache; /* of an incoherent PD; its lines are at `address` */
    bool mapped, kept;        /* by fastrpc_mmap, visible to HAP_mmap_get; for invokes */
    uint32_t pins;            /* calls of HAP_mmap_get without HAP_mmap_put */
};

struct queue {
    struct queue *next;
    uint64_t id;
    uint32_t address;
    uint64_t size;
    bool imported;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *memories;
static struct queue *queues;

static uint32_t raw_map(uint32_t address, uint64_t size, int protection, int flags, int fd, uint64_t offset) {
    long result = syscall(SYS_mmap2, address, (size_t)size, protection, flags, fd, (long)(offset / PAGE));
    return result == -1 ? 0 : (uint32_t)result;
}

uint32_t memory_place(int fd, uint64_t offset, uint64_t size) {
    uint64_t whole = ((size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + 2 * PAGE;
    if (size == 0 || whole > 0xf0000000u) {
        return 0;
    }
    uint32_t guard = raw_map(0, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (guard == 0) {
        return 0;
    }
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    uint32_t address = raw_map(guard + PAGE, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, offset);
    if (address == 0) {
        syscall(SYS_munmap, guard, (size_t)whole);
    }
    return address;
}

void memory_remove(uint32_t address, uint64_t size) {
    syscall(SYS_munmap, address - PAGE, (size_t)(((size + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + 2 * PAGE));
}

uint32_t memory_vtcm(uint32_t size) {
    return size == 0 ? 0
                     : raw_map(VTCM_ADDRESS, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/* Maps the memory; the address is that of the PD's own copy if the PD is incoherent. Returns false when that fails. */
static bool place(struct memory *memory, int fd) {
    memory->address = memory_place(the_pd.incoherent ? -1 : fd, 0, memory->size);
    if (memory->address == 0 || !the_pd.incoherent) {
        return memory->address != 0;
    }
    uint32_t shared = raw_map(0, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != 0 && shell_cache_open(&memory->cache, (uint8_t *)(uintptr_t)memory->address,
                                        (uint8_t *)(uintptr_t)shared, (size_t)memory->size)) {
        return true;
    }
    if (shared != 0) {
        syscall(SYS_munmap, shared, (size_t)memory->size);
    }
    memory_remove(memory->address, memory->size);
    return false;
}

int memory_map(const struct pd_request *request, int fd, uint32_t *address) {
    pthread_mutex_lock(&lock);
    struct memory *memory = memories;
    while (memory && memory->id != request->id) {
        memory = memory->next;
    }
    if (!memory) {
        memory = calloc(1, sizeof *memory);
        if (memory) {
            memory->id = request->id;
            memory->fd = request->fd;
            memory->size = request->size;
        }
        if (!memory || !place(memory, fd)) {
            pthread_mutex_unlock(&lock);
            free(memory);
            return AEE_DSP(AEE_ENOMEMORY);
        }
        memory->next = memories;
        memories = memory;
    }
    memory->mapped |= request->kind == PD_MAP;
    memory->kept |= request->kind == PD_KEEP;
    *address = memory->address;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void release(struct memory **link) {
    struct memory *memory = *link;
    if (!memory->mapped && !memory->kept && memory->pins == 0) {
        *link = memory->next;
        if (memory->cache.lines) {
            shell_cache_clean(&memory->cache, 0, memory->cache.size); /* dirty lines reach memory at some time */
            shell_cache_close(&memory->cache);
        }
        memory_remove(memory->address, memory->size);
        free(memory);
    }
}

int memory_unmap(const struct pd_request *request) {
    pthread_mutex_lock(&lock);
    struct memory **link = &memories;
    while (*link && (*link)->id != request->id) {
        link = &(*link)->next;
    }
    if (*link) {
        (*link)->mapped &= request->kind != PD_UNMAP;
        (*link)->kept &= request->kind != PD_FORGET;
        release(link);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* --- Functions that the shell calls (shell/pd.h) --- */

static struct memory **mapped_with_fd(int fd) {
    struct memory **link = &memories;
    while (*link && !((*link)->fd == fd && (*link)->mapped)) {
        link = &(*link)->next;
    }
    return link;
}

static bool find(int fd, struct shell_mapping *mapping, uint32_t pins) {
    pthread_mutex_lock(&lock);
    struct memory *memory = *mapped_with_fd(fd);
    if (memory) {
        memory->pins += pins;
        mapping->address = (void *)(uintptr_t)memory->address;
        mapping->size = memory->size;
    }
    pthread_mutex_unlock(&lock);
    return memory != NULL;
}

bool shell_mapping_find(struct shell_pd *pd, int fd, struct shell_mapping *mapping) {
    (void)pd;
    return find(fd, mapping, 0);
}

bool shell_mapping_pin(struct shell_pd *pd, int fd, struct shell_mapping *mapping) {
    (void)pd;
    return find(fd, mapping, 1);
}

bool shell_mapping_unpin(struct shell_pd *pd, int fd, const void *address) {
    (void)pd;
    uint32_t place = (uint32_t)(uintptr_t)address;
    pthread_mutex_lock(&lock);
    struct memory **link = &memories; /* also finds memory that the host has unmapped meanwhile */
    for (; *link; link = &(*link)->next) {
        const struct memory *memory = *link;
        if (memory->pins > 0 && (fd >= 0 ? memory->fd == fd : place - memory->address < memory->size)) {
            break;
        }
    }
    bool found = *link != NULL;
    if (found) {
        (*link)->pins--;
        release(link);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static const struct memory *memory_at(uint32_t address) {
    const struct memory *memory = memories;
    while (memory && address - memory->address >= memory->size) {
        memory = memory->next;
    }
    return memory;
}

bool shell_mapping_cache(struct shell_pd *pd, const void *address, struct shell_cache *cache) {
    (void)pd;
    pthread_mutex_lock(&lock);
    const struct memory *memory = memory_at((uint32_t)(uintptr_t)address);
    if (memory) {
        *cache = memory->cache;
    }
    pthread_mutex_unlock(&lock);
    return memory != NULL;
}

uint32_t memory_past_cache(uint32_t address) {
    struct shell_cache cache;
    const uint8_t *at = (const uint8_t *)(uintptr_t)address;
    if (!the_pd.incoherent || !shell_mapping_cache(&the_pd, at, &cache)) {
        return address;
    }
    return (uint32_t)(uintptr_t)(cache.memory + (at - cache.lines));
}

int queue_attach(const struct pd_request *request, int fd) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (queue) {
        queue->id = request->id;
        queue->size = request->size;
        queue->address = memory_place(fd, 0, request->size);
    }
    if (!queue || queue->address == 0) {
        free(queue);
        return AEE_DSP(AEE_ENOMEMORY);
    }
    pthread_mutex_lock(&lock);
    queue->next = queues;
    queues = queue;
    pthread_mutex_unlock(&lock);
    return 0;
}

static struct queue **queue_with_id(uint64_t id) {
    struct queue **link = &queues;
    while (*link && (*link)->id != id) {
        link = &(*link)->next;
    }
    return link;
}

int queue_detach(uint64_t id) {
    pthread_mutex_lock(&lock);
    struct queue **link = queue_with_id(id), *queue = *link;
    int rc = queue && queue->imported ? AEE_EBADPARM : 0;
    if (queue && rc == 0) {
        *link = queue->next;
        memory_remove(queue->address, queue->size);
        free(queue);
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

bool shell_queue_import(struct shell_pd *pd, uint64_t id, void **block, uint32_t *size) {
    (void)pd;
    pthread_mutex_lock(&lock);
    struct queue *queue = *queue_with_id(id);
    bool free_to_take = queue && !queue->imported;
    if (free_to_take) {
        queue->imported = true;
        *block = (void *)(uintptr_t)queue->address;
        *size = (uint32_t)queue->size;
    }
    pthread_mutex_unlock(&lock);
    return free_to_take;
}

void shell_queue_release(struct shell_pd *pd, uint64_t id) {
    (void)pd;
    pthread_mutex_lock(&lock);
    struct queue *queue = *queue_with_id(id);
    if (queue) {
        queue->imported = false;
    }
    pthread_mutex_unlock(&lock);
}
