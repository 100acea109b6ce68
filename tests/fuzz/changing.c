/* SPDX-License-Identifier: MIT */
#include "changing.h"

#include <string.h>

#include "runtime/contract.h"

#ifdef FUZZ_HOOKED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(bytes, n_bytes) ((void)(bytes), (void)(n_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(bytes, n_bytes) ((void)(bytes), (void)(n_bytes))
#endif

static struct {
    const uint8_t *request; /* its first bytes, until they are read; NULL: nothing changes */
    uint8_t *bytes;         /* where the skel has the request */
    uint32_t n_bytes;
    uint32_t n_reads;
    uint32_t random;
} changing;

void begin_changing(const uint8_t *request, uint32_t n_bytes, uint32_t seed) {
    changing.request = request;
    changing.bytes = NULL;
    changing.n_bytes = n_bytes;
    changing.n_reads = 0;
    changing.random = seed;
}

uint32_t end_changing(void) {
    if (changing.bytes) {
        ASAN_UNPOISON_MEMORY_REGION(changing.bytes, changing.n_bytes);
    }
    changing.request = changing.bytes = NULL;
    return changing.n_reads;
}

/* Changes every byte: one bit, all bits, or to anything else. */
static void change(uint8_t *bytes, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        changing.random = changing.random * 1664525u + 1013904223u;
        bytes[i] ^= changing.random >> 31 ? (uint8_t)(1u << (changing.random >> 24 & 7)) : 0xff;
    }
}

void *fuzz_memcpy(void *restrict to, const void *restrict from, size_t n_bytes) {
    uint8_t *first = (uint8_t *)(uintptr_t)from, *last = first + n_bytes;
    if (changing.request && !changing.bytes && n_bytes == sizeof(struct phx_request) &&
        memcmp(from, changing.request, n_bytes) == 0) { /* the first read of a request */
        changing.bytes = first;
    }
    if (!changing.bytes || first >= changing.bytes + changing.n_bytes || last <= changing.bytes) {
        return memcpy(to, from, n_bytes);
    }
    changing.n_reads++;
    ASAN_UNPOISON_MEMORY_REGION(changing.bytes, changing.n_bytes);
    memcpy(to, from, n_bytes);
    change(first, n_bytes);
    ASAN_POISON_MEMORY_REGION(changing.bytes, changing.n_bytes);
    return to;
}
