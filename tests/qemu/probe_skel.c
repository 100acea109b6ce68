/* SPDX-License-Identifier: MIT
 *
 * A small skel for the tests of the QEMU engine: each method exercises one feature of a PD. Freestanding, built for v68
 * by conftest.py.
 *
 * Every method takes one in buffer of 8 words (its numbers), some in buffers, and first of all one out buffer of 8
 * words.
 */
#include <stddef.h>
#include <stdint.h>

typedef union {
    struct {
        void *data;
        uint32_t size;
    } buffer;
    uint64_t handle;
} remote_arg;

extern void HAP_debug_v2(int level, const char *file, int line, const char *format, ...);
extern int HAP_mmap_get(int fd, void **address, uint64_t *physical);
extern int HAP_mmap_put(int fd);
extern void *HAP_request_VTCM(unsigned int size, unsigned int single_page);
extern int HAP_release_VTCM(void *address);
extern int snprintf(char *text, size_t size, const char *format, ...);
extern void abort(void);
extern void *malloc(size_t n_bytes);
extern void free(void *memory);
extern void *memcpy(void *to, const void *from, size_t n_bytes);
extern void *memset(void *to, int value, size_t n_bytes);
extern void qurt_mutex_init(void *mutex);
extern void qurt_mutex_lock(void *mutex);
extern void qurt_mutex_unlock(void *mutex);
extern int qurt_thread_create(unsigned int *id, const void *attr, void (*entry)(void *), void *argument);
extern int qurt_thread_join(unsigned int id, int *status);
extern void qurt_thread_exit(int status);
extern unsigned short qurt_thread_get_timetest_id(void);
extern int qurt_sysenv_get_max_hw_threads(unsigned int *n_threads);
extern int qurt_sysenv_get_arch_version(unsigned int *version);
extern unsigned int qurt_pmu_get(int which);
extern void qurt_pmu_set(int which, unsigned int value);
extern unsigned long long qurt_timer_timetick_to_us(unsigned long long ticks);
extern unsigned long long qurt_get_core_pcycles(void);
extern void *HAP_request_async_VTCM(unsigned int size, unsigned int single_page, unsigned int timeout_us);
extern int HAP_timer_sleep(unsigned long long us);
extern int compute_resource_query_VTCM(unsigned int application, unsigned int *total, uint32_t *total_layout,
                                       unsigned int *avail, uint32_t *avail_layout);
extern void *fopen(const char *name, const char *mode);
extern int fclose(void *stream);
extern size_t fwrite(const void *data, size_t size, size_t n, void *stream);
extern int fputs(const char *text, void *stream);
extern size_t fread(void *data, size_t size, size_t n, void *stream);
extern void phx_pd_counters(uint64_t *out) __attribute__((weak));
extern void name_that_no_shell_has(void) __attribute__((weak));

#define UNSUPPORTED ((int)0x80000414)
#define BAD_PARAMETER ((int)0x8000040e)

static int n_constructed;

/* Called through DT_INIT (-init), since the board's loader runs nothing else. */
void probe_init(void);
void probe_init(void) {
    n_constructed++;
}

static uint32_t recurse(uint32_t depth) {
    volatile uint32_t frame[256] = {depth};
    return depth == 0 ? 0 : recurse(depth + 1) + frame[depth % 256];
}

/* Uses somewhat more than n KiB of stack. */
static __attribute__((noinline)) uint32_t use_stack(uint32_t n) {
    volatile uint32_t frame[256] = {n};
    return n <= 1 ? frame[0] : use_stack(n - 1) + frame[n % 256];
}

static int crash(uint32_t kind, uint32_t n) {
    switch (kind) {
    case 0:
        *(volatile int *)0xdead0000 = 1;
        return 0;
    case 1:
        abort();
        return 0;
    case 2:
        __asm__ volatile(".word 0xffffffff");
        return 0;
    case 3:
        for (;;) {
            __asm__ volatile("" ::: "memory");
        }
    case 4:
        return (int)recurse(kind);
    case 5:
        return use_stack(n) == 0;
    default:
        return BAD_PARAMETER;
    }
}

/* Runs `n` packets with one HVX instruction each, and reports their counts. */
static int count(uint32_t n, uint32_t *out) {
    uint64_t before[2], after[2];
    out[2] = phx_pd_counters != NULL;
    out[3] = name_that_no_shell_has != NULL;
    out[4] = (uint32_t)n_constructed;
    if (phx_pd_counters == NULL) {
        return 0;
    }
    phx_pd_counters(before);
    __asm__ volatile("loop0(1f, %0)\n1: { v0.w = vadd(v0.w, v1.w) }:endloop0\n" : : "r"(n) : "v0", "sa0", "lc0");
    phx_pd_counters(after);
    out[0] = (uint32_t)(after[0] - before[0]);
    out[1] = (uint32_t)(after[1] - before[1]);
    return 0;
}

static uint32_t descriptors[3][8] __attribute__((aligned(64)));

__attribute__((noinline)) static void one_packet(void) {
    __asm__ volatile("r0 = #0" : : : "r0");
}

__attribute__((noinline)) static void one_wait(void) {
    __asm__ volatile("r0 = dmwait" : : : "r0", "memory");
}

__attribute__((noinline)) static uint32_t packets_of(void (*function)(void)) {
    uint64_t before[2], after[2];
    phx_pd_counters(before);
    function();
    phx_pd_counters(after);
    return (uint32_t)(after[0] - before[0]);
}

/* Copies half linearly, and of the rest, in two dimensions, its even quarters in front of the odd ones; out[1] tells whether the data was there before the wait. */
static int dma(const uint8_t *from, uint8_t *to, uint32_t n_bytes, uint32_t *out) {
    uint32_t half = n_bytes / 2, rows = 2, width = half / 4;
    memset(descriptors, 0, sizeof descriptors);
    descriptors[0][1] = half;
    descriptors[0][2] = (uint32_t)from;
    descriptors[0][3] = (uint32_t)to;
    descriptors[1][0] = (uint32_t)descriptors[2];
    for (uint32_t odd = 0; odd < 2; odd++) {
        uint32_t *descriptor = descriptors[1 + odd];
        descriptor[1] = 1u << 24;
        descriptor[2] = (uint32_t)from + half + odd * width;
        descriptor[3] = (uint32_t)to + half + odd * rows * width;
        descriptor[5] = width | rows << 16;
        descriptor[6] = 2 * width | width << 16;
    }
    uint32_t state;
    to[0] = (uint8_t)~from[0];
    __asm__ volatile("dmstart(%0)" : : "r"(descriptors[0]) : "memory");
    __asm__ volatile("dmlink(%0, %1)" : : "r"(descriptors[0]), "r"(descriptors[1]) : "memory");
    out[1] = *(volatile uint8_t *)to == from[0];
    __asm__ volatile("%0 = dmwait" : "=r"(state) : : "memory");
    out[0] = state;
    out[3] = phx_pd_counters != NULL ? packets_of(one_wait) - packets_of(one_packet) : 0;
    out[2] = descriptors[0][1] >> 31 & descriptors[1][1] >> 31 & descriptors[2][1] >> 31;
    return 0;
}

static int vtcm(uint32_t size, uint32_t *out) {
    volatile uint32_t *memory = HAP_request_VTCM(size, 0);
    out[0] = (uint32_t)memory;
    if (memory == NULL) {
        return 0;
    }
    memory[0] = 1;
    memory[size / 4 - 1] = 2;
    out[1] = memory[0] + memory[size / 4 - 1];
    return HAP_release_VTCM((void *)memory);
}

static int log_line(uint32_t number) {
    char text[64];
    snprintf(text, sizeof text, "%d %s %lld", (int)number, "words", 0x123456789abcll);
    HAP_debug_v2(2, "probe", 1, "%s | %.3f %c %llu %u", text, 2.5, 'x', 1ull << 40, number);
    return 0;
}

/* Reads one byte at an offset from the start of a mapping, possibly outside of it. */
static int peek(int fd, int offset, uint32_t *out) {
    void *address;
    int rc = HAP_mmap_get(fd, &address, NULL);
    if (rc != 0) {
        return rc;
    }
    out[0] = *((volatile uint8_t *)address + offset);
    return HAP_mmap_put(fd);
}

struct job {
    uint64_t mutex[2];
    volatile uint32_t *total;
    uint32_t rounds;
};

static void add(void *argument) {
    struct job *job = argument;
    for (uint32_t i = 0; i < job->rounds; i++) {
        qurt_mutex_lock(job->mutex);
        *job->total = *job->total + 1;
        qurt_mutex_unlock(job->mutex);
    }
    qurt_thread_exit(7);
}

struct thread_attr {
    char name[16];
    uint8_t partition, stid;
    uint16_t priority;
    uint8_t bits, bus_priority;
    uint16_t timetest_id;
    uint32_t stack_size;
    void *stack;
    uint16_t detach;
};

static int threads(uint32_t n_threads, uint32_t rounds, uint32_t *out) {
    struct job job = {.total = out, .rounds = rounds};
    unsigned int id[16];
    void *stack[16];
    int rc = 0;
    n_threads = n_threads < 16 ? n_threads : 16;
    qurt_mutex_init(job.mutex);
    for (uint32_t i = 0; i < n_threads; i++) {
        struct thread_attr attr = {.name = "adder", .priority = 190, .bus_priority = 0xff, .timetest_id = 0xfffe};
        attr.stack_size = 4096;
        attr.stack = stack[i] = malloc(4096);
        rc |= qurt_thread_create(&id[i], &attr, add, &job);
    }
    out[1] = 0;
    for (uint32_t i = 0; i < n_threads; i++) {
        int status = 0;
        rc |= qurt_thread_join(id[i], &status);
        out[1] += (uint32_t)status;
        free(stack[i]);
    }
    return rc;
}

/* Each thread adds 1 << 4 * its number; a thread that sees a wrong number marks another place. */
static void mark(void *total) {
    __atomic_fetch_add((uint32_t *)total, 1u << 4 * (qurt_thread_get_timetest_id() & 7), __ATOMIC_RELAXED);
}

static int numbered_threads(uint32_t n_threads, uint32_t *out) {
    static uint8_t stacks[8][4096] __attribute__((aligned(8)));
    unsigned int id[8];
    int rc = 0;
    out[1] = qurt_thread_get_timetest_id();
    for (uint32_t i = 0; i < n_threads && i < 8; i++) {
        struct thread_attr attr = {.name = "numbered", .priority = 190, .bus_priority = 0xff};
        attr.timetest_id = (uint16_t)i;
        attr.stack_size = sizeof stacks[i];
        attr.stack = stacks[i];
        rc |= qurt_thread_create(&id[i], &attr, mark, out);
    }
    for (uint32_t i = 0; i < n_threads && i < 8; i++) {
        rc |= qurt_thread_join(id[i], NULL);
    }
    return rc;
}

static int system_facts(uint32_t *out) {
    unsigned int n_threads = 0, version = 0;
    int rc = qurt_sysenv_get_max_hw_threads(&n_threads) | qurt_sysenv_get_arch_version(&version);
    out[0] = n_threads;
    out[1] = version;
    out[2] = (uint32_t)qurt_timer_timetick_to_us(19200000ull * 3);
    qurt_pmu_set(4, 7);
    out[3] = qurt_pmu_get(0);
    unsigned long long before = qurt_get_core_pcycles();
    HAP_timer_sleep(1000);
    out[4] = qurt_get_core_pcycles() - before > 1000;
    return rc;
}

static void release_soon(void *memory) {
    HAP_timer_sleep(20000);
    HAP_release_VTCM(memory);
}

/* Acquires all of VTCM twice: the second time fails, and succeeds after a thread has released it. */
static int vtcm_later(uint32_t size, uint32_t *out) {
    static uint8_t stack[4096] __attribute__((aligned(8)));
    uint32_t total[18], avail[18];
    unsigned int total_size = 0, avail_size = 0, id;
    void *first = HAP_request_async_VTCM(size, 0, 0);
    int rc = compute_resource_query_VTCM(0, &total_size, total, &avail_size, avail) |
             compute_resource_query_VTCM(0, NULL, NULL, NULL, NULL);
    out[0] = first != NULL;
    out[1] = total_size;
    out[2] = avail_size;
    out[3] = total[0] == total_size && total[1] == 1 ? total[2] * total[3] : 0;
    out[4] = HAP_request_async_VTCM(size, 0, 2000) == NULL;
    struct thread_attr attr = {.name = "releaser", .priority = 190, .bus_priority = 0xff, .timetest_id = 0xfffe};
    attr.stack_size = sizeof stack;
    attr.stack = stack;
    rc |= qurt_thread_create(&id, &attr, release_soon, first);
    void *second = HAP_request_async_VTCM(size, 0, 5000000);
    out[5] = second != NULL;
    rc |= qurt_thread_join(id, NULL);
    return second != NULL ? rc | HAP_release_VTCM(second) : rc;
}

/* Writes a file and reads it back: out[0] is 0 on failure, else the bytes read. */
static int files(const char *name, uint32_t *out) {
    char text[32];
    void *stream = fopen(name, "w");
    if (stream == NULL) {
        return 0;
    }
    fputs("from the ", stream);
    out[1] = fwrite("DSP\n", 1, 4, stream);
    int rc = fclose(stream);
    stream = fopen(name, "r");
    out[0] = stream != NULL ? fread(text, 1, sizeof text, stream) : 0;
    return stream != NULL ? rc | fclose(stream) : UNSUPPORTED;
}

__attribute__((visibility("default"))) int probe_skel_handle_invoke(uint64_t handle, uint32_t scalars,
                                                                    remote_arg *args);
int probe_skel_handle_invoke(uint64_t handle, uint32_t scalars, remote_arg *args) {
    uint32_t method = scalars >> 24 & 31, n_in = scalars >> 16 & 255, n_out = scalars >> 8 & 255;
    (void)handle;
    if (method == 0) {
        args[2].handle = 0x1122334455667788;
        return 0;
    }
    if (method == 1) {
        return 0;
    }
    if (n_in < 1 || n_out < 1 || args[0].buffer.size < 32 || args[n_in].buffer.size < 32) {
        return BAD_PARAMETER;
    }
    const uint32_t *numbers = args[0].buffer.data;
    uint32_t *out = args[n_in].buffer.data;
    switch (method) {
    case 2:
        return crash(numbers[0], numbers[1]);
    case 3:
        return count(numbers[0], out);
    case 4:
        return n_in == 2 && n_out == 2 ? dma(args[1].buffer.data, args[3].buffer.data, args[1].buffer.size, out)
                                       : BAD_PARAMETER;
    case 5:
        return vtcm(numbers[0], out);
    case 6:
        return log_line(numbers[0]);
    case 7:
        return peek((int)numbers[0], (int)numbers[1], out);
    case 8:
        return threads(numbers[0], numbers[1], out);
    case 9:
        for (uint32_t i = 0; i < 4 && i < n_in; i++) { /* addresses of the arguments */
            out[i] = (uint32_t)args[i].buffer.data;
            out[4 + i] = args[i].buffer.size;
        }
        return 0;
    case 10:
        return numbered_threads(numbers[0], out);
    case 11:
        return system_facts(out);
    case 12:
        return vtcm_later(numbers[0], out);
    case 13:
        return n_in == 2 ? files(args[1].buffer.data, out) : BAD_PARAMETER;
    default:
        return UNSUPPORTED;
    }
}
