/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>

#include "client.h"

void test_session(void) {
    remote_handle64 a = open_session();
    remote_handle64 b = open_session();
    uint32_t before = calls_of_pd(a);
    CHECK(calls_of_pd(b), before + 1); /* one process, one set of globals */
    CHECK(remote_handle64_close(b), 0);
    CHECK(calls_of_pd(a), before + 3); /* closing one of several handles runs the skel's close */
    CHECK(remote_handle64_close(a), 0);
    a = open_session();
    CHECK(calls_of_pd(a), 2); /* a fresh process */
    remote_handle64 other;
    CHECK(remote_handle64_open(TEST_URI "&_dom=cdsp&_session=1", &other), 0);
    CHECK(calls_of_pd(other), 2);
    CHECK(remote_handle64_close(a), 0);
    CHECK(calls_of_pd(other), 3);
    CHECK(remote_handle64_close(other), 0);
}

static void *sum_many(void *argument) {
    remote_handle64 handle = *(remote_handle64 *)argument;
    for (int32_t i = 0; i < 200; i++) {
        int32_t values[3] = {i, 2 * i, 3 * i};
        int64_t total = 0;
        CHECK(call_sum(handle, values, 3, &total), 0);
        CHECK(total, 6 * i);
    }
    return NULL;
}

void test_invoke(void) {
    remote_handle64 handle = open_session();
    int32_t few[5] = {1, -2, 3, 2000000000, 2000000000};
    int64_t total = 0;
    CHECK(call_sum(handle, few, 5, &total), 0);
    CHECK_TRUE(total == 4000000002);
    CHECK(call_sum(handle, NULL, 0, &total), 0);
    CHECK_TRUE(total == 0);

    int32_t *shared = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, 8192);
    for (int32_t i = 0; i < 2048; i++) {
        shared[i] = i;
    }
    CHECK(call_sum(handle, shared, 2048, &total), 0);
    CHECK_TRUE(total == 2047 * 1024);
    CHECK(call_sum(handle, shared + 2047, 1, &total), 0); /* a slice is also passed without a copy */
    CHECK_TRUE(total == 2047);
    CHECK(call_sum(handle, shared + 2047, 2, &total), 0xe); /* one byte past the end */
    rpcmem_free(shared);

    CHECK(call_word(handle, TEST_RESULT, 0x1234), 0x1234);
    CHECK(call_word(handle, TEST_RESULT, 0x80000402), 0x80000402);
    CHECK(call_word(handle, TEST_RESULT, (uint32_t)-1), 0x4e); /* taken for EPERM */
    CHECK(call_word(handle, TEST_RESULT, (uint32_t)-4), 0x200);
    CHECK(remote_handle64_invoke(handle, SCALARS(30, 0, 0), NULL), 0x80000414);
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_SUM, 2, 1), NULL), 0xe);

    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_create(&threads[i], NULL, sum_many, &handle), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(remote_handle64_close(handle), 0);
}

void test_memory(void) {
    CHECK_TRUE(rpcmem_alloc(25, 1, 0) == NULL);
    CHECK_TRUE(rpcmem_alloc(25, 1, -5) == NULL);
    uint8_t *a = rpcmem_alloc(25, 1, 5000);
    uint8_t *b = rpcmem_alloc2(25, 1, 1);
    CHECK_TRUE(a != NULL && b != NULL && ((uintptr_t)a & 4095) == 0);
    CHECK_TRUE(rpcmem_to_fd(a) >= 0 && rpcmem_to_fd(b) != rpcmem_to_fd(a));
    CHECK(rpcmem_to_fd(a + 1), -1);
    CHECK(rpcmem_to_fd(NULL), -1);
    a[4999] = 7;
    rpcmem_free(a + 1); /* unknown: no effect */
    rpcmem_free(NULL);
    CHECK(a[4999], 7);
    rpcmem_free(a);
    CHECK(rpcmem_to_fd(a), -1);
    rpcmem_free(a);
    rpcmem_free(b);

    CHECK(loopback_set("memory_limit", 65536), 0);
    a = rpcmem_alloc(25, 1, 40000);
    CHECK_TRUE(a != NULL);
    CHECK_TRUE(rpcmem_alloc(25, 1, 40000) == NULL);
    rpcmem_free(a);
    a = rpcmem_alloc(25, 1, 65536);
    CHECK_TRUE(a != NULL);
    rpcmem_free(a);
}

static int sum_fd(remote_handle64 handle, int fd, uint32_t size, uint64_t *total) {
    uint32_t in[2] = {(uint32_t)fd, size};
    remote_arg args[2];
    args[0].buf = (remote_buf){in, sizeof in};
    args[1].buf = (remote_buf){total, 8};
    return remote_handle64_invoke(handle, SCALARS(TEST_SUM_FD, 1, 1), args);
}

void test_mapping(void) {
    uint8_t *memory = rpcmem_alloc(25, 1, 4096);
    int fd = rpcmem_to_fd(memory);
    uint64_t total;
    memset(memory, 3, 4096);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD), 0x6b);
    CHECK(fastrpc_munmap(CDSP, fd, memory, 4096), 0x6b);
    remote_handle64 handle = open_session();
    CHECK(sum_fd(handle, fd, 4096, &total), 0x80000448);
    CHECK(fastrpc_mmap(CDSP, -1, memory, 0, 4096, FASTRPC_MAP_FD), 0xe);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 64, 4096, FASTRPC_MAP_FD), 0xe);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_RESERVED), 0xe);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, (enum fastrpc_map_flags)17), 0xe);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 8192, FASTRPC_MAP_FD), 0xe); /* longer than the memory */
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD_DELAYED), 0);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD), 0x1a);
    CHECK(sum_fd(handle, fd, 4096, &total), 0);
    CHECK_TRUE(total == 3 * 4096);
    CHECK(call_word(handle, TEST_HOLD, (uint32_t)fd), 0);
    CHECK(fastrpc_munmap(CDSP, fd, memory, 4096), 0);
    remote_arg held = {.buf = {&total, sizeof total}};
    total = 0;
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_SUM_HELD, 0, 1), &held), 0); /* the skel's own reference counts */
    CHECK_TRUE(total == 3 * 4096);
    CHECK(fastrpc_munmap(CDSP, fd, memory, 4096), 0x48);
    CHECK(sum_fd(handle, fd, 4096, &total), 0x80000448);

    uint64_t remote = 0;
    CHECK(remote_mem_map(CDSP, fd, 1, 0, 4096, &remote), 0xe);
    CHECK(remote_mem_map(CDSP, fd, 0, 0, 4096, &remote), 0);
    CHECK_TRUE(remote != 0);
    CHECK(remote_mem_unmap(CDSP, remote, 4096), 0);
    CHECK(remote_mem_unmap(CDSP, remote, 4096), 0xe);
    CHECK(remote_handle64_close(handle), 0);

    CHECK(loopback_set("heap", 100000), 0);
    handle = open_session();
    CHECK(call_word(handle, TEST_LEAK, 60000), 0);
    CHECK(call_word(handle, TEST_LEAK, 60000), 0x80000402);
    CHECK(remote_handle64_close(handle), 0);
    CHECK(loopback_set("heap", 0), 0);

    CHECK(loopback_set("map_limit", 8192), 0);
    handle = open_session();
    uint8_t *large = rpcmem_alloc(25, 1, 12288);
    CHECK(fastrpc_mmap(CDSP, rpcmem_to_fd(large), large, 0, 12288, FASTRPC_MAP_FD), 0x80000402);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD), 0);
    CHECK(remote_handle64_close(handle), 0);
    rpcmem_free(large);
    rpcmem_free(memory);
}

void test_threads(void) {
    remote_handle64 handle = open_session();
    for (int i = 0; i < 10; i++) {
        uint32_t total = 0;
        remote_arg arg;
        arg.buf = (remote_buf){&total, 4};
        CHECK(remote_handle64_invoke(handle, SCALARS(TEST_THREADS, 0, 1), &arg), 0);
        CHECK(total, 50 * 10);
    }
    CHECK(remote_handle64_close(handle), 0);
}

void test_misuse(void) {
    remote_handle64 handle = 1;
    CHECK(remote_handle64_open(TEST_URI, &handle), 0xe);
    CHECK(remote_handle64_open(TEST_URI "&_dom=nodsp", &handle), 0xe);
    CHECK(remote_handle64_open(TEST_URI "&_dom=cdsp&_session=4", &handle), 0xe);
    CHECK(remote_handle64_open("'\":;./\\geteventfd&_dom=cdsp", &handle), 0xe);
    CHECK(remote_handle64_open("file:///libno_skel.so?no_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle),
          0x80000406);
    CHECK(remote_handle64_open("file:///libtest_skel.so?no_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle),
          0x80000442);
    CHECK(remote_handle64_open("file:///libtest_skel.so?test_skel_handle_invoke&_dom=cdsp", &handle), 0x80000442);
    CHECK(remote_handle64_open("file:///libmips_skel.so?test_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle),
          0x80000406);
    CHECK(remote_handle64_open("file:///libtext_skel.so?test_skel_handle_invoke&_modver=1.0&_dom=cdsp", &handle),
          0x80000406);
    CHECK(handle, 1);
    CHECK(remote_handle64_close(0x123456), 0x2c);
    CHECK(remote_handle64_invoke(0x123456, 0, NULL), 0);

    remote_handle old = 1;
    CHECK(remote_handle_open(TEST_URI, &old), 0x14);
    CHECK(remote_handle_invoke(1, 0, NULL), 0x14);
    CHECK(remote_register_dma_handle(0, 4096), 0x14);
    CHECK(remote_register_dma_handle_attr(0, 4096, FASTRPC_ATTR_NOMAP), 0x14);
    CHECK(remote_register_dma_handle(-1, 4096), 0xe);
    CHECK(remote_register_dma_handle_attr(0, 4096, 1), 0xe);
}

/* FARF messages of a stub belong to the CPU, though this library has the name, too. */
void test_farf(void) {
    char text[4096];
    loopback_reset();
    HAP_debug_v2(2, "stub.c", 7, "no. %d", 5);
    HAP_debug("plain", 3, "stub.c", 8);
    loopback_log(text, sizeof text);
    CHECK_TRUE(strcmp(text, "cpu: 2 stub.c:7: no. 5\ncpu: 3 stub.c:8: plain\n") == 0);
}

static int session_request(uint32_t request, int domain, int value) {
    int data[2] = {domain, value};
    return remote_session_control(request, data, sizeof data);
}

static uint32_t capability(uint32_t attribute) {
    fastrpc_capability request = {CDSP, attribute, 0xffff};
    CHECK(remote_handle_control(DSPRPC_GET_DSP_INFO, &request, sizeof request), 0);
    return request.capability;
}

void test_controls(void) {
    CHECK(capability(DOMAIN_SUPPORT), 1);
    CHECK(capability(ARCH_VER) & 0xff, 0x68);
    CHECK(capability(VTCM_PAGE) * capability(VTCM_COUNT), 4194304);
    CHECK(capability(ASYNC_FASTRPC_SUPPORT), 0);
    fastrpc_capability bad = {CDSP, 260, 0};
    CHECK(remote_handle_control(DSPRPC_GET_DSP_INFO, &bad, sizeof bad), 0xe);
    CHECK(remote_handle_control(DSPRPC_GET_DSP_INFO, NULL, sizeof bad), 0xe);
    CHECK(remote_session_control(2, &bad, sizeof bad), 0xe);

    CHECK(session_request(DSPRPC_CONTROL_UNSIGNED_MODULE, CDSP, 1), 0);
    CHECK(session_request(FASTRPC_PD_INITMEM_SIZE, CDSP, 4 << 20), 0x14);
    CHECK(session_request(FASTRPC_PD_INITMEM_SIZE, CDSP + 8, 4 << 20), 0);
    CHECK(session_request(FASTRPC_PD_INITMEM_SIZE, CDSP + 8, 2 << 20), 0xe);
    remote_handle64 handle = open_session();
    CHECK(session_request(DSPRPC_CONTROL_UNSIGNED_MODULE, CDSP, 1), 0);
    CHECK(session_request(DSPRPC_CONTROL_UNSIGNED_MODULE, CDSP, 0), 5);
    CHECK(session_request(FASTRPC_CONTROL_PD_DUMP, CDSP, 1), 0x200);
    struct remote_process_type type = {CDSP, -5};
    CHECK(remote_session_control(FASTRPC_REMOTE_PROCESS_TYPE, &type, sizeof type), 0);
    CHECK(type.process_type, PROCESS_TYPE_UNSIGNED);
    struct remote_rpc_control_latency latency = {RPC_PM_QOS, 100};
    CHECK(remote_handle64_control(handle, DSPRPC_CONTROL_LATENCY, &latency, sizeof latency), 0);
    latency.enable = RPC_POLL_QOS;
    CHECK(remote_handle64_control(handle, DSPRPC_CONTROL_LATENCY, &latency, sizeof latency), 0);
    latency.latency = 10000;
    CHECK(remote_handle64_control(handle, DSPRPC_CONTROL_LATENCY, &latency, sizeof latency), 0xe);
    latency.latency = 9999;
    loopback_set("poll", 0);
    CHECK(remote_handle64_control(handle, DSPRPC_CONTROL_LATENCY, &latency, sizeof latency), 0x14);
    loopback_reset();
    remote_rpc_get_domain_t domain = {-1};
    CHECK(remote_handle64_control(handle, DSPRPC_GET_DOMAIN, &domain, sizeof domain), 0);
    CHECK(domain.domain, CDSP);
    CHECK(remote_handle64_close(handle), 0);
    CHECK(remote_handle64_control(handle, DSPRPC_GET_DOMAIN, &domain, sizeof domain), 0x2c);

    struct remote_rpc_thread_params params = {CDSP, 0, -1};
    CHECK(remote_session_control(FASTRPC_THREAD_PARAMS, &params, sizeof params), 0xe);
    params = (struct remote_rpc_thread_params){-1, 255, 8388608};
    CHECK(remote_session_control(FASTRPC_THREAD_PARAMS, &params, sizeof params), 0);
    params.stack_size = 16383;
    CHECK(remote_session_control(FASTRPC_THREAD_PARAMS, &params, sizeof params), 0xe);

    char name[] = "cdsp";
    for (uint32_t i = 1; i <= 4; i++) {
        remote_rpc_reserve_new_session_t reserve = {.domain_name = name, .domain_name_len = 4};
        CHECK(remote_session_control(FASTRPC_RESERVE_NEW_SESSION, &reserve, sizeof reserve), i < 4 ? 0 : 0x8a);
        CHECK(reserve.effective_domain_id, i < 4 ? CDSP + 8 * i : 0);
    }
    char module[] = "file:///x";
    char uri[64];
    remote_rpc_get_uri_t get = {name, 4, 2, module, sizeof module - 1, uri, sizeof uri};
    CHECK(remote_session_control(FASTRPC_GET_URI, &get, sizeof get), 0);
    CHECK(strcmp(uri, "file:///x&_dom=cdsp&_session=2"), 0);
    get.uri_len = 20;
    CHECK(remote_session_control(FASTRPC_GET_URI, &get, sizeof get), 0x4d);
    get.uri_len = 9;
    CHECK(remote_session_control(FASTRPC_GET_URI, &get, sizeof get), 0xe);
}

void test_traps(void) {
    remote_handle64 a = open_session();
    remote_handle64 b = open_session();
    CHECK(remote_handle64_close(a), 0);
    CHECK(call_word(a, TEST_RESULT, 7), 0x8000043e); /* stale, but the session is alive */
    CHECK(call_word(b, TEST_RESULT, 7), 7);
    CHECK(remote_handle64_close(a), 0); /* the second close destroys the session */
    CHECK(call_word(b, TEST_RESULT, 7), 0);
    CHECK(remote_handle64_close(b), 0x2c);
    struct remote_rpc_session_close none = {CDSP};
    CHECK(remote_session_control(FASTRPC_SESSION_CLOSE, &none, sizeof none), -1);
    a = open_session();
    CHECK(remote_handle64_close(a), 0);
    CHECK(call_word(a, TEST_RESULT, 7), 0);
}

void test_control_api(void) {
    char text[8192];
    CHECK(loopback_fail("no_such_call", 1, 1), 0xe);
    CHECK(loopback_set("no_such_option", 1), 0xe);
    CHECK(loopback_fail("rpcmem_alloc", 2, 0), 0);
    void *memory = rpcmem_alloc(25, 1, 100);
    CHECK_TRUE(memory != NULL);
    CHECK_TRUE(rpcmem_alloc(25, 1, 100) == NULL);
    rpcmem_free(memory);
    CHECK(loopback_count("rpcmem_alloc"), 2);
    CHECK(loopback_fail("remote_handle64_invoke", 1, (int)0x80000402), 0);
    CHECK(remote_handle64_invoke(5, 6, NULL), 0x80000402);
    CHECK(remote_handle64_invoke(5, 6, NULL), 0);
    CHECK(loopback_fail("remote_handle64_invoke", 1, 5), 0);
    CHECK(loopback_fail("remote_handle64_invoke", 0, 0), 0);
    CHECK(remote_handle64_invoke(5, 6, NULL), 0);
    uint32_t needed = loopback_calls(text, sizeof text);
    CHECK(needed, strlen(text) + 1);
    CHECK_TRUE(strstr(text, "remote_handle64_invoke(0x5, 0x6) = 0x80000402\n") != NULL);
    CHECK(loopback_calls(text, 10), needed);
    CHECK(strlen(text), 9);
    remote_handle64 handle;
    CHECK(remote_handle64_open("file:///libno_skel.so?x&_modver=1.0&_dom=cdsp", &handle), 0x80000406);
    CHECK_TRUE(loopback_log(text, sizeof text) > 1 && strstr(text, "libno_skel.so") != NULL);
    loopback_reset();
    CHECK(loopback_count("rpcmem_alloc"), 0);
    CHECK(loopback_calls(text, sizeof text), 1);
    CHECK(loopback_log(NULL, 0), 1);

    memory = rpcmem_alloc(25, 1, 100);
    uint64_t start = now_ms();
    for (int i = 0; i < 1000000; i++) {
        rpcmem_to_fd(memory);
    }
    printf("a recorded call: %u ns\n", (unsigned)(now_ms() - start));
    rpcmem_free(memory);
}

void test_no_device(void) {
    remote_handle64 handle = 99;
    dspqueue_t queue = (dspqueue_t)&handle;
    CHECK(loopback_set("device", 0), 0);
    fastrpc_capability request = {CDSP, DOMAIN_SUPPORT, 5};
    CHECK(remote_handle_control(DSPRPC_GET_DSP_INFO, &request, sizeof request), 0);
    CHECK(request.capability, 0);
    request.attribute_ID = ARCH_VER;
    CHECK(remote_handle_control(DSPRPC_GET_DSP_INFO, &request, sizeof request), 0x72);
    CHECK(session_request(DSPRPC_CONTROL_UNSIGNED_MODULE, CDSP, 1), 0);
    CHECK(remote_handle64_open(URI, &handle), 0x72);
    CHECK(remote_handle64_open(TEST_URI, &handle), 0xe);
    CHECK(handle, 99);
    CHECK_TRUE(rpcmem_alloc(25, 1, 4096) == NULL);
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0x14);
    CHECK_TRUE(queue == NULL);
    uint64_t remote;
    CHECK(fastrpc_mmap(CDSP, 0, NULL, 0, 4096, FASTRPC_MAP_FD), 0x6b);
    CHECK(remote_mem_map(CDSP, 0, 0, 0, 4096, &remote), 0x6b);
    CHECK(remote_handle64_invoke(1, 0, NULL), 0);
    CHECK(remote_handle64_close(1), 0x2c);
}
