/* SPDX-License-Identifier: MIT
 *
 * The registry of shared buffers: rpcmem allocations and buffers announced by remote_register_*. Invoke arguments
 * inside one of them are passed without a copy.
 */
#ifndef LOOPBACK_BUFFER_H
#define LOOPBACK_BUFFER_H

#include <stdbool.h>

#include "engine.h"
#include "shell/cache.h"

struct buffer {
    struct engine_memory memory;
    struct shell_cache cache; /* the CPU's, of a buffer allocated with the option `incoherent=1` */
    uint8_t *base;
    struct buffer *next;
    uint32_t references; /* one for the registry, and one per invoke that uses it */
    bool is_owned;       /* from rpcmem: mapping and fd are freed with the buffer */
    bool is_reserved;    /* from remote_register_fd: the mapping is freed, the fd belongs to the caller */
};

/* Returns an id for a block of memory, which is never reused. */
uint64_t memory_new_id(void);

/* Returns a new memfd of that size, or -1. */
int memory_create(const char *name, size_t size);

/* Maps a block. If `incoherent`, the result is a copy of its own, which `cache` connects to the block. Returns NULL on
 * failure. */
uint8_t *memory_map(int fd, size_t size, bool incoherent, struct shell_cache *cache);
void memory_unmap(uint8_t *base, size_t size, struct shell_cache *cache);

void *buffer_alloc(size_t size);
void buffer_free(void *base);
int buffer_fd(const void *base);

/* Does what DMA_BUF_IOCTL_SYNC does on arm64: END cleans the CPU's caches of the buffer, START invalidates them for
 * READ. Returns 0 or an errno. */
int buffer_sync(int fd, uint64_t flags);
void buffer_forget_all(void);
void buffer_allow_alloc(bool allow);

/* fd -1 removes the registration of exactly this range. */
void buffer_register(void *base, size_t size, int fd);

/* Returns a PROT_NONE range that represents the fd, or NULL on failure. */
void *buffer_register_fd(int fd, size_t size);

/* Returns the buffer that contains the start of `data`, with a reference, or NULL for ordinary memory. */
struct buffer *buffer_at(const void *data);
void buffer_put(struct buffer *buffer);

/* Returns the id of the registered memory with this fd and size, which all mappings of it share; else a new id. */
uint64_t buffer_memory_id(int fd, size_t size);

#endif
