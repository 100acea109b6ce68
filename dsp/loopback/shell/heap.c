/* SPDX-License-Identifier: MIT
 *
 * The PD's heap, under the names that the firmware exports. Lists every block, so that the end of a PD frees all of
 * them.
 */
#include "shell.h"

#include <stdlib.h>
#include <string.h>

#include "pd.h"

#define ALIGNMENT 16

/* Header directly before the memory that it describes. */
struct shell_heap_block {
    struct shell_heap_block *next;
    struct shell_heap_block *previous;
    struct shell_pd *pd;
    void *start; /* argument of free */
    size_t size;
};

static struct shell_heap_block *block_of(void *memory) {
    return (struct shell_heap_block *)memory - 1;
}

void *__wrap_memalign(size_t alignment, size_t n_bytes) {
    struct shell_thread *self = shell_self();
    void *start;
    if (self == NULL || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return NULL;
    }
    alignment = alignment < ALIGNMENT ? ALIGNMENT : alignment;
    size_t before = (sizeof(struct shell_heap_block) + alignment - 1) & ~(alignment - 1);
    if (n_bytes > SIZE_MAX - before || posix_memalign(&start, alignment, before + n_bytes) != 0) {
        return NULL;
    }
    void *memory = (uint8_t *)start + before;
    struct shell_heap_block *block = block_of(memory);
    struct shell_pd *pd = self->pd;
    *block = (struct shell_heap_block){.pd = pd, .start = start, .size = n_bytes};
    pthread_mutex_lock(&pd->heap_lock);
    if (pd->heap_bytes != 0 && n_bytes > pd->heap_bytes - pd->heap_used) {
        pthread_mutex_unlock(&pd->heap_lock);
        free(start);
        return NULL;
    }
    pd->heap_used += n_bytes;
    block->next = pd->heap;
    if (pd->heap != NULL) {
        pd->heap->previous = block;
    }
    pd->heap = block;
    pthread_mutex_unlock(&pd->heap_lock);
    return memory;
}

void *__wrap_malloc(size_t n_bytes) {
    return __wrap_memalign(ALIGNMENT, n_bytes);
}

void *__wrap_calloc(size_t n, size_t n_bytes) {
    if (n_bytes != 0 && n > SIZE_MAX / n_bytes) {
        return NULL;
    }
    void *memory = __wrap_malloc(n * n_bytes);
    return memory != NULL ? memset(memory, 0, n * n_bytes) : NULL;
}

void __wrap_free(void *memory) {
    if (memory == NULL) {
        return;
    }
    struct shell_heap_block *block = block_of(memory);
    struct shell_pd *pd = block->pd;
    pthread_mutex_lock(&pd->heap_lock);
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        pd->heap = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    pd->heap_used -= block->size;
    pthread_mutex_unlock(&pd->heap_lock);
    free(block->start);
}

void *__wrap_realloc(void *memory, size_t n_bytes) {
    if (memory == NULL) {
        return __wrap_malloc(n_bytes);
    }
    void *moved = __wrap_malloc(n_bytes);
    if (moved != NULL) {
        size_t old = block_of(memory)->size;
        memcpy(moved, memory, old < n_bytes ? old : n_bytes);
        __wrap_free(memory);
    }
    return moved;
}

void shell_heap_destroy(struct shell_pd *pd) {
    while (pd->heap != NULL) {
        struct shell_heap_block *block = pd->heap;
        pd->heap = block->next;
        free(block->start);
    }
}
