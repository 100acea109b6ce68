/* SPDX-License-Identifier: MIT */
#include "maps.h"

#include <stdbool.h>

#include "hap.h"
#include "libc.h"

#define MAX_MAPS 65536

/* Returns the mapped size of fd, or 0. Only the loopback's shell exports it; on a board the size is trusted. */
extern uint64_t phx_pd_mapping_bytes(int fd) __attribute__((weak));

static bool is_too_large(int32_t fd, uint32_t size) {
    uint64_t n_bytes = phx_pd_mapping_bytes ? phx_pd_mapping_bytes(fd) : 0;
    return n_bytes && size > n_bytes;
}

/* Returns the index of fd, or the index at which to insert it. */
static uint32_t position(const struct phx_maps *maps, int32_t fd) {
    uint32_t low = 0;
    uint32_t high = maps->n_entries;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (maps->entries[middle].fd < fd) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct phx_map *phx_maps_find(const struct phx_maps *maps, int32_t fd) {
    uint32_t at = position(maps, fd);
    return at < maps->n_entries && maps->entries[at].fd == fd ? &maps->entries[at] : NULL;
}

static int grow(struct phx_maps *maps) {
    if (maps->n_entries < maps->capacity) {
        return AEE_SUCCESS;
    }
    uint32_t capacity = maps->capacity ? 2 * maps->capacity : 16;
    struct phx_map *entries = capacity <= MAX_MAPS ? phx_malloc(capacity * sizeof(*entries)) : NULL;
    if (!entries) {
        return DSP_ENOMEMORY;
    }
    if (maps->entries) {
        memcpy(entries, maps->entries, maps->n_entries * sizeof(*entries));
        phx_free(maps->entries);
    }
    maps->entries = entries;
    maps->capacity = capacity;
    return AEE_SUCCESS;
}

int phx_maps_add(struct phx_maps *maps, int32_t fd, uint32_t size) {
    if (fd < 0 || size == 0) {
        return DSP_EBADPARM;
    }
    if (phx_maps_find(maps, fd)) {
        return DSP_EALREADY;
    }
    int error = grow(maps);
    if (error) {
        return error;
    }
    void *address = NULL;
    uint64_t physical;
    if (HAP_mmap_get(fd, &address, &physical) != 0 || !address) {
        return DSP_ENOSUCHMAP;
    }
    if (UINTPTR_MAX - (uintptr_t)address < size || is_too_large(fd, size)) {
        HAP_mmap_put(fd);
        return DSP_EBADPARM;
    }
    uint32_t at = position(maps, fd);
    for (uint32_t i = maps->n_entries; i > at; i--) {
        maps->entries[i] = maps->entries[i - 1];
    }
    maps->entries[at] = (struct phx_map){fd, size, address};
    maps->n_entries++;
    return AEE_SUCCESS;
}

int phx_maps_remove(struct phx_maps *maps, int32_t fd) {
    if (!phx_maps_find(maps, fd)) {
        return DSP_ENOSUCHMAP;
    }
    HAP_mmap_put(fd);
    maps->epoch++;
    maps->n_entries--;
    for (uint32_t i = position(maps, fd); i < maps->n_entries; i++) {
        maps->entries[i] = maps->entries[i + 1];
    }
    return AEE_SUCCESS;
}

void phx_maps_clear(struct phx_maps *maps) {
    for (uint32_t i = 0; i < maps->n_entries; i++) {
        HAP_mmap_put(maps->entries[i].fd);
    }
    phx_free(maps->entries);
    *maps = (struct phx_maps){.epoch = maps->epoch + 1};
}
