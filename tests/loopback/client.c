/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <dirent.h>
#include <malloc.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

remote_handle64 open_session(void) {
    remote_handle64 handle = 0;
    CHECK(remote_handle64_open(URI, &handle), 0);
    return handle;
}

int call_sum(remote_handle64 handle, const int32_t *values, uint32_t n, int64_t *total) {
    remote_arg args[3];
    args[0].buf = (remote_buf){&n, 4};
    args[1].buf = (remote_buf){(void *)(uintptr_t)values, n * 4};
    args[2].buf = (remote_buf){total, 8};
    return remote_handle64_invoke(handle, SCALARS(TEST_SUM, 2, 1), args);
}

int call_word(remote_handle64 handle, uint32_t method, uint32_t word) {
    remote_arg arg;
    arg.buf = (remote_buf){&word, 4};
    return remote_handle64_invoke(handle, SCALARS(method, 1, 0), &arg);
}

int call_import(remote_handle64 handle, dspqueue_t queue, uint32_t by_what) {
    uint32_t in[4] = {0, 0, by_what, 0};
    uint64_t id;
    remote_arg arg;
    CHECK(dspqueue_export(queue, &id), 0);
    memcpy(in, &id, 8);
    arg.buf = (remote_buf){in, sizeof in};
    return remote_handle64_invoke(handle, SCALARS(TEST_IMPORT, 1, 0), &arg);
}

uint32_t calls_of_pd(remote_handle64 handle) {
    uint32_t n = 0;
    remote_arg arg;
    arg.buf = (remote_buf){&n, 4};
    CHECK(remote_handle64_invoke(handle, SCALARS(TEST_CALLS, 0, 1), &arg), 0);
    return n;
}

void sleep_ms(uint32_t ms) {
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&t, NULL);
}

uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void *run_thread(void *argument) {
    struct thread *thread = argument;
    atomic_store(&thread->number, (int32_t)syscall(SYS_gettid));
    return thread->run(thread->argument);
}

static int is_asleep(int32_t number) {
    char path[64], line[512] = {0};
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
    FILE *file = fopen(path, "r");
    CHECK_TRUE(file != NULL && fgets(line, sizeof line, file) != NULL);
    fclose(file);
    const char *state = strrchr(line, ')');
    return state != NULL && state[1] == ' ' && state[2] == 'S';
}

void start_until_it_waits(struct thread *thread, void *(*run)(void *), void *argument) {
    *thread = (struct thread){.run = run, .argument = argument};
    CHECK(pthread_create(&thread->thread, NULL, run_thread, thread), 0);
    uint64_t start = now_ms();
    for (int n_asleep = 0; n_asleep < 5 && now_ms() - start < MINUTE;) { /* a lock on the way is never held that long */
        sleep_ms(5);
        n_asleep = atomic_load(&thread->number) && is_asleep(thread->number) ? n_asleep + 1 : 0;
    }
}

/* mallinfo2() is newer than the glibc that the client is linked for. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static uint32_t count_entries(const char *path) {
    uint32_t n = 0;
    DIR *directory = opendir(path);
    while (directory != NULL && readdir(directory) != NULL) {
        n++;
    }
    closedir(directory);
    return n;
}

struct usage usage_now(void) {
    struct usage usage = {.fds = count_entries("/proc/self/fd"), .threads = count_entries("/proc/self/task")};
    FILE *file = fopen("/proc/self/maps", "r");
    char line[512];
    CHECK_TRUE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        usage.maps += strstr(line, "/memfd:") != NULL;
    }
    fclose(file);
    struct mallinfo heap = mallinfo();
    usage.heap_bytes = (uint32_t)heap.uordblks + (uint32_t)heap.hblkhd;
    return usage;
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"session", test_session},
    {"invoke", test_invoke},
    {"memory", test_memory},
    {"mapping", test_mapping},
    {"threads", test_threads},
    {"misuse", test_misuse},
    {"farf", test_farf},
    {"controls", test_controls},
    {"traps", test_traps},
    {"cycles", test_cycles},
    {"kill_cycles", test_kill_cycles},
    {"death", test_death},
    {"stall", test_stall},
    {"churn", test_churn},
    {"fork", test_fork},
    {"cost", test_cost},
    {"control_api", test_control_api},
    {"no_device", test_no_device},
    {"queue", test_queue},
    {"queue_buffers", test_queue_buffers},
    {"queue_limits", test_queue_limits},
    {"queue_callbacks", test_queue_callbacks},
    {"queue_wrap", test_queue_wrap},
    {"queue_death", test_queue_death},
    {"queue_alone", test_queue_alone},
    {"early_wakeup", test_early_wakeup},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        printf("%s\n", tests[i].name);
    }
    return argc == 1 ? 0 : 2;
}
