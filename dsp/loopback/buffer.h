/* SPDX-License-Identifier: MIT
 *
 * The registry of shared buffers: what rpcmem gave out and what remote_register_* announced. An invoke argument inside
 * one of them is passed without a copy.
 */
#ifndef LOOPBACK_BUFFER_H
#define LOOPBACK_BUFFER_H

#include <stdbool.h>

#include "engine.h"

struct buffer {
    struct engine_memory memory;
    uint8_t *base;
    struct buffer *next;
    uint32_t references; /* the registry's own, and one per invoke that uses it */
    bool is_owned;       /* rpcmem: mapping and fd go with the buffer */
    bool is_reserved;    /* remote_register_fd: the mapping goes, the fd is the caller's */
};

/* A number for a block of memory; never the same twice. */
uint64_t memory_new_id(void);

/* A new memfd of that size, or -1. */
int memory_create(const char *name, size_t size);

void *buffer_alloc(size_t size);
void buffer_free(void *base);
int buffer_fd(const void *base);
void buffer_forget_all(void);
void buffer_allow_alloc(bool allow);

/* fd -1 takes the registration of exactly this range back. */
void buffer_register(void *base, size_t size, int fd);

/* A PROT_NONE range that stands for the fd; NULL on failure. */
void *buffer_register_fd(int fd, size_t size);

/* The buffer that `data` starts in, referenced, or NULL for ordinary memory. */
struct buffer *buffer_at(const void *data);
void buffer_put(struct buffer *buffer);

/* The registered memory with this fd and size, if any: its id is shared by all mappings of it. Else a new id. */
uint64_t buffer_memory_id(int fd, size_t size);

#endif
