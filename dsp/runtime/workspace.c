/* SPDX-License-Identifier: MIT
 *
 * A region is a sequence of blocks, each a header of PHX_VECTOR bytes and its memory. An allocation takes the first
 * block that is large enough, and merges free neighbours on its way. Allocations are rare: definitions, first runs, and
 * scratch memory that grows.
 */
#include "workspace.h"

#include "hap.h"
#include "maps.h"

/* Under AddressSanitizer, only allocations can be accessed. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define IS_CHECKED
#endif
#endif
#ifdef IS_CHECKED
void __asan_poison_memory_region(const volatile void *memory, size_t n_bytes);
void __asan_unpoison_memory_region(const volatile void *memory, size_t n_bytes);
#define FORBID(memory, n_bytes) __asan_poison_memory_region(memory, n_bytes)
#define ALLOW(memory, n_bytes) __asan_unpoison_memory_region(memory, n_bytes)
#else
#define FORBID(memory, n_bytes) ((void)(memory), (void)(n_bytes))
#define ALLOW(memory, n_bytes) ((void)(memory), (void)(n_bytes))
#endif

struct block {
    size_t size; /* with this header; a multiple of PHX_VECTOR */
    bool is_used;
} __attribute__((aligned(PHX_VECTOR)));

struct phx_workspace_region {
    struct phx_workspace_region *next;
    struct block *end;
    int32_t fd;
    struct block first __attribute__((aligned(PHX_VECTOR)));
};

_Static_assert(sizeof(struct block) == PHX_VECTOR, "memory follows the header");
_Static_assert(sizeof(struct phx_workspace_region) == 2 * PHX_VECTOR, "blocks follow the region's header");

static struct block *after(const struct block *block) {
    return (struct block *)((uintptr_t)block + block->size);
}

int phx_workspace_add(struct phx_workspace *workspace, int32_t fd, uint32_t size) {
    uint8_t *data;
    size_t used = size / PHX_VECTOR * PHX_VECTOR;
    if (fd < 0 || used <= sizeof(struct phx_workspace_region)) {
        return DSP_EBADPARM;
    }
    if (phx_workspace_has(workspace, fd)) {
        return DSP_EALREADY;
    }
    int error = phx_map_get(fd, size, &data);
    if (error) {
        return error;
    }
    if ((uintptr_t)data % PHX_VECTOR) {
        HAP_mmap_put(fd);
        return DSP_EBADPARM;
    }
    struct phx_workspace_region *region = (void *)data;
    *region = (struct phx_workspace_region){workspace->regions, (void *)(data + used), fd, {0}};
    region->first.size = used - offsetof(struct phx_workspace_region, first);
    workspace->regions = region;
    FORBID(&region->first + 1, region->first.size - sizeof(region->first));
    return AEE_SUCCESS;
}

bool phx_workspace_has(const struct phx_workspace *workspace, int32_t fd) {
    const struct phx_workspace_region *region = workspace->regions;
    while (region && region->fd != fd) {
        region = region->next;
    }
    return region != NULL;
}

void phx_workspace_clear(struct phx_workspace *workspace) {
    while (workspace->regions) {
        struct phx_workspace_region *region = workspace->regions;
        int32_t fd = region->fd;
        workspace->regions = region->next;
        ALLOW(region, (size_t)((uint8_t *)region->end - (uint8_t *)region));
        HAP_mmap_put(fd);
    }
}

/* Merges a free block with the free blocks that follow it. */
static void merge(const struct phx_workspace_region *region, struct block *block) {
    for (struct block *next = after(block); next < region->end && !next->is_used; next = after(block)) {
        block->size += next->size;
        FORBID(next, sizeof(*next));
    }
}

/* Uses the first `size` bytes of a free block; the rest becomes a block of its own. */
static void *use(struct block *block, size_t size, size_t n_bytes) {
    size_t n_more = block->size - size;
    block->is_used = true;
    if (n_more > sizeof(*block)) {
        block->size = size;
        struct block *rest = after(block);
        ALLOW(rest, sizeof(*rest));
        *rest = (struct block){.size = n_more};
    }
    ALLOW(block + 1, n_bytes);
    return block + 1;
}

void *phx_workspace_alloc(struct phx_workspace *workspace, size_t n_bytes) {
    size_t size = sizeof(struct block) + (n_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
    for (struct phx_workspace_region *region = workspace->regions; region; region = region->next) {
        for (struct block *block = &region->first; block < region->end; block = after(block)) {
            if (!block->is_used) {
                merge(region, block);
                if (block->size >= size) {
                    return use(block, size, n_bytes);
                }
            }
        }
    }
    workspace->needed = offsetof(struct phx_workspace_region, first) + (uint64_t)size;
    return NULL;
}

void phx_workspace_free(void *memory) {
    if (memory) {
        struct block *block = (struct block *)memory - 1;
        block->is_used = false;
        FORBID(memory, block->size - sizeof(*block));
    }
}
