/* SPDX-License-Identifier: MIT
 *
 * Queries of the system: threads, version, clocks, and a performance monitor that counts nothing.
 */
#include "pd.h"
#include "shell.h"

#define QURT_EOK 0
#define QURT_EVAL 22 /* assumed: no public source states the number */

int qurt_sysenv_get_max_hw_threads(unsigned int *n_threads) {
    struct shell_thread *self = shell_self();
    if (self == NULL || n_threads == NULL) {
        return QURT_EVAL;
    }
    *n_threads = self->pd->hardware_threads;
    return QURT_EOK;
}

/* The low byte is the version; the board's other bits are not known. */
int qurt_sysenv_get_arch_version(unsigned int *version) {
    struct shell_thread *self = shell_self();
    if (self == NULL || version == NULL) {
        return QURT_EVAL;
    }
    *version = self->pd->arch;
    return QURT_EOK;
}

unsigned int qurt_pmu_get(int which) {
    (void)which;
    return 0;
}

void qurt_pmu_set(int which, unsigned int value) {
    (void)which;
    (void)value;
}

unsigned long long qurt_timer_timetick_to_us(unsigned long long ticks) {
    return HAP_perf_qtimer_count_to_us(ticks);
}

unsigned long long qurt_get_core_pcycles(void) {
    return HAP_perf_get_pcycles();
}
