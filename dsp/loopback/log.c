/* SPDX-License-Identifier: MIT */
#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

#define RING_SIZE 65536u
#define LINE_SIZE 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char ring[RING_SIZE];
static uint64_t written; /* bytes written to the ring so far */

void log_line(const char *format, ...) {
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof line - 1 ? (size_t)n : sizeof line - 2;
    line[length++] = '\n';

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < length; i++) {
        ring[written++ % RING_SIZE] = line[i];
    }
    pthread_mutex_unlock(&lock);
    if (option_get(OPTION_log) != 0) {
        fprintf(stderr, "loopback: %.*s", (int)length, line);
    }
}

uint32_t log_read(char *text, uint32_t size) {
    pthread_mutex_lock(&lock);
    uint64_t start = written > RING_SIZE ? written - RING_SIZE : 0;
    if (start != 0) { /* drop the rest of the oldest line, which is incomplete */
        while (start < written && ring[start % RING_SIZE] != '\n') {
            start++;
        }
        start++;
    }
    uint32_t total = (uint32_t)(written - start);
    if (size != 0) {
        uint32_t n = total < size - 1 ? total : size - 1;
        for (uint32_t i = 0; i < n; i++) {
            text[i] = ring[(written - n + i) % RING_SIZE];
        }
        text[n] = '\0';
    }
    pthread_mutex_unlock(&lock);
    return total + 1;
}

void log_clear(void) {
    pthread_mutex_lock(&lock);
    written = 0;
    pthread_mutex_unlock(&lock);
}
