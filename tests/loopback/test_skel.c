/* SPDX-License-Identifier: MIT
 *
 * A skel for the tests of the loopback: small methods that use the shell's exports. The client is client.c.
 */
#include "../../dsp/runtime/hap.h"
#include "../../dsp/runtime/libc.h"
#include "../../dsp/runtime/qurt.h"
#include "test_skel.h"

typedef struct {
    uint64_t opaque[2];
} object;

int qurt_barrier_init(object *barrier, unsigned int n_threads);
int qurt_barrier_wait(object *barrier);
int qurt_barrier_destroy(object *barrier);
void qurt_sem_init_val(object *semaphore, unsigned short value);
int qurt_sem_down(object *semaphore);
int qurt_sem_try_down(object *semaphore);
int qurt_sem_add(object *semaphore, unsigned int amount);
int HAP_timer_sleep(unsigned long long us);

#define STACK_SIZE 16384
#define PACKET_BYTES 65536

static uint32_t n_calls; /* in this process domain; several threads call */
static dspqueue_t queue;
static qurt_thread_t reader;
static int has_reader;

/* --- Echo of packets --- */

static uint8_t message[PACKET_BYTES];
static struct dspqueue_buffer buffers[64];

/* Increments the first byte of every buffer, so that the client sees that the DSP accessed it. */
static void answer(dspqueue_t to, uint32_t n_buffers, uint32_t length) {
    for (uint32_t i = 0; i < n_buffers; i++) {
        ((uint8_t *)buffers[i].ptr)[0]++;
        buffers[i].flags = 0;
    }
    dspqueue_write(to, 0, n_buffers, buffers, length, message, DSPQUEUE_TIMEOUT_NONE);
}

static void on_packet(dspqueue_t from, AEEResult error, void *context) {
    uint32_t flags, n_buffers, length;
    (void)context;
    while (error == 0 &&
           dspqueue_read_noblock(from, &flags, 64, &n_buffers, buffers, sizeof message, &length, message) == 0) {
        answer(from, n_buffers, length);
    }
}

static void read_packets(void *unused) {
    uint32_t flags, n_buffers, length;
    (void)unused;
    while (dspqueue_read(queue, &flags, 64, &n_buffers, buffers, sizeof message, &length, message,
                         DSPQUEUE_TIMEOUT_NONE) == 0) {
        if (length == 4 && message[0] == TEST_QUIT) {
            break;
        }
        answer(queue, n_buffers, length);
    }
}

static int start_thread(qurt_thread_t *thread, void (*entry)(void *), void *argument, void *stack, uint16_t priority) {
    qurt_thread_attr_t attr;
    memset(&attr, 0, sizeof attr);
    memcpy(attr.name, "test", 5);
    attr.priority = priority;
    attr.bus_priority = QURT_BUS_PRIORITY_DEFAULT;
    attr.timetest_id = QURT_TIMETEST_ID_DEFAULT;
    attr.stack_size = STACK_SIZE;
    attr.stack = stack;
    return qurt_thread_create(thread, &attr, entry, argument);
}

static uint8_t reader_stack[STACK_SIZE] __attribute__((aligned(128)));

static int import_queue(uint64_t id, uint32_t mode) {
    int code = dspqueue_import(id, mode == TEST_BY_CALLBACK ? on_packet : NULL, NULL, NULL, &queue);
    if (code == 0 && mode == TEST_BY_READ) {
        has_reader = 1;
        code = start_thread(&reader, read_packets, NULL, reader_stack, 100);
    }
    return code;
}

/* Requires that TEST_QUIT was sent to a reading thread. */
static int close_queue(void) {
    int status;
    if (has_reader) {
        qurt_thread_join(reader, &status);
        has_reader = 0;
    }
    return dspqueue_close(queue);
}

/* --- Threads: each adds its number under a mutex, in rounds separated by a barrier --- */

#define N_THREADS 4
#define N_ROUNDS 50

static struct {
    qurt_mutex_t mutex;
    qurt_signal_t go;
    qurt_signal_t done;
    object barrier;
    object semaphore;
    uint32_t total;
    uint32_t late; /* rounds in which a thread saw less than a full round before it */
} work;

static void work_thread(void *argument) {
    uint32_t number = (uint32_t)(uintptr_t)argument;
    qurt_sem_down(&work.semaphore);
    for (uint32_t round = 0; round < N_ROUNDS; round++) {
        qurt_mutex_lock(&work.mutex);
        work.total += number;
        qurt_mutex_unlock(&work.mutex);
        qurt_barrier_wait(&work.barrier);
        qurt_mutex_lock(&work.mutex);
        work.late += work.total < (round + 1) * (1 + 2 + 3 + 4);
        qurt_mutex_unlock(&work.mutex);
        qurt_barrier_wait(&work.barrier);
    }
    qurt_signal_set(&work.done, 1u << number);
    qurt_thread_exit((int)number);
}

/* Whether a semaphore that is tried counts down to zero, and no further. */
static int tried_semaphore_counts(void) {
    object semaphore;
    qurt_sem_init_val(&semaphore, 2);
    int has_counted = qurt_sem_try_down(&semaphore) == 0 && qurt_sem_try_down(&semaphore) == 0;
    has_counted = has_counted && qurt_sem_try_down(&semaphore) != 0;
    qurt_sem_add(&semaphore, 1);
    return has_counted && qurt_sem_try_down(&semaphore) == 0 && qurt_sem_try_down(&semaphore) != 0;
}

static int run_threads(uint32_t *total) {
    qurt_thread_t threads[N_THREADS];
    uint8_t *stacks = phx_memalign(128, N_THREADS * STACK_SIZE);
    int sum = 0;
    if (stacks == NULL) {
        return DSP_ENOMEMORY;
    }
    memset(&work, 0, sizeof work);
    qurt_mutex_init(&work.mutex);
    qurt_signal_init(&work.done);
    qurt_barrier_init(&work.barrier, N_THREADS);
    qurt_sem_init_val(&work.semaphore, 0);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        if (start_thread(&threads[i], work_thread, (void *)(uintptr_t)(i + 1), stacks + i * STACK_SIZE,
                         (uint16_t)(100 + i)) != 0) {
            return DSP_ETHREADCREATE;
        }
    }
    qurt_sem_add(&work.semaphore, N_THREADS);
    qurt_signal_wait(&work.done, 0x1e, QURT_SIGNAL_ATTR_WAIT_ALL);
    for (uint32_t i = 0; i < N_THREADS; i++) {
        int status = 0;
        qurt_thread_join(threads[i], &status);
        sum += status;
    }
    qurt_barrier_destroy(&work.barrier);
    qurt_signal_destroy(&work.done);
    qurt_mutex_destroy(&work.mutex);
    phx_free(stacks);
    *total = work.total;
    return sum == 10 && work.late == 0 && tried_semaphore_counts() ? 0 : DSP_EBADSTATE;
}

/* --- Methods --- */

static int sum(const remote_arg *args) {
    uint32_t n;
    int64_t total = 0;
    memcpy(&n, args[0].buf.pv, 4);
    if (args[1].buf.nLen != (size_t)n * 4 || args[2].buf.nLen != 8) {
        return DSP_EBADPARM;
    }
    const int32_t *values = args[1].buf.pv;
    for (uint32_t i = 0; i < n; i++) {
        total += values[i];
    }
    memcpy(args[2].buf.pv, &total, 8);
    return 0;
}

static int sum_of_fd(int fd, uint32_t size, uint64_t *total) {
    void *address;
    int code = HAP_mmap_get(fd, &address, NULL);
    if (code != 0) {
        return code;
    }
    *total = 0;
    for (uint32_t i = 0; i < size; i++) {
        *total += ((const uint8_t *)address)[i];
    }
    return HAP_mmap_put(fd);
}

static struct {
    int fd;
    const uint8_t *address;
} held;

static int hold(int fd) {
    void *address;
    int code = HAP_mmap_get(fd, &address, NULL);
    held.fd = fd;
    held.address = address;
    return code;
}

static int sum_held(uint64_t *total) {
    *total = 0;
    for (uint32_t i = 0; i < 4096; i++) {
        *total += held.address[i];
    }
    return HAP_mmap_put(held.fd);
}

static int wait_for_ever(void) {
    qurt_signal_t never;
    qurt_signal_init(&never);
    qurt_signal_wait(&never, 1, QURT_SIGNAL_ATTR_WAIT_ANY);
    return 0;
}

static int compute(uint32_t ms) {
    uint64_t end = HAP_perf_get_qtimer_count() + (uint64_t)ms * 19200;
    while (HAP_perf_get_qtimer_count() < end) {
    }
    return 0;
}

__attribute__((visibility("default"))) int test_skel_handle_invoke(uint64_t handle, uint32_t scalars, remote_arg *args);

int test_skel_handle_invoke(uint64_t handle, uint32_t scalars, remote_arg *args) {
    uint32_t method = scalars >> 24 & 0x1f;
    uint32_t in[4] = {0};
    uint64_t out64 = 0;
    uint32_t out32 = 0;
    uint64_t id;
    int code;
    __atomic_fetch_add(&n_calls, 1, __ATOMIC_RELAXED);
    if (method > 1 && handle != TEST_HANDLE) {
        return DSP_EINVHANDLE;
    }
    if (method > TEST_SUM && (scalars >> 16 & 0xff) == 1) {
        memcpy(in, args[0].buf.pv, args[0].buf.nLen < sizeof in ? args[0].buf.nLen : sizeof in);
    }
    switch (method) {
    case 0:
        memcpy(in, args[0].buf.pv, 4);
        if (scalars != 0x00020001 || in[0] != args[1].buf.nLen) {
            return DSP_EBADPARM;
        }
        args[2].h64 = TEST_HANDLE;
        return 0;
    case 1:
        return args[0].h64 == TEST_HANDLE ? 0 : DSP_EINVHANDLE;
    case TEST_SUM:
        return (scalars >> 8 & 0xffff) == 0x0201 ? sum(args) : DSP_EBADPARM;
    case TEST_SLEEP:
        return HAP_timer_sleep((uint64_t)in[0] * 1000);
    case TEST_IMPORT:
        memcpy(&id, in, 8);
        return import_queue(id, in[2]);
    case TEST_CLOSE:
        return close_queue();
    case TEST_SUM_FD:
        code = sum_of_fd((int)in[0], in[1], &out64);
        memcpy(args[1].buf.pv, &out64, 8);
        return code;
    case TEST_THREADS:
        code = run_threads(&out32);
        memcpy(args[0].buf.pv, &out32, 4);
        return code;
    case TEST_CALLS:
        out32 = __atomic_load_n(&n_calls, __ATOMIC_RELAXED);
        memcpy(args[0].buf.pv, &out32, 4);
        return 0;
    case TEST_WAIT:
        return wait_for_ever();
    case TEST_LEAK:
        return phx_malloc(in[0]) != NULL ? 0 : DSP_ENOMEMORY;
    case TEST_RESULT:
        return (int)in[0];
    case TEST_COMPUTE:
        return compute(in[0]);
    case TEST_HOLD:
        return hold((int)in[0]);
    case TEST_SUM_HELD:
        code = sum_held(&out64);
        memcpy(args[0].buf.pv, &out64, 8);
        return code;
    default:
        HAP_debug_v2(HAP_LEVEL_ERROR, "test_skel.c", 1, "no method %u", method);
        return DSP_EUNSUPPORTED;
    }
}
