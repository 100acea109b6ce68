/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "large.h"
#include "log.h"
#include "options.h"
#include "process.h"

#define PAGE 4096
#define MEMFD_CLOEXEC 1u

/* Flags of DMA_BUF_IOCTL_SYNC */
#define SYNC_READ 1u
#define SYNC_RW 3u
#define SYNC_END 4u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers;
static uint64_t allocated; /* bytes of all owned buffers */
static bool no_alloc;      /* set by rpcmem_deinit */
static _Atomic uint64_t last_id;

uint64_t memory_new_id(void) {
    return atomic_fetch_add(&last_id, 1) + 1;
}

int memory_create(const char *name, size_t size) {
    int fd = (int)syscall(SYS_memfd_create, name, MEMFD_CLOEXEC); /* glibc 2.17 has no memfd_create */
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

uint8_t *memory_map(int fd, size_t size, bool incoherent, struct shell_cache *cache) {
    uint8_t *large = incoherent ? NULL : large_use(fd, size);
    if (large != NULL) {
        return large;
    }
    if (!large_share(fd)) {
        return NULL;
    }
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED || !incoherent) {
        return shared != MAP_FAILED ? shared : NULL;
    }
    void *lines = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lines != MAP_FAILED && shell_cache_open(cache, lines, shared, size)) {
        return lines;
    }
    if (lines != MAP_FAILED) {
        munmap(lines, size);
    }
    munmap(shared, size);
    return NULL;
}

void memory_unmap(uint8_t *base, size_t size, struct shell_cache *cache) {
    if (large_drop(base)) {
        return;
    }
    munmap(base, size);
    if (cache->lines != NULL) {
        shell_cache_close(cache);
    }
}

static struct buffer *add(void *base, size_t size, int fd) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        return NULL;
    }
    buffer->memory = (struct engine_memory){.id = memory_new_id(), .fd = fd, .size = size};
    buffer->base = base;
    buffer->references = 1;
    pthread_mutex_lock(&lock);
    buffer->next = buffers;
    buffers = buffer;
    pthread_mutex_unlock(&lock);
    return buffer;
}

/* Requires the lock. */
static struct buffer **find(const void *base) {
    struct buffer **link = &buffers;
    while (*link != NULL && (*link)->base != base) {
        link = &(*link)->next;
    }
    return link;
}

void buffer_put(struct buffer *buffer) {
    pthread_mutex_lock(&lock);
    bool gone = --buffer->references == 0;
    pthread_mutex_unlock(&lock);
    if (!gone) {
        return;
    }
    processes_forget(buffer->memory.id);
    if (buffer->is_owned || buffer->is_reserved) {
        memory_unmap(buffer->base, buffer->memory.size, &buffer->cache);
    }
    if (buffer->is_owned) {
        large_forget_fd(buffer->memory.fd);
        close(buffer->memory.fd);
    }
    free(buffer);
}

static bool reserve_bytes(size_t size) {
    uint64_t limit = (uint64_t)option_get(OPTION_memory_limit);
    pthread_mutex_lock(&lock);
    bool ok = !no_alloc && (limit == 0 || (size <= limit && allocated <= limit - size));
    allocated += ok ? size : 0;
    pthread_mutex_unlock(&lock);
    return ok;
}

static void return_bytes(size_t size) {
    pthread_mutex_lock(&lock);
    allocated -= size;
    pthread_mutex_unlock(&lock);
}

void *buffer_alloc(size_t size) {
    if (size == 0 || size > SIZE_MAX / 2 || option_get(OPTION_device) == 0) {
        return NULL;
    }
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (!reserve_bytes(size)) {
        return NULL;
    }
    int fd = memory_create("rpcmem", size);
    struct shell_cache cache = {0};
    bool incoherent = option_get(OPTION_incoherent) == 1;
    uint8_t *base = fd >= 0 && !incoherent ? large_create(fd, size) : NULL;
    if (base == NULL && fd >= 0) {
        base = memory_map(fd, size, incoherent, &cache);
    }
    struct buffer *buffer = base != NULL ? add(base, size, fd) : NULL;
    if (buffer == NULL) {
        if (base != NULL) {
            memory_unmap(base, size, &cache);
        }
        if (fd >= 0) {
            close(fd);
        }
        return_bytes(size);
        return NULL;
    }
    buffer->is_owned = true;
    buffer->cache = cache;
    return base;
}

void buffer_free(void *base) {
    pthread_mutex_lock(&lock);
    struct buffer **link = find(base);
    struct buffer *buffer = *link;
    bool found = base != NULL && buffer != NULL && buffer->is_owned;
    if (found) {
        *link = buffer->next;
        allocated -= buffer->memory.size;
    }
    pthread_mutex_unlock(&lock);
    if (found) {
        buffer_put(buffer);
    }
}

int buffer_fd(const void *base) {
    pthread_mutex_lock(&lock);
    struct buffer *buffer = base != NULL ? *find(base) : NULL;
    int fd = buffer != NULL ? buffer->memory.fd : -1;
    pthread_mutex_unlock(&lock);
    return fd;
}

int buffer_sync(int fd, uint64_t flags) {
    if (flags == 0 || (flags & ~(uint64_t)(SYNC_RW | SYNC_END)) != 0 || (flags & SYNC_RW) == 0) {
        return EINVAL;
    }
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffers;
    while (buffer != NULL && !(buffer->is_owned && buffer->memory.fd == fd)) {
        buffer = buffer->next;
    }
    if (buffer != NULL && buffer->cache.lines != NULL && (flags & SYNC_END) != 0) {
        shell_cache_clean(&buffer->cache, 0, buffer->memory.size);
    } else if (buffer != NULL && buffer->cache.lines != NULL && (flags & SYNC_READ) != 0) {
        shell_cache_fill(&buffer->cache, 0, buffer->memory.size);
    }
    pthread_mutex_unlock(&lock);
    return buffer != NULL ? 0 : ENOTTY;
}

/* As the real library does on a second rpcmem_init: the buffers stay allocated, but nothing tracks them. */
void buffer_forget_all(void) {
    pthread_mutex_lock(&lock);
    struct buffer **link = &buffers;
    while (*link != NULL) {
        struct buffer *buffer = *link;
        if (buffer->is_owned) {
            *link = buffer->next;
        } else {
            link = &buffer->next;
        }
    }
    allocated = 0;
    pthread_mutex_unlock(&lock);
}

void buffer_allow_alloc(bool allow) {
    pthread_mutex_lock(&lock);
    no_alloc = !allow;
    pthread_mutex_unlock(&lock);
}

void buffer_register(void *base, size_t size, int fd) {
    if (base == NULL || size == 0) {
        return;
    }
    if (fd != -1) {
        add(base, size, fd);
        return;
    }
    pthread_mutex_lock(&lock);
    struct buffer **link = find(base);
    struct buffer *buffer = *link;
    bool matches = buffer != NULL && !buffer->is_owned && buffer->memory.size == size;
    if (matches) {
        *link = buffer->next;
    }
    pthread_mutex_unlock(&lock);
    if (matches) {
        buffer_put(buffer);
    } else if (buffer != NULL) {
        log_line("remote_register_buf: deregistered with another size; the real library aborts the process here");
    }
}

void *buffer_register_fd(int fd, size_t size) {
    if (size == 0 || fcntl(fd, F_GETFD) < 0) {
        return NULL;
    }
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        return NULL;
    }
    struct buffer *buffer = add(base, size, fd);
    if (buffer == NULL) {
        munmap(base, size);
        return NULL;
    }
    buffer->is_reserved = true;
    return base;
}

struct buffer *buffer_at(const void *data) {
    const uint8_t *at = data;
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffers;
    while (buffer != NULL && !(at >= buffer->base && at < buffer->base + buffer->memory.size)) {
        buffer = buffer->next;
    }
    if (buffer != NULL) {
        buffer->references++;
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

uint64_t buffer_memory_id(int fd, size_t size) {
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffers;
    while (buffer != NULL && !(buffer->memory.fd == fd && buffer->memory.size == size)) {
        buffer = buffer->next;
    }
    uint64_t id = buffer != NULL ? buffer->memory.id : memory_new_id();
    pthread_mutex_unlock(&lock);
    return id;
}
