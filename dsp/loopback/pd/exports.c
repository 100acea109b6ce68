/* SPDX-License-Identifier: MIT
 *
 * The names that a skel may import: the subset of the board's shell that is implemented here, and phx_pd_*. The table
 * contains no other name that the board lacks (tests/qemu/test_foreign.py compares it with the board's list), so that a
 * skel which loads here also loads on a board. Exceptions are names that the board's loader replaces during symbol
 * lookup: malloc and related functions.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shell/shell.h"
#include "compute_resource.h"
#include "counters.h"
#include "dlopen.h"
#include "files.h"
#include "loader.h"
#include "program.h"
#include "variadic.h"

static uint32_t stack_guard = 0x5a17c3e9;

static void stack_smashed(void) {
    pd_log("pd: stack smashed");
    abort();
}

static void failed_assertion(const char *what, const char *where) {
    pd_log("pd: assertion failed: %s %s", what, where ? where : "");
    abort();
}

static int no_operation(void) {
    return 0;
}

/* Result of services that this PD does not have. */
static int unsupported(void) {
    return AEE_DSP(AEE_EUNSUPPORTED);
}

static void *no_memory(void) {
    return NULL;
}

static size_t bounded_copy(void *to, size_t room, const void *from, size_t n_bytes) {
    size_t n = n_bytes < room ? n_bytes : room;
    memcpy(to, from, n);
    return n;
}

static size_t bounded_move(void *to, size_t room, const void *from, size_t n_bytes) {
    size_t n = n_bytes < room ? n_bytes : room;
    memmove(to, from, n);
    return n;
}

static int aligned_malloc(void **memory, size_t alignment, size_t n_bytes) {
    *memory = __wrap_memalign(alignment, n_bytes);
    return *memory ? 0 : 12; /* ENOMEM */
}

static int put_line(const char *text) {
    shell_log(text);
    return 0;
}

/* clang-format off */
/* Functions that the compiler calls implicitly: from its run-time library, and frames.S. */
#define HELPERS(X)                                                                                                     \
    X(__hexagon_adddf3) X(__hexagon_divdf3) X(__hexagon_divdi3) X(__hexagon_divsf3) X(__hexagon_divsi3)                \
    X(__hexagon_fast_divsf3) X(__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes) X(__hexagon_moddi3)              \
    X(__hexagon_modsi3) X(__hexagon_muldf3) X(__hexagon_sqrtdf2) X(__hexagon_sqrtf) X(__hexagon_subdf3)                \
    X(__hexagon_udivdi3) X(__hexagon_udivsi3) X(__hexagon_umoddi3) X(__hexagon_umodsi3) X(__save_r16_through_r17)      \
    X(__save_r16_through_r19) X(__save_r16_through_r21) X(__save_r16_through_r23) X(__save_r16_through_r25)            \
    X(__save_r16_through_r27) X(__restore_r16_through_r17_and_deallocframe)                                            \
    X(__restore_r16_through_r17_and_deallocframe_before_tailcall) X(__restore_r16_through_r19_and_deallocframe)        \
    X(__restore_r16_through_r19_and_deallocframe_before_tailcall) X(__restore_r16_through_r21_and_deallocframe)        \
    X(__restore_r16_through_r21_and_deallocframe_before_tailcall) X(__restore_r16_through_r23_and_deallocframe)        \
    X(__restore_r16_through_r23_and_deallocframe_before_tailcall) X(__restore_r16_through_r25_and_deallocframe)        \
    X(__restore_r16_through_r25_and_deallocframe_before_tailcall) X(__restore_r16_through_r27_and_deallocframe)        \
    X(__restore_r16_through_r27_and_deallocframe_before_tailcall)

/* Names whose implementation here has the same name. */
#define SAME(X)                                                                                                        \
    X(abort) X(abs) X(atof) X(atoi) X(atol) X(bsearch) X(exit) X(isalnum) X(isalpha) X(isdigit) X(isprint) X(isspace)  \
    X(labs) X(memchr) X(memcmp) X(memcpy) X(memmove) X(memset) X(qsort) X(rand) X(srand) X(strcat) X(strchr)           \
    X(strcmp) X(strcpy) X(strcspn) X(strlcat) X(strlcpy) X(strlen) X(strncat) X(strncmp) X(strncpy) X(strpbrk)         \
    X(strrchr) X(strspn) X(strstr) X(strtod) X(strtof) X(strtok) X(strtok_r) X(strtol) X(strtoll) X(strtoul)           \
    X(strtoull) X(tolower) X(toupper)                                                                                  \
    X(acos) X(acosf) X(asin) X(asinf) X(atan) X(atan2) X(atan2f) X(atanf) X(cbrtf) X(ceil) X(ceilf) X(copysignf)       \
    X(cos) X(cosf) X(cosh) X(coshf) X(erff) X(exp) X(exp2) X(exp2f) X(expf) X(expm1f) X(fabs) X(fabsf) X(floor)        \
    X(floorf) X(fma) X(fmaf) X(fmax) X(fmaxf) X(fmin) X(fminf) X(fmod) X(fmodf) X(frexp) X(frexpf) X(hypotf)           \
    X(ldexp) X(ldexpf) X(log) X(log10) X(log10f) X(log1pf) X(log2) X(log2f) X(logf) X(lrintf) X(lroundf) X(modff)      \
    X(nearbyintf) X(pow) X(powf) X(rint) X(rintf) X(round) X(roundf) X(scalbnf) X(sin) X(sinf) X(sinh) X(sinhf)        \
    X(sqrt) X(sqrtf) X(tan) X(tanf) X(tanh) X(tanhf) X(trunc) X(truncf)                                                \
    X(HAP_debug) X(HAP_mmap) X(HAP_mmap_get) X(HAP_mmap_put) X(HAP_munmap) X(HAP_perf_get_pcycles)                     \
    X(HAP_perf_get_qtimer_count) X(HAP_perf_get_time_us) X(HAP_perf_qtimer_count_to_us) X(HAP_power_get)               \
    X(HAP_power_destroy_client)                                                                                        \
    X(HAP_power_set) X(HAP_query_avail_VTCM) X(HAP_query_total_VTCM) X(HAP_release_VTCM) X(HAP_request_VTCM)           \
    X(HAP_request_async_VTCM)                                                                                          \
    X(HAP_timer_sleep) X(__wrap_calloc) X(__wrap_free) X(__wrap_malloc) X(__wrap_memalign) X(__wrap_realloc)           \
    X(compute_resource_acquire) X(compute_resource_attr_get_vtcm_ptr) X(compute_resource_attr_get_vtcm_ptr_v2)         \
    X(compute_resource_attr_init) X(compute_resource_attr_set_serialize) X(compute_resource_attr_set_vtcm_param)       \
    X(compute_resource_attr_set_vtcm_param_v2) X(compute_resource_query_VTCM) X(compute_resource_release)              \
    X(dspqueue_close) X(dspqueue_get_stat) X(dspqueue_import) X(dspqueue_peek) X(dspqueue_peek_noblock)                \
    X(dspqueue_read) X(dspqueue_read_noblock) X(dspqueue_write) X(dspqueue_write_early_wakeup_noblock)                 \
    X(dspqueue_write_noblock)                                                                                          \
    X(qurt_anysignal_clear) X(qurt_anysignal_set) X(qurt_barrier_destroy) X(qurt_barrier_init) X(qurt_barrier_wait)    \
    X(qurt_cond_broadcast) X(qurt_cond_destroy) X(qurt_cond_init) X(qurt_cond_signal) X(qurt_cond_wait)                \
    X(qurt_futex_wait) X(qurt_futex_wake) X(qurt_hvx_get_units) X(qurt_hvx_lock) X(qurt_hvx_unlock)                    \
    X(qurt_mem_cache_clean) X(qurt_mutex_destroy) X(qurt_mutex_init) X(qurt_mutex_lock) X(qurt_mutex_try_lock)         \
    X(qurt_mutex_unlock) X(qurt_rmutex_destroy) X(qurt_rmutex_init) X(qurt_rmutex_lock) X(qurt_rmutex_try_lock)        \
    X(qurt_rmutex_unlock) X(qurt_sem_add) X(qurt_sem_destroy) X(qurt_sem_down) X(qurt_sem_init)                        \
    X(qurt_sem_init_val) X(qurt_sem_try_down) X(qurt_signal_clear) X(qurt_signal_destroy) X(qurt_signal_get)           \
    X(qurt_signal_init) X(qurt_signal_set) X(qurt_signal_wait) X(qurt_thread_create) X(qurt_thread_exit)               \
    X(qurt_thread_get_id) X(qurt_thread_get_name) X(qurt_thread_get_priority) X(qurt_thread_join)                      \
    X(qurt_get_core_pcycles) X(qurt_pmu_get) X(qurt_pmu_set) X(qurt_sysenv_get_arch_version)                           \
    X(qurt_sysenv_get_max_hw_threads) X(qurt_thread_get_timetest_id) X(qurt_thread_set_priority)                       \
    X(qurt_timer_sleep) X(qurt_timer_timetick_to_us) X(qurt_yield)                                                     \
    X(fclose) X(fflush) X(fgets) X(fputs) X(fread) X(fseek) X(ftell) X(fwrite)

/* Names whose implementation here has another name. The second row is the board loader's table of replacements. */
#define OTHER(X)                                                                                                       \
    X(HAP_debug_runtime, quirk_HAP_debug_runtime) X(HAP_debug_v2, quirk_HAP_debug_v2)                                  \
    X(malloc, __wrap_malloc) X(calloc, __wrap_calloc) X(realloc, __wrap_realloc) X(free, __wrap_free)                  \
    X(memalign, __wrap_memalign)                                                                                       \
    X(HAP_cache_lock, no_memory) X(HAP_cache_unlock, unsupported) X(HAP_mem_set_grow_size, no_operation)               \
    X(HAP_mem_get_stats, unsupported) X(HAP_query_avail_cachelock, unsupported)                                        \
    X(HAP_query_total_cachelock, unsupported) X(adsp_mmap_fd_getinfo, unsupported)                                     \
    X(_Assert, failed_assertion) X(__cxa_atexit, no_operation) X(__cxa_finalize, no_operation)                         \
    X(__deregister_frame_info_bases, no_operation) X(__register_frame_info_bases, no_operation)                        \
    X(__stack_chk_fail, stack_smashed) X(dlclose, skel_dlclose) X(dlerror, skel_dlerror) X(dlopen, skel_dlopen)        \
    X(dlopenbuf, skel_dlopenbuf) X(dlsym, skel_dlsym) X(fopen, skel_fopen) X(memscpy, bounded_copy)                    \
    X(memsmove, bounded_move)                                                                                          \
    X(posix_memalign, aligned_malloc)                                                                                  \
    X(printf, quirk_printf) X(puts, put_line) X(qurt_hvx_try_lock, qurt_hvx_lock) X(qurt_printf, quirk_printf)         \
    X(qurt_sysclock_get_hw_ticks, HAP_perf_get_qtimer_count) X(snprintf, quirk_snprintf) X(sprintf, quirk_sprintf)     \
    X(sscanf, quirk_sscanf) X(vprintf, plain_vprintf) X(vsnprintf, plain_vsnprintf) X(vsprintf, plain_vsprintf)        \
    X(vsscanf, plain_vsscanf) X(phx_pd_counters, phx_pd_counters)                                                      \
    X(phx_pd_mapping_bytes, phx_pd_mapping_bytes)

/* clang-format on */

#define DECLARE(name) extern void name(void);
HELPERS(DECLARE)

struct export {
    const char *name;
    void *address;
};

#define ROW_SAME(name) {#name, (void *)(uintptr_t)(name)},
#define ROW_OTHER(name, function) {#name, (void *)(uintptr_t)(function)},
/* clang-format off */
static const struct export exports[] = {
    HELPERS(ROW_SAME)
    SAME(ROW_SAME)
    OTHER(ROW_OTHER)
    {"__stack_chk_guard", &stack_guard},
};
/* clang-format on */

void *shell_symbol(const char *name) {
    for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
        if (strcmp(exports[i].name, name) == 0) {
            return exports[i].address;
        }
    }
    return NULL;
}
