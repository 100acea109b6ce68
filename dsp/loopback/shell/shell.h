/* SPDX-License-Identifier: MIT
 *
 * The DSP shell's exports to a skel, as far as they are implemented here, under the names of the board's firmware. QuRT
 * objects are 16 opaque bytes in the skel's memory. dspqueue_import is the only dspqueue_* call that exists on the DSP
 * only.
 */
#ifndef SHELL_SHELL_H
#define SHELL_SHELL_H

#include "../abi.h"

struct shell_pd;

/* Frees all blocks of the PD's heap. */
void shell_heap_destroy(struct shell_pd *pd);

/* The DSP's ends of the calls that exist on both sides. */
extern const struct queue_side shell_queue_side;
int shell_dspqueue_close(dspqueue_t queue);

#pragma GCC visibility push(default)

int qurt_thread_create(unsigned int *id, const void *attr, void (*entry)(void *), void *argument);
void qurt_thread_exit(int status);
int qurt_thread_join(unsigned int id, int *status);
unsigned int qurt_thread_get_id(void);
void qurt_thread_get_name(char *name, unsigned char size);
unsigned short qurt_thread_get_timetest_id(void);
int qurt_thread_get_priority(unsigned int id);
void qurt_yield(void);
int qurt_thread_set_priority(unsigned int id, unsigned short priority);

void qurt_mutex_init(void *mutex);
void qurt_mutex_destroy(void *mutex);
void qurt_mutex_lock(void *mutex);
int qurt_mutex_try_lock(void *mutex);
void qurt_mutex_unlock(void *mutex);
void qurt_rmutex_init(void *mutex);
void qurt_rmutex_destroy(void *mutex);
void qurt_rmutex_lock(void *mutex);
int qurt_rmutex_try_lock(void *mutex);
void qurt_rmutex_unlock(void *mutex);
void qurt_signal_init(void *signal);
void qurt_signal_destroy(void *signal);
unsigned int qurt_signal_wait(void *signal, unsigned int mask, unsigned int attribute);
void qurt_signal_set(void *signal, unsigned int mask);
void qurt_signal_clear(void *signal, unsigned int mask);
unsigned int qurt_signal_get(void *signal);
unsigned int qurt_anysignal_set(void *signal, unsigned int mask);
unsigned int qurt_anysignal_clear(void *signal, unsigned int mask);
int qurt_barrier_init(void *barrier, unsigned int n_threads);
int qurt_barrier_destroy(void *barrier);
int qurt_barrier_wait(void *barrier);
void qurt_sem_init(void *semaphore);
void qurt_sem_init_val(void *semaphore, unsigned short value);
void qurt_sem_destroy(void *semaphore);
int qurt_sem_down(void *semaphore);
int qurt_sem_try_down(void *semaphore);
int qurt_sem_add(void *semaphore, unsigned int amount);
void qurt_cond_init(void *condition);
void qurt_cond_destroy(void *condition);
void qurt_cond_wait(void *condition, void *mutex);
void qurt_cond_signal(void *condition);
void qurt_cond_broadcast(void *condition);
int qurt_futex_wait(void *word, int value);
int qurt_futex_wake(void *word, int n_threads);

int qurt_hvx_lock(int mode);
int qurt_hvx_unlock(void);
int qurt_hvx_get_units(void);
int qurt_mem_cache_clean(uintptr_t address, uintptr_t size, unsigned int operation, unsigned int type);
int qurt_timer_sleep(unsigned long long us);
int HAP_timer_sleep(unsigned long long us);

void *dlopenbuf(const char *name, const char *data, int size, int mode);

void *HAP_mmap(void *address, int length, int protection, int flags, int fd, long offset);
int HAP_munmap(void *address, int length);
int HAP_mmap_get(int fd, void **address, uint64_t *physical);
int HAP_mmap_put(int fd);

/* Returns the bytes of an fd that the CPU mapped, or 0 if that is unknown. No board exports this name: a skel imports
 * it weakly. */
uint64_t phx_pd_mapping_bytes(int fd);

/* Scripted clocks of the host engine (the option `rates`): the cycles of the calling thread's clock, or 0; and the time
 * of so much work, of a kind that the file of rates lists. No other environment exports these names. */
uint64_t phx_pd_cycles(void);
void phx_pd_elapse(uint32_t kind, uint32_t n_threads, uint32_t size, uint64_t work);

void HAP_debug(const char *text, int level, const char *file, int line);
void HAP_debug_v2(int level, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

int qurt_sysenv_get_max_hw_threads(unsigned int *n_threads);
int qurt_sysenv_get_arch_version(unsigned int *version);
unsigned int qurt_pmu_get(int which);
void qurt_pmu_set(int which, unsigned int value);
unsigned long long qurt_timer_timetick_to_us(unsigned long long ticks);
unsigned long long qurt_get_core_pcycles(void);

uint64_t HAP_perf_get_time_us(void);
uint64_t HAP_perf_get_qtimer_count(void);
uint64_t HAP_perf_qtimer_count_to_us(uint64_t count);
uint64_t HAP_perf_get_pcycles(void);

void *HAP_request_VTCM(unsigned int size, unsigned int single_page);
void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page, unsigned int timeout_us);
int HAP_release_VTCM(void *address);
int HAP_query_avail_VTCM(unsigned int *largest_block, unsigned int *largest_page, unsigned int *n_pages);
int HAP_query_total_VTCM(unsigned int *page_size, unsigned int *n_pages);
int HAP_power_set(void *context, void *request);
int HAP_power_get(void *context, void *response);
int HAP_power_destroy_client(void *context);

void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n, size_t n_bytes);
void *__wrap_realloc(void *memory, size_t n_bytes);
void *__wrap_memalign(size_t alignment, size_t n_bytes);
void __wrap_free(void *memory);

AEEResult dspqueue_import(uint64_t id, dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *context, dspqueue_t *queue);

#pragma GCC visibility pop

#endif
