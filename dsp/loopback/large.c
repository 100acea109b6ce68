/* SPDX-License-Identifier: MIT */
#include "large.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096 /* buffers are multiples of it */
#define HUGE_PAGE ((size_t)2 << 20)

struct large {
    struct large *next;
    uint8_t *base;
    size_t size;
    int fd; /* -1: closed, or the content is in it */
    uint32_t users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct large *all;

/* Returns memory that starts at a huge page, or NULL. */
static uint8_t *map_aligned(size_t size) {
    size_t room = size + HUGE_PAGE;
    uint8_t *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0) {
        munmap(start, before);
    }
    munmap(start + before + size, room - before - size);
    madvise(start + before, size, MADV_HUGEPAGE); /* a kernel without huge pages refuses */
    return start + before;
}

uint8_t *large_create(int fd, size_t size) {
    struct large *large = size >= HUGE_PAGE ? calloc(1, sizeof *large) : NULL;
    uint8_t *base = large != NULL ? map_aligned(size) : NULL;
    if (base == NULL) {
        free(large);
        return NULL;
    }
    *large = (struct large){.base = base, .size = size, .fd = fd, .users = 1};
    pthread_mutex_lock(&lock);
    large->next = all;
    all = large;
    pthread_mutex_unlock(&lock);
    return base;
}

/* Requires the lock. */
static struct large *find(int fd) {
    struct large *large = all;
    while (large != NULL && large->fd != fd) {
        large = large->next;
    }
    return large;
}

uint8_t *large_use(int fd, size_t size) {
    uint8_t *base = NULL;
    pthread_mutex_lock(&lock);
    struct large *large = fd >= 0 ? find(fd) : NULL;
    if (large != NULL && size <= large->size) {
        large->users++;
        base = large->base;
    }
    pthread_mutex_unlock(&lock);
    return base;
}

bool large_drop(const uint8_t *base) {
    pthread_mutex_lock(&lock);
    struct large **link = &all;
    while (*link != NULL && (*link)->base != base) {
        link = &(*link)->next;
    }
    struct large *large = *link;
    bool is_last = large != NULL && --large->users == 0;
    if (is_last) {
        *link = large->next;
    }
    pthread_mutex_unlock(&lock);
    if (is_last) {
        munmap(large->base, large->size);
        free(large);
    }
    return large != NULL;
}

void large_forget_fd(int fd) {
    pthread_mutex_lock(&lock);
    struct large *large = fd >= 0 ? find(fd) : NULL;
    if (large != NULL) {
        large->fd = -1;
    }
    pthread_mutex_unlock(&lock);
}

/* Writes the pages that are not zero: the others need no memory, and a buffer may be mostly untouched. */
static bool write_pages(const struct large *large) {
    static const uint8_t zeros[PAGE];
    for (size_t at = 0; at < large->size; at += PAGE) {
        if (memcmp(large->base + at, zeros, PAGE) != 0 &&
            pwrite(large->fd, large->base + at, PAGE, (off_t)at) != PAGE) {
            return false;
        }
    }
    return true;
}

bool large_share(int fd) {
    pthread_mutex_lock(&lock);
    struct large *large = fd >= 0 ? find(fd) : NULL;
    bool ok = large == NULL || (write_pages(large) && mmap(large->base, large->size, PROT_READ | PROT_WRITE,
                                                           MAP_SHARED | MAP_FIXED, fd, 0) == large->base);
    if (ok && large != NULL) {
        large->fd = -1;
    }
    pthread_mutex_unlock(&lock);
    return ok;
}
