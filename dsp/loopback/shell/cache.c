/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include <string.h>
#include <sys/mman.h>

bool shell_cache_open(struct shell_cache *cache, uint8_t *lines, uint8_t *memory, size_t size) {
    uint8_t *filled = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (filled == MAP_FAILED) {
        return false;
    }
    *cache = (struct shell_cache){lines, filled, memory, size};
    memcpy(filled, memory, size);
    memcpy(lines, filled, size);
    return true;
}

void shell_cache_close(struct shell_cache *cache) {
    munmap(cache->filled, cache->size);
    munmap(cache->memory, cache->size);
    cache->lines = NULL;
}

/* Returns the end of the lines that the range touches, and moves its offset to their start. */
static size_t lines_of(const struct shell_cache *cache, size_t *offset, size_t n_bytes) {
    size_t end = *offset + n_bytes + SHELL_CACHE_LINE - 1;
    end -= end % SHELL_CACHE_LINE;
    *offset -= *offset % SHELL_CACHE_LINE;
    return end < cache->size ? end : cache->size;
}

void shell_cache_clean(const struct shell_cache *cache, size_t offset, size_t n_bytes) {
    size_t end = lines_of(cache, &offset, n_bytes);
    for (size_t at = offset; at < end; at += SHELL_CACHE_LINE) {
        size_t n = end - at < SHELL_CACHE_LINE ? end - at : SHELL_CACHE_LINE;
        if (memcmp(cache->lines + at, cache->filled + at, n) != 0) {
            memcpy(cache->filled + at, cache->lines + at, n);
            memcpy(cache->memory + at, cache->filled + at, n);
        }
    }
}

void shell_cache_write(const struct shell_cache *cache, size_t offset, size_t n_bytes) {
    shell_cache_clean(cache, offset, n_bytes);
    memcpy(cache->filled + offset, cache->lines + offset, n_bytes);
    memcpy(cache->memory + offset, cache->filled + offset, n_bytes);
}

void shell_cache_fill(const struct shell_cache *cache, size_t offset, size_t n_bytes) {
    shell_cache_clean(cache, offset, n_bytes);
    size_t end = lines_of(cache, &offset, n_bytes);
    memcpy(cache->filled + offset, cache->memory + offset, end - offset);
    memcpy(cache->lines + offset, cache->filled + offset, end - offset);
}
