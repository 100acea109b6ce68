/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "client.h"

#define LONG (MINUTE * 1000) /* microseconds */

static int send(dspqueue_t queue, const char *text) {
    return dspqueue_write(queue, 0, 0, NULL, (uint32_t)strlen(text) + 1, (const uint8_t *)text, LONG);
}

static void expect(dspqueue_t queue, const char *text) {
    char message[64] = "";
    uint32_t flags = 0, n_buffers = 99, length = 99;
    CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, sizeof message, &length, (uint8_t *)message, LONG), 0);
    CHECK(flags, DSPQUEUE_PACKET_FLAG_MESSAGE);
    CHECK(n_buffers, 0);
    CHECK(length, strlen(text) + 1);
    CHECK(strcmp(message, text), 0);
}

static dspqueue_t create(void) {
    dspqueue_t queue;
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    return queue;
}

static void quit_reader(remote_handle64 handle, dspqueue_t queue) {
    uint8_t quit[4] = {TEST_QUIT};
    CHECK(dspqueue_write(queue, 0, 0, NULL, 4, quit, LONG), 0);
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
}

static void no_answer(dspqueue_t queue) {
    uint8_t message[8];
    uint32_t flags, n_buffers, length;
    CHECK(dspqueue_read_noblock(queue, &flags, 0, &n_buffers, NULL, 8, &length, message), 0x204);
    CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, 8, &length, message, 0), 0xc);
    CHECK(dspqueue_peek_noblock(queue, &flags, &n_buffers, &length), 0x204);
    uint64_t start = now_ms();
    CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, 8, &length, message, 50000), 0xc);
    CHECK(dspqueue_peek(queue, &flags, &n_buffers, &length, 50000), 0xc);
    CHECK_TRUE(now_ms() - start >= 99 && now_ms() - start < MINUTE);
}

void test_queue(void) {
    remote_handle64 handle = open_session();
    uint32_t modes[2] = {TEST_BY_CALLBACK, TEST_BY_READ};
    for (int i = 0; i < 2; i++) {
        dspqueue_t queue = create();
        no_answer(queue);
        CHECK(send(queue, "early"), 0); /* before the DSP has imported it */
        CHECK(call_import(handle, queue, modes[i]), 0);
        expect(queue, "early");
        CHECK(call_import(handle, queue, modes[i]), 0x8000040e); /* already imported */
        CHECK(dspqueue_close(queue), 0xe);
        for (int k = 0; k < 300; k++) {
            char text[32];
            snprintf(text, sizeof text, "packet %d", k);
            CHECK(send(queue, text), 0);
            expect(queue, text);
        }
        no_answer(queue);
        uint64_t stat = 5;
        CHECK(dspqueue_get_stat(queue, DSPQUEUE_STAT_SIGNALING_PERF, &stat), 0);
        CHECK(stat, 0);
        CHECK(dspqueue_get_stat(queue, DSPQUEUE_STAT_READ_QUEUE_PACKETS, &stat), 0);
        CHECK(stat, 0);
        CHECK(dspqueue_get_stat(queue, (enum dspqueue_stat)0, &stat), 0xe);
        CHECK(dspqueue_get_stat(queue, (enum dspqueue_stat)8, &stat), 0xe);
        if (modes[i] == TEST_BY_READ) {
            quit_reader(handle, queue);
        } else {
            CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
        }
        CHECK(dspqueue_close(queue), 0);
    }
    CHECK(dspqueue_close(NULL), 0xe);
    CHECK(remote_handle64_close(handle), 0);
}

void test_queue_buffers(void) {
    remote_handle64 handle = open_session();
    dspqueue_t queue = create();
    uint8_t *memory = rpcmem_alloc(25, 1, 8192);
    uint32_t fd = (uint32_t)rpcmem_to_fd(memory);
    struct dspqueue_buffer sent[2] = {{.fd = fd}, {.fd = fd, .offset = 4096, .size = 100}};
    struct dspqueue_buffer got[2];
    uint32_t flags, n_buffers, length;
    uint8_t message[4];
    memset(memory, 0, 8192);
    CHECK(dspqueue_write_noblock(queue, 0, 2, sent, 0, NULL), 0x48);
    CHECK(fastrpc_mmap(CDSP, (int)fd, memory, 0, 8192, FASTRPC_MAP_FD), 0);
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    sent[1].size = 4097;
    CHECK(dspqueue_write_noblock(queue, 0, 2, sent, 0, NULL), 0xe);
    sent[1].size = 100;
    CHECK(dspqueue_write(queue, 0, 2, sent, 2, (const uint8_t *)"x", LONG), 0);
    CHECK_TRUE(sent[0].size == 0 && sent[0].ptr == NULL); /* leaves the caller's array unchanged */
    CHECK(dspqueue_peek(queue, &flags, &n_buffers, &length, LONG), 0);
    CHECK_TRUE(n_buffers == 2 && length == 2);
    CHECK(flags, DSPQUEUE_PACKET_FLAG_MESSAGE | DSPQUEUE_PACKET_FLAG_BUFFERS);
    CHECK(dspqueue_read_noblock(queue, &flags, 1, &n_buffers, got, 4, &length, message), 0xe);
    CHECK(dspqueue_read_noblock(queue, &flags, 2, &n_buffers, got, 1, &length, message), 0xe);
    CHECK(dspqueue_read_noblock(queue, &flags, 2, &n_buffers, got, 4, &length, message), 0);
    CHECK_TRUE(got[0].ptr == memory && got[0].size == 8192 && got[1].ptr == memory + 4096 && got[1].size == 100);
    CHECK(memory[0], 1);
    CHECK(memory[4096], 1);

    /* references: taken and dropped on the host, also by packets read; the echo carries none */
    sent[0].flags = DSPQUEUE_BUFFER_FLAG_REF | DSPQUEUE_BUFFER_FLAG_DEREF;
    CHECK(dspqueue_write_noblock(queue, 0, 1, sent, 0, NULL), 0xe);
    sent[0].flags = DSPQUEUE_BUFFER_FLAG_DEREF;
    CHECK(dspqueue_write_noblock(queue, 0, 1, sent, 0, NULL), 0xe);
    sent[0].flags = DSPQUEUE_BUFFER_FLAG_REF;
    sent[1].flags = DSPQUEUE_BUFFER_FLAG_RESERVED_ZERO;
    CHECK(dspqueue_write_noblock(queue, 0, 2, sent, 0, NULL), 0xe); /* all or none */
    CHECK(dspqueue_write_noblock(queue, 0, 1, sent, 0, NULL), 0);
    CHECK(fastrpc_munmap(CDSP, (int)fd, memory, 8192), 0xe);
    sent[0].flags = DSPQUEUE_BUFFER_FLAG_DEREF;
    CHECK(dspqueue_write_noblock(queue, 0, 1, sent, 0, NULL), 0);
    for (int i = 0; i < 2; i++) {
        CHECK(dspqueue_read(queue, &flags, 2, &n_buffers, got, 4, &length, message, LONG), 0);
    }
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CLOSE, 0, 0), NULL), 0);
    CHECK(dspqueue_close(queue), 0);
    CHECK(fastrpc_munmap(CDSP, (int)fd, memory, 8192), 0);
    rpcmem_free(memory);
    CHECK(remote_handle64_close(handle), 0);
}

void test_queue_limits(void) {
    static uint8_t message[65537];
    dspqueue_t queue;
    dspqueue_t many[64];
    CHECK(dspqueue_create(CDSP, 0, 100, 0, NULL, NULL, NULL, &queue), 0xe);
    CHECK(dspqueue_create(CDSP, 0, 16777224, 0, NULL, NULL, NULL, &queue), 0xe);
    CHECK(dspqueue_create(2, 0, 0, 0, NULL, NULL, NULL, &queue), 0x14);
    CHECK(dspqueue_create(CDSP, 0, 64, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(dspqueue_write_noblock(queue, 0, 0, NULL, 49, message), 0xe); /* it holds at most 48 + 8 */
    CHECK(dspqueue_write_noblock(queue, 0x20, 0, NULL, 8, message), 0xe);
    CHECK(dspqueue_write_noblock(queue, 0, 0, NULL, 48, message), 0);
    CHECK(dspqueue_write_noblock(queue, 0, 0, NULL, 1, message), 0x204);
    uint64_t start = now_ms();
    CHECK(dspqueue_write(queue, 0, 0, NULL, 1, message, 30000), 0xc);
    CHECK_TRUE(now_ms() - start >= 29);
    CHECK(dspqueue_write(queue, 0, 0, NULL, 1, message, 0), 0xc);
    CHECK(dspqueue_close(queue), 0);
    CHECK(dspqueue_create(-1, 0, 0, 0, NULL, NULL, NULL, &queue), 0);
    CHECK(dspqueue_write_noblock(queue, 0, 0, NULL, 65521, message), 0xe);
    CHECK(dspqueue_write_noblock(queue, 0, 0, NULL, 65520, message), 0);
    uint64_t stat;
    CHECK(dspqueue_get_stat(queue, DSPQUEUE_STAT_WRITE_QUEUE_PACKETS, &stat), 0);
    CHECK(stat, 1);
    CHECK(dspqueue_get_stat(queue, DSPQUEUE_STAT_WRITE_QUEUE_BYTES, &stat), 0);
    CHECK(stat, 65528);
    CHECK(dspqueue_close(queue), 0);
    for (int i = 0; i < 64; i++) {
        CHECK(dspqueue_create(CDSP, 0, 8, 8, NULL, NULL, NULL, &many[i]), 0);
    }
    CHECK_TRUE(dspqueue_create(CDSP, 0, 8, 8, NULL, NULL, NULL, &queue) != 0);
    for (int i = 0; i < 64; i++) {
        CHECK(dspqueue_close(many[i]), 0);
    }
    CHECK(loopback_set("dspqueue", 0), 0);
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &queue), 0x14);
}

struct seen {
    _Atomic uint32_t packets;
    _Atomic uint32_t error;
    _Atomic uint32_t close_code;
};

static void on_packet(dspqueue_t queue, AEEResult error, void *context) {
    struct seen *seen = context;
    uint32_t flags, n_buffers, length;
    uint8_t message[64];
    CHECK(error, 0);
    while (dspqueue_read_noblock(queue, &flags, 0, &n_buffers, NULL, sizeof message, &length, message) == 0) {
        atomic_fetch_add(&seen->packets, 1);
    }
}

static void on_error(dspqueue_t queue, AEEResult error, void *context) {
    struct seen *seen = context;
    atomic_store(&seen->close_code, (uint32_t)dspqueue_close(queue));
    atomic_store(&seen->error, (uint32_t)error);
}

static void wait_until(const _Atomic uint32_t *value, uint32_t wanted) {
    for (uint32_t i = 0; i < MINUTE / 10 && atomic_load(value) != wanted; i++) {
        sleep_ms(10);
    }
    CHECK(atomic_load(value), wanted);
}

void test_queue_callbacks(void) {
    remote_handle64 handle = open_session();
    struct seen seen = {0};
    dspqueue_t queue;
    CHECK(dspqueue_create(CDSP, 0, 0, 0, on_packet, on_error, &seen, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    for (int i = 0; i < 100; i++) {
        CHECK(send(queue, "hello"), 0);
    }
    wait_until(&seen.packets, 100);
    CHECK(loopback_kill(CDSP), 0);
    wait_until(&seen.error, 0x68);
    CHECK(seen.close_code, 0x200); /* not allowed in its own error callback */
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(handle), 0);
}

/* Packets of many sizes through a small queue: every way to wrap. */
void test_queue_wrap(void) {
    remote_handle64 handle = open_session();
    dspqueue_t queue;
    uint8_t sent[256], got[256];
    uint32_t seed = 1, flags, n_buffers, length;
    CHECK(dspqueue_create(CDSP, 0, 256, 256, NULL, NULL, NULL, &queue), 0);
    CHECK(call_import(handle, queue, TEST_BY_READ), 0);
    for (uint32_t i = 0; i < 5000; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t n = 5 + (seed >> 16) % 236; /* up to 240, the largest; alone in the ring at any position */
        memset(sent, (int)(i % 200), n);
        CHECK(dspqueue_write(queue, 0, 0, NULL, n, sent, LONG), 0);
        CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, sizeof got, &length, got, LONG), 0);
        CHECK(length, n);
        CHECK(memcmp(sent, got, n), 0);
    }
    quit_reader(handle, queue);
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(handle), 0);
}

static void *blocked_read(void *argument) {
    uint8_t message[8];
    uint32_t flags, n_buffers, length;
    return (void *)(intptr_t)dspqueue_read(argument, &flags, 0, &n_buffers, NULL, 8, &length, message,
                                           DSPQUEUE_TIMEOUT_NONE);
}

static _Atomic uint32_t hung_returned;

static void *hung_read(void *argument) {
    blocked_read(argument);
    atomic_store(&hung_returned, 1);
    return NULL;
}

void test_queue_death(void) {
    remote_handle64 handle = open_session();
    dspqueue_t queue = create();
    struct thread thread;
    void *result;
    uint8_t message[8];
    uint32_t flags, n_buffers, length;
    CHECK(call_import(handle, queue, TEST_BY_READ), 0);
    start_until_it_waits(&thread, blocked_read, queue);
    CHECK(loopback_kill(CDSP), 0);
    pthread_join(thread.thread, &result);
    CHECK((uint32_t)(intptr_t)result, 0x2e);
    CHECK(send(queue, "to the dead"), 0);
    CHECK(dspqueue_read(queue, &flags, 0, &n_buffers, NULL, 8, &length, message, 10000), 0x2e);
    dspqueue_t other;
    CHECK(dspqueue_create(CDSP, 0, 0, 0, NULL, NULL, NULL, &other), 0x68);
    start_until_it_waits(&thread, hung_read, queue);
    CHECK(hung_returned, 0); /* hangs as the real library; this thread is abandoned */
    CHECK(remote_handle64_close(handle), 0);
    CHECK(remote_handle64_open(URI, &handle), 0x68); /* the queue keeps the session open */
}

/* A queue without a skel: it starts the session, keeps it open, and can be passed to a skel opened later. */
void test_queue_alone(void) {
    dspqueue_t queue = create();
    uint8_t *memory = rpcmem_alloc(25, 1, 4096);
    int fd = rpcmem_to_fd(memory);
    CHECK(fastrpc_mmap(CDSP, fd, memory, 0, 4096, FASTRPC_MAP_FD), 0);
    remote_handle64 handle = open_session();
    CHECK(call_import(handle, queue, TEST_BY_CALLBACK), 0);
    CHECK(send(queue, "ping"), 0);
    expect(queue, "ping");
    struct dspqueue_buffer buffer = {.fd = (uint32_t)fd};
    CHECK(dspqueue_write(queue, 0, 1, &buffer, 0, NULL, LONG), 0);
    uint32_t flags, n_buffers, length;
    CHECK(dspqueue_read(queue, &flags, 1, &n_buffers, &buffer, 0, &length, NULL, LONG), 0);
    CHECK(memory[0], 1);
    CHECK(remote_handle64_close(handle), 0); /* tolerated: the queue holds a handle of its own */
    CHECK(send(queue, "ping"), 0);
    expect(queue, "ping");
    CHECK(loopback_set("dspqueue_echo", 0), 0);
    CHECK(send(queue, "lost"), 0);
    CHECK(dspqueue_peek(queue, &flags, &n_buffers, &length, 50000), 0xc);
    CHECK(dspqueue_close(queue), 0xe); /* still imported, and no handle left to tell the skel */
    rpcmem_free(memory);
}

void test_early_wakeup(void) {
    remote_handle64 handle = open_session();
    dspqueue_t queue = create();
    uint64_t packets;
    CHECK(dspqueue_write_early_wakeup_noblock(queue, 1000, 0), 0);
    CHECK(dspqueue_get_stat(queue, DSPQUEUE_STAT_WRITE_QUEUE_PACKETS, &packets), 0);
    CHECK(packets, 1);
    CHECK(send(queue, "after the marker"), 0);
    CHECK(call_import(handle, queue, TEST_BY_READ), 0);
    expect(queue, "after the marker");
    quit_reader(handle, queue);
    CHECK(dspqueue_close(queue), 0);
    CHECK(remote_handle64_close(handle), 0);
}
