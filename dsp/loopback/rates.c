/* SPDX-License-Identifier: MIT */
#include "rates.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shell/pd.h"
#include "shell/shell.h"

#define MAX_WORK 256
#define LINE 128
#define CORNERS 256
#define NS 1000000000

/* Nanoseconds for a unit of a kind of work. */
struct work {
    uint32_t kind;
    uint32_t n_threads;
    uint32_t size;
    double ns;
};

static struct {
    bool are_loaded;
    double clock_hz; /* 0: no cycle counter */
    double read_ns;
    double calls[RATES_MAP + 1];
    double corners[CORNERS]; /* factors of the time of work; 0: as 1 */
    struct work work[MAX_WORK];
    uint32_t n_work;
} rates;

/* The calling thread's clocks. */
static __thread double scripted_ns, scripted_cycles;

static bool read_line(const char *line) {
    static const char *const names[] = {"invoke", "poll", "queue", "map"};
    char name[16];
    double value;
    struct work work;
    uint32_t corner;
    if (sscanf(line, "corner %u %lf", &corner, &value) == 2 && corner < CORNERS) {
        rates.corners[corner] = value;
        return true;
    }
    if (sscanf(line, "work %u %u %u %lf", &work.kind, &work.n_threads, &work.size, &work.ns) == 4) {
        if (rates.n_work == MAX_WORK) {
            return false;
        }
        rates.work[rates.n_work++] = work;
        return true;
    }
    if (sscanf(line, "%15s %lf", name, &value) != 2) {
        return false;
    }
    if (strcmp(name, "clock") == 0) {
        rates.clock_hz = value;
        return true;
    }
    if (strcmp(name, "read") == 0) {
        rates.read_ns = value;
        return true;
    }
    for (uint32_t i = 0; i <= RATES_MAP; i++) {
        if (strcmp(name, names[i]) == 0) {
            rates.calls[i] = value;
            return true;
        }
    }
    return false;
}

bool rates_load(const char *path) {
    char line[LINE];
    FILE *file = fopen(path, "re");
    bool is_valid = file != NULL;
    while (is_valid && fgets(line, sizeof line, file) != NULL) {
        is_valid = read_line(line);
    }
    if (file != NULL) {
        fclose(file);
    }
    rates.are_loaded = is_valid;
    return is_valid;
}

bool rates_are_loaded(void) {
    return rates.are_loaded;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * NS + (double)t.tv_nsec;
}

void rates_wait(enum rates_call call, double n) {
    double end = rates.are_loaded ? now() + n * rates.calls[call] : 0;
    while (rates.are_loaded && now() < end) {
    }
}

/* --- What a skel of the host engine sees --- */

bool shell_scripted_ns(uint64_t *ns) {
    *ns = (uint64_t)scripted_ns;
    return rates.are_loaded;
}

uint64_t phx_pd_cycles(void) {
    scripted_ns += rates.read_ns;
    scripted_cycles += rates.read_ns * rates.clock_hz / NS;
    return rates.are_loaded ? (uint64_t)scripted_cycles : 0;
}

void phx_pd_elapse(uint32_t kind, uint32_t n_threads, uint32_t size, uint64_t work) {
    for (uint32_t i = 0; i < rates.n_work; i++) {
        const struct work *one = &rates.work[i];
        if (one->kind == kind && one->n_threads == n_threads && one->size == size) {
            double factor = rates.corners[shell_self()->pd->bus_corner];
            scripted_ns += one->ns * (double)work * (factor > 0 ? factor : 1);
            scripted_cycles += one->ns * (double)work * rates.clock_hz / NS;
            return;
        }
    }
}
