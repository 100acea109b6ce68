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

int phx_map_get(int32_t fd, uint32_t size, uint8_t **data) {
    void *address = NULL;
    uint64_t physical;
    if (HAP_mmap_get(fd, &address, &physical) != 0 || !address) {
        return DSP_ENOSUCHMAP;
    }
    if (UINTPTR_MAX - (uintptr_t)address < size || is_too_large(fd, size)) {
        HAP_mmap_put(fd);
        return DSP_EBADPARM;
    }
    *data = address;
    return AEE_SUCCESS;
}

static struct phx_map *entries_of(struct phx_maps *maps) {
    return maps->entries.data ? maps->entries.data : maps->few;
}

/* Returns the index of fd, or the index at which to insert it. Takes the same number of packets for every fd, so that
 * packet counts do not depend on the numbers that the host's kernel gives its buffers. */
static uint32_t position(const struct phx_map *entries, uint32_t n_entries, int32_t fd) {
    uint32_t low = 0, n = n_entries;
    while (n > 1) {
        uint32_t half = n / 2;
        low += entries[low + half - 1].fd < fd ? half : 0;
        n -= half;
    }
    return low + (n == 1 && entries[low].fd < fd);
}

const struct phx_map *phx_maps_find(const struct phx_maps *maps, int32_t fd) {
    const struct phx_map *entries = maps->entries.data ? maps->entries.data : maps->few;
    uint32_t at = position(entries, maps->n_entries, fd);
    return at < maps->n_entries && entries[at].fd == fd ? &entries[at] : NULL;
}

/* Makes room for one more entry. */
static int grow(struct phx_maps *maps) {
    uint32_t n = maps->n_entries;
    size_t capacity = maps->entries.data ? maps->entries.size / sizeof(struct phx_map) : PHX_FEW_MAPS;
    if (n < capacity) {
        return AEE_SUCCESS;
    }
    struct phx_area larger = {.workspace = maps->entries.workspace};
    if (2 * n > MAX_MAPS || !phx_area_reserve(&larger, 2 * n * sizeof(struct phx_map))) {
        return DSP_ENOMEMORY;
    }
    memcpy(larger.data, entries_of(maps), n * sizeof(struct phx_map));
    phx_area_free(&maps->entries);
    maps->entries = larger;
    return AEE_SUCCESS;
}

int phx_maps_add(struct phx_maps *maps, int32_t fd, uint32_t size) {
    uint8_t *data;
    if (fd < 0 || size == 0) {
        return DSP_EBADPARM;
    }
    if (phx_maps_find(maps, fd)) {
        return DSP_EALREADY;
    }
    int error = grow(maps);
    if (!error) {
        error = phx_map_get(fd, size, &data);
    }
    if (error) {
        return error;
    }
    struct phx_map *entries = entries_of(maps);
    uint32_t at = position(entries, maps->n_entries, fd);
    for (uint32_t i = maps->n_entries; i > at; i--) {
        entries[i] = entries[i - 1];
    }
    entries[at] = (struct phx_map){fd, size, data};
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
    struct phx_map *entries = entries_of(maps);
    for (uint32_t i = position(entries, maps->n_entries + 1, fd); i < maps->n_entries; i++) {
        entries[i] = entries[i + 1];
    }
    return AEE_SUCCESS;
}

void phx_maps_clear(struct phx_maps *maps) {
    const struct phx_map *entries = entries_of(maps);
    for (uint32_t i = 0; i < maps->n_entries; i++) {
        HAP_mmap_put(entries[i].fd);
    }
    phx_area_free(&maps->entries);
    maps->n_entries = 0;
    maps->epoch++;
}
