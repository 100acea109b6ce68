/* SPDX-License-Identifier: MIT
 *
 * Time, mappings, VTCM and HVX, as far as they make sense without the hardware.
 */
#include "shell.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "deadline.h"
#include "pd.h"

#define QTIMER_HZ 19200000u
#define MAPPING_FAILED ((void *)-1)
#define CACHE_FLUSH 0 /* QURT_MEM_CACHE_FLUSH; the skel uses no other operation but FLUSH_INVALIDATE */

/* --- Time --- */

static uint64_t now_ns(void) {
    struct timespec t;
    uint64_t ns;
    if (shell_scripted_ns(&ns)) {
        return ns;
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t HAP_perf_get_time_us(void) {
    return now_ns() / 1000;
}

uint64_t HAP_perf_get_qtimer_count(void) {
    shell_moment();
    uint64_t ns = now_ns();
    return ns / 1000000000u * QTIMER_HZ + ns % 1000000000u * QTIMER_HZ / 1000000000u;
}

uint64_t HAP_perf_qtimer_count_to_us(uint64_t count) {
    return count / QTIMER_HZ * 1000000u + count % QTIMER_HZ * 1000000u / QTIMER_HZ;
}

/* There is no cycle counter to read here: nanoseconds stand for cycles of 1 GHz. */
uint64_t HAP_perf_get_pcycles(void) {
    return now_ns();
}

/* Sleeps on a condition of its own, so that the PD's death ends the sleep. */
int HAP_timer_sleep(unsigned long long us) {
    struct shell_thread *self = shell_self();
    struct timespec until = deadline_after(us);
    if (self == NULL) {
        return -1;
    }
    pthread_mutex_lock(&self->pd->lock);
    int code = 0;
    while (code != ETIMEDOUT && !atomic_load(&self->pd->dead)) {
        code = pthread_cond_timedwait(&self->wake, &self->pd->lock, &until);
    }
    pthread_mutex_unlock(&self->pd->lock);
    shell_leave_if_dead();
    return 0;
}

int qurt_timer_sleep(unsigned long long us) {
    return HAP_timer_sleep(us);
}

/* --- Mappings created by the CPU --- */

int HAP_mmap_get(int fd, void **address, uint64_t *physical) {
    struct shell_thread *self = shell_self();
    struct shell_mapping mapping;
    if (self == NULL || !shell_mapping_pin(self->pd, fd, &mapping)) {
        return AEE_DSP(AEE_ENOSUCHMAP);
    }
    if (address != NULL) {
        *address = mapping.address;
    }
    if (physical != NULL) {
        *physical = (uint64_t)(uintptr_t)mapping.address;
    }
    return AEE_SUCCESS;
}

int HAP_mmap_put(int fd) {
    struct shell_thread *self = shell_self();
    return self != NULL && shell_mapping_unpin(self->pd, fd, NULL) ? AEE_SUCCESS : AEE_DSP(AEE_ENOSUCHMAP);
}

uint64_t phx_pd_mapping_bytes(int fd) {
    struct shell_thread *self = shell_self();
    struct shell_mapping mapping;
    return self != NULL && self->pd->map_sizes && shell_mapping_find(self->pd, fd, &mapping) ? mapping.size : 0;
}

void *HAP_mmap(void *address, int length, int protection, int flags, int fd, long offset) {
    (void)address;
    (void)protection;
    (void)flags;
    struct shell_thread *self = shell_self();
    struct shell_mapping mapping;
    if (self == NULL || length <= 0 || offset < 0 || !shell_mapping_pin(self->pd, fd, &mapping)) {
        return MAPPING_FAILED;
    }
    if ((uint64_t)offset > mapping.size || (uint64_t)length > mapping.size - (uint64_t)offset) {
        shell_mapping_unpin(self->pd, fd, NULL);
        return MAPPING_FAILED;
    }
    return (uint8_t *)mapping.address + offset;
}

int HAP_munmap(void *address, int length) {
    (void)length;
    struct shell_thread *self = shell_self();
    return self != NULL && shell_mapping_unpin(self->pd, -1, address) ? AEE_SUCCESS : AEE_DSP(AEE_ENOSUCHMAP);
}

/* --- Caches: coherent, except for the mappings of a PD with the option `incoherent` --- */

void shell_maintain(struct shell_pd *pd, const void *address, size_t n_bytes, bool writes) {
    struct shell_cache cache;
    if (!pd->incoherent || !shell_mapping_cache(pd, address, &cache)) {
        return;
    }
    size_t offset = (size_t)((const uint8_t *)address - cache.lines);
    n_bytes = n_bytes < cache.size - offset ? n_bytes : cache.size - offset;
    if (writes) {
        shell_cache_write(&cache, offset, n_bytes);
    } else {
        shell_cache_fill(&cache, offset, n_bytes);
    }
}

/* Returns the number of a place that calls for cache maintenance, from 1 in the order of first use; 0 beyond the limit.
 */
static uint32_t number_of(struct shell_pd *pd, const void *place) {
    pthread_mutex_lock(&pd->lock);
    uint32_t i = 0;
    while (i < pd->n_maintainers && pd->maintainers[i] != place) {
        i++;
    }
    if (i == pd->n_maintainers && i < SHELL_MAX_MAINTAINERS) {
        pd->maintainers[pd->n_maintainers++] = place;
    }
    uint32_t number = i < SHELL_MAX_MAINTAINERS ? i + 1 : 0;
    pthread_mutex_unlock(&pd->lock);
    return number;
}

static bool is_skipped(struct shell_pd *pd, const void *place) {
    return pd->skip_maintenance != 0 && number_of(pd, place) == pd->skip_maintenance;
}

int qurt_mem_cache_clean(uintptr_t address, uintptr_t size, unsigned int operation, unsigned int type) {
    (void)type;
    struct shell_thread *self = shell_self();
    if (self != NULL && !is_skipped(self->pd, __builtin_return_address(0))) {
        shell_maintain(self->pd, (const void *)address, size, operation == CACHE_FLUSH);
    }
    return 0;
}

/* --- VTCM: whole pages, first fit --- */

static uint32_t total_pages(const struct shell_pd *pd) {
    return pd->vtcm_size / SHELL_VTCM_PAGE;
}

static uint32_t free_run(const struct shell_pd *pd, uint32_t from) {
    uint32_t n = 0;
    while (from + n < total_pages(pd) && pd->vtcm_owner[from + n] == 0) {
        n++;
    }
    return n;
}

static uint8_t *take_pages(struct shell_pd *pd, uint32_t pages) {
    for (uint32_t i = 0; i < total_pages(pd); i++) {
        if (free_run(pd, i) >= pages) {
            memset(pd->vtcm_owner + i, (int)(i + 1), pages);
            return pd->vtcm + (size_t)i * SHELL_VTCM_PAGE;
        }
    }
    return NULL;
}

void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page, unsigned int timeout_us) {
    struct shell_thread *self = shell_self();
    if (self == NULL || size == 0 || size > SHELL_VTCM_MAX || (single_page != 0 && size > SHELL_VTCM_PAGE)) {
        return NULL;
    }
    struct shell_pd *pd = self->pd;
    uint32_t pages = (size + SHELL_VTCM_PAGE - 1) / SHELL_VTCM_PAGE;
    struct timespec until = deadline_after(timeout_us);
    int code = timeout_us != 0 && pages <= total_pages(pd) ? 0 : ETIMEDOUT;
    pthread_mutex_lock(&pd->lock);
    uint8_t *found = take_pages(pd, pages);
    while (found == NULL && code == 0 && !atomic_load(&pd->dead)) {
        code = pthread_cond_timedwait(&pd->vtcm_released, &pd->lock, &until);
        found = take_pages(pd, pages);
    }
    pthread_mutex_unlock(&pd->lock);
    shell_leave_if_dead();
    return found;
}

void *HAP_request_VTCM(unsigned int size, unsigned int single_page) {
    return HAP_request_async_VTCM(size, single_page, 0);
}

int HAP_release_VTCM(void *address) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        return -1;
    }
    struct shell_pd *pd = self->pd;
    int code = -1;
    pthread_mutex_lock(&pd->lock);
    for (uint32_t i = 0; i < total_pages(pd); i++) {
        if (pd->vtcm + (size_t)i * SHELL_VTCM_PAGE == address && pd->vtcm_owner[i] == i + 1) {
            for (uint32_t j = i; j < total_pages(pd) && pd->vtcm_owner[j] == i + 1; j++) {
                pd->vtcm_owner[j] = 0;
            }
            code = 0;
            pthread_cond_broadcast(&pd->vtcm_released);
            break;
        }
    }
    pthread_mutex_unlock(&pd->lock);
    return code;
}

int HAP_query_avail_VTCM(unsigned int *largest_block, unsigned int *largest_page, unsigned int *n_pages) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        return -1;
    }
    struct shell_pd *pd = self->pd;
    uint32_t longest = 0;
    uint32_t pages = 0;
    pthread_mutex_lock(&pd->lock);
    for (uint32_t i = 0; i < total_pages(pd); i++) {
        uint32_t run = free_run(pd, i);
        longest = run > longest ? run : longest;
        pages += pd->vtcm_owner[i] == 0;
    }
    pthread_mutex_unlock(&pd->lock);
    *largest_block = longest * SHELL_VTCM_PAGE;
    *largest_page = pages != 0 ? SHELL_VTCM_PAGE : 0;
    *n_pages = pages;
    return 0;
}

int HAP_query_total_VTCM(unsigned int *page_size, unsigned int *n_pages) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        return -1;
    }
    *page_size = SHELL_VTCM_PAGE;
    *n_pages = total_pages(self->pd);
    return 0;
}

/* --- HVX: always granted --- */

int qurt_hvx_lock(int mode) {
    (void)mode;
    shell_leave_if_dead();
    return 0;
}

int qurt_hvx_unlock(void) {
    return 0;
}

/* Bits 8..15: units of 128 bytes; bits 0..7: units of 64 bytes, which a v68 does not have. */
int qurt_hvx_get_units(void) {
    struct shell_thread *self = shell_self();
    return self != NULL ? (int)(self->pd->hardware_threads << 8) : 0;
}
