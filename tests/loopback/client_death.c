/* SPDX-License-Identifier: MIT
 *
 * Many sessions, dying processes, processes that do not answer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

/* Sanitizers: run fewer cycles and skip memory checks, since freed memory stays in quarantine. */
static int is_sanitized(void) {
    return getenv("TEST_SANITIZED") != NULL;
}

static uint32_t cycles(uint32_t n) {
    return is_sanitized() ? n / 10 : n;
}

static struct usage settled(uint32_t threads) {
    struct usage usage = usage_now();
    for (uint32_t i = 0; i < MINUTE / 10 && usage.threads > threads; i++) {
        sleep_ms(10);
        usage = usage_now();
    }
    return usage;
}

static void use_once(void) {
    remote_handle64 handle = open_session();
    int32_t *memory = rpcmem_alloc(25, 1, 4096);
    int fd = rpcmem_to_fd(memory);
    int64_t total;
    dspqueue_t queue;
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD), 0);
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    CHECK(call_sum(handle, memory, 1024, &total), 0);
    CHECK(call_word(handle, TEST_LEAK, 65536), 0); /* freed with the process */
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
    CHECK(dspqueue_close(queue), 0);
    CHECK(fastrpc_munmap(CDSP, fd, memory, 4096), 0);
    rpcmem_free(memory);
    CHECK(remote_handle64_close(handle), 0);
}

/* Less than a pointer per cycle: what is allocated once in a while, like a larger table. */
static void check_growth(struct usage before, struct usage after, uint32_t n) {
    printf("%u cycles: fds %u -> %u, threads %u -> %u, maps %u -> %u, heap %u -> %u\n", n, before.fds, after.fds,
           before.threads, after.threads, before.maps, after.maps, before.heap_bytes, after.heap_bytes);
    CHECK(after.fds, before.fds);
    CHECK(after.threads, before.threads);
    CHECK_TRUE(is_sanitized() || after.maps == before.maps);
    CHECK_TRUE(is_sanitized() || after.heap_bytes < before.heap_bytes + 8 * n);
}

void test_cycles(void) {
    for (int i = 0; i < 20; i++) {
        use_once();
    }
    struct usage before = settled(3);
    uint32_t n = cycles(1000);
    for (uint32_t i = 0; i < n; i++) {
        use_once();
    }
    check_growth(before, settled(before.threads), n);
}

static void *wait_for_death(void *argument) {
    remote_handle64 handle = *(remote_handle64 *)argument;
    return (void *)(intptr_t)remote_handle64_invoke(handle, SCALARS(TEST_WAIT, 0, 0), NULL);
}

/* Kills a process with a waiting thread, an imported queue and mapped memory. */
static void die_once(void) {
    remote_handle64 handle = open_session();
    remote_handle64 again;
    pthread_t thread;
    void *result;
    int32_t *memory = rpcmem_alloc(25, 1, 4096);
    dspqueue_t queue;
    CHECK(fastrpc_mmap(CDSP, rpcmem_to_fd(memory), memory, 0, 4096, FASTRPC_MAP_FD), 0);
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_READ), 0);
    CHECK(pthread_create(&thread, NULL, wait_for_death, &handle), 0);
    sleep_ms(1);
    CHECK(loopback_kill(CDSP), 0);
    pthread_join(thread, &result);
    CHECK_TRUE((uint32_t)(intptr_t)result == 0x8000040d || (uint32_t)(intptr_t)result == 0x68);
    CHECK(remote_handle64_open(URI, &again), 0x68);
    rpcmem_free(memory);
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(handle), 0);
}

void test_kill_cycles(void) {
    for (int i = 0; i < 10; i++) {
        die_once();
    }
    struct usage before = settled(3);
    uint32_t n = cycles(200);
    for (uint32_t i = 0; i < n; i++) {
        die_once();
    }
    use_once();
    check_growth(before, settled(before.threads), n);
}

static void *compute(void *argument) {
    remote_handle64 handle = *(remote_handle64 *)argument;
    return (void *)(intptr_t)call_word(handle, TEST_COMPUTE, MINUTE);
}

void test_death(void) {
    remote_handle64 handle = open_session();
    remote_handle64 second = open_session();
    struct thread threads[2];
    void *results[2];
    start_until_it_waits(&threads[0], compute, &handle);
    start_until_it_waits(&threads[1], wait_for_death, &second);
    uint64_t start = now_ms();
    CHECK(loopback_kill(CDSP), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i].thread, &results[i]);
    }
    CHECK_TRUE(now_ms() - start < MINUTE / 2); /* not delayed by the thread that computes */
    uint32_t codes[2] = {(uint32_t)(intptr_t)results[0], (uint32_t)(intptr_t)results[1]};
    CHECK_TRUE((codes[0] == 0x8000040d && codes[1] == 0x68) || (codes[1] == 0x8000040d && codes[0] == 0x68));
    CHECK(call_word(handle, TEST_RESULT, 7), 0x68);
    CHECK(remote_handle64_close(handle), 0);
    CHECK(remote_handle64_open(URI, &handle), 0x68);
    CHECK(remote_handle64_close(second), 0);
    handle = open_session(); /* while the old process still computes */
    CHECK(calls_of_pd(handle), 2);
    remote_rpc_process_exception exception = {CDSP};
    CHECK(remote_session_control(FASTRPC_REMOTE_PROCESS_EXCEPTION, &exception, sizeof exception), 0);
    CHECK(call_word(handle, TEST_RESULT, 7), 0x68);
    CHECK(remote_handle64_close(handle), 0);
    CHECK(remote_session_control(FASTRPC_REMOTE_PROCESS_EXCEPTION, &exception, sizeof exception), 0x200);
}

static void *call_seven(void *argument) {
    remote_handle64 handle = *(remote_handle64 *)argument;
    return (void *)(intptr_t)call_word(handle, TEST_RESULT, 7);
}

static void *open_one(void *argument) {
    *(remote_handle64 *)argument = open_session();
    return NULL;
}

/* Starts a thread that waits for the stalled process, resumes that, and returns the thread's result. */
static intptr_t resumed(void *(*run)(void *), remote_handle64 *handle) {
    struct thread thread;
    void *result;
    start_until_it_waits(&thread, run, handle);
    CHECK(loopback_is_stalled(CDSP), 1);
    CHECK(loopback_stall(CDSP, 0), 0);
    pthread_join(thread.thread, &result);
    CHECK(loopback_is_stalled(CDSP), 0);
    return (intptr_t)result;
}

void test_stall(void) {
    CHECK(loopback_stall(CDSP, 1), 0x6b);
    CHECK(loopback_stall_at(CDSP, 1), 0x6b);
    CHECK(loopback_is_stalled(CDSP), 0);
    CHECK(loopback_kill(CDSP), 0x6b);
    remote_handle64 handle = open_session();
    CHECK(loopback_stall(CDSP, 1), 0);
    CHECK(resumed(call_seven, &handle), 7);
    for (uint32_t nth = 1; nth <= 2; nth++) { /* the call and its answer */
        CHECK(loopback_stall_at(CDSP, nth), 0);
        CHECK(resumed(call_seven, &handle), 7);
    }
    CHECK(loopback_stall_at(CDSP, 3), 0);
    CHECK(call_word(handle, TEST_RESULT, 7), 7);
    CHECK(loopback_stall_at(CDSP, 0), 0);
    CHECK(call_word(handle, TEST_RESULT, 7), 7);
    CHECK(remote_handle64_close(handle), 0);
    CHECK(loopback_set("stall_at", 1), 0);
    resumed(open_one, &handle);
    CHECK(loopback_stall(CDSP, 1), 0);
    struct thread thread;
    start_until_it_waits(&thread, wait_for_death, &handle);
    CHECK(loopback_kill(CDSP), 0);
    void *result;
    pthread_join(thread.thread, &result);
    CHECK((uint32_t)(intptr_t)result, 0x8000040d);
    CHECK(remote_handle64_close(handle), 0);
}

/* Threads open, call and close while the process is killed again and again: only the codes of a death may appear. */
static _Atomic int churning;

static int is_death(int code) {
    return code == 0x68 || (uint32_t)code == 0x8000040d;
}

static void *churn(void *argument) {
    int32_t values[2] = {(int32_t)(intptr_t)argument, 1};
    while (atomic_load(&churning)) {
        remote_handle64 handle;
        int64_t total = 0;
        int code = remote_handle64_open(URI, &handle);
        if (code != 0) {
            CHECK_TRUE(is_death(code));
            sleep_ms(1);
            continue;
        }
        for (int i = 0; i < 20 && code == 0; i++) {
            code = call_sum(handle, values, 2, &total);
            CHECK_TRUE(is_death(code) || (code == 0 && total == values[0] + 1));
        }
        CHECK(remote_handle64_close(handle), 0);
    }
    return NULL;
}

void test_churn(void) {
    use_once();
    pthread_t threads[3];
    struct usage before = settled(3);
    uint32_t kills = 0;
    atomic_store(&churning, 1);
    for (intptr_t i = 0; i < 3; i++) {
        CHECK(pthread_create(&threads[i], NULL, churn, (void *)(i * 1000)), 0);
    }
    for (uint32_t i = 0; i < cycles(500) || (kills == 0 && i < MINUTE); i++) {
        sleep_ms(1 + i % 3);
        kills += loopback_kill(CDSP) == 0;
    }
    atomic_store(&churning, 0);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    struct usage after = settled(before.threads);
    printf("%u kills\n", kills);
    CHECK_TRUE(kills > 0);
    CHECK(after.fds, before.fds);
    CHECK(after.threads, before.threads);
    use_once();
}

/* A child sees dead sessions, and neither its calls nor its exit disturb the parent. */
void test_fork(void) {
    remote_handle64 handle = open_session();
    remote_handle64 second = open_session();
    dspqueue_t queue;
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    pid_t child = fork();
    if (child == 0) {
        CHECK(call_word(handle, TEST_RESULT, 7), 0x68);
        CHECK(remote_handle64_close(second), 0);
        CHECK(dspqueue_close(queue), 0);
        CHECK(remote_handle64_close(handle), 0);
        handle = open_session(); /* its own session */
        CHECK(call_word(handle, TEST_RESULT, 7), 7);
        exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0), child);
    CHECK(status, 0);
    uint8_t message[4] = {1, 2, 3, 4};
    uint32_t flags, n_buffers, length;
    CHECK(dspqueue_write(queue, 0, 0, NULL, 4, message, 1000000), 0);
    CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, 4, &length, message, 1000000), 0);
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(second), 0);
    CHECK(remote_handle64_close(handle), 0);
}

/* Prints the cost of a call, without a limit. */
void test_cost(void) {
    remote_handle64 handle = open_session();
    dspqueue_t queue;
    uint8_t message[16] = {0};
    uint32_t flags, n_buffers, length, n = cycles(20000);
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    uint64_t start = now_ms();
    for (uint32_t i = 0; i < n; i++) {
        CHECK(call_word(handle, TEST_RESULT, 0), 0);
    }
    uint64_t middle = now_ms();
    for (uint32_t i = 0; i < n; i++) {
        CHECK(dspqueue_write(queue, 0, 0, NULL, 16, message, 1000000), 0);
        CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, 16, &length, message, 1000000), 0);
    }
    printf("invoke %.1f us, dspqueue round trip %.1f us\n", (double)(middle - start) * 1000 / n,
           (double)(now_ms() - middle) * 1000 / n);
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(handle), 0);
}
