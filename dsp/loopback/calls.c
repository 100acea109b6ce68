/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define N_RECORDS 256
#define MAX_ARGUMENTS 4
#define TEXT_SIZE 96
#define LINE_SIZE 320

struct record {
    enum call_id id;
    uint32_t n_arguments;
    int64_t result;
    uint64_t arguments[MAX_ARGUMENTS];
    char text[TEXT_SIZE];
};

#define CALL_NAME(name) #name,
static const char *const names[] = {CALLS(CALL_NAME)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects everything but the counts */
static _Atomic uint32_t counts[N_CALLS];
static _Atomic uint32_t fail_in[N_CALLS]; /* calls until the one that fails; 0: none */
static int fail_code[N_CALLS];
static struct record records[N_RECORDS];
static uint64_t n_recorded;

bool call_begin(enum call_id id, int *code) {
    atomic_fetch_add_explicit(&counts[id], 1, memory_order_relaxed);
    if (atomic_load_explicit(&fail_in[id], memory_order_relaxed) == 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    uint32_t left = atomic_load(&fail_in[id]);
    bool fails = left == 1;
    if (left != 0) {
        atomic_store(&fail_in[id], left - 1);
    }
    *code = fail_code[id];
    pthread_mutex_unlock(&lock);
    return fails;
}

void call_end(enum call_id id, int64_t result, const char *text, const uint64_t *arguments, uint32_t n_arguments) {
    pthread_mutex_lock(&lock);
    struct record *record = &records[n_recorded++ % N_RECORDS];
    record->id = id;
    record->result = result;
    record->n_arguments = n_arguments;
    memcpy(record->arguments, arguments, n_arguments * sizeof arguments[0]);
    record->text[0] = '\0';
    if (text != NULL) {
        strncpy(record->text, text, TEXT_SIZE - 1);
        record->text[TEXT_SIZE - 1] = '\0';
    }
    pthread_mutex_unlock(&lock);
}

static int find(const char *name) {
    for (int i = 0; i < N_CALLS; i++) {
        if (name != NULL && strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool call_fail(const char *name, uint32_t nth, int code) {
    int id = find(name);
    if (id < 0) {
        return false;
    }
    pthread_mutex_lock(&lock);
    fail_code[id] = code;
    atomic_store(&fail_in[id], nth);
    pthread_mutex_unlock(&lock);
    return true;
}

uint32_t call_count(const char *name) {
    int id = find(name);
    return id < 0 ? 0 : atomic_load(&counts[id]);
}

static uint32_t format(const struct record *record, char *line) {
    int n = snprintf(line, LINE_SIZE, "%s(%s", names[record->id], record->text);
    const char *comma = record->text[0] != '\0' ? ", " : "";
    for (uint32_t i = 0; i < record->n_arguments; i++) {
        n += snprintf(line + n, LINE_SIZE - (size_t)n, "%s0x%llx", comma, (unsigned long long)record->arguments[i]);
        comma = ", ";
    }
    bool is_code = record->result == (int32_t)record->result;
    unsigned long long result = is_code ? (uint32_t)record->result : (unsigned long long)record->result;
    n += snprintf(line + n, LINE_SIZE - (size_t)n, ") = 0x%llx\n", result);
    return (uint32_t)n;
}

uint32_t calls_read(char *text, uint32_t size) {
    char line[LINE_SIZE];
    uint32_t total = 0;
    pthread_mutex_lock(&lock);
    uint64_t first = n_recorded > N_RECORDS ? n_recorded - N_RECORDS : 0;
    for (uint64_t i = first; i < n_recorded; i++) {
        total += format(&records[i % N_RECORDS], line);
    }
    if (size != 0) {
        uint32_t skip = total > size - 1 ? total - (size - 1) : 0;
        uint32_t filled = 0;
        for (uint64_t i = first; i < n_recorded; i++) {
            uint32_t n = format(&records[i % N_RECORDS], line);
            uint32_t cut = n < skip ? n : skip;
            skip -= cut;
            memcpy(text + filled, line + cut, n - cut);
            filled += n - cut;
        }
        text[filled] = '\0';
    }
    pthread_mutex_unlock(&lock);
    return total + 1;
}

void calls_clear(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < N_CALLS; i++) {
        atomic_store(&counts[i], 0);
        atomic_store(&fail_in[i], 0);
    }
    n_recorded = 0;
    pthread_mutex_unlock(&lock);
}
