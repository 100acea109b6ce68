/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "log.h"
#include "rates.h"

#define OPTION_NAME(name, value) #name,
#define OPTION_VALUE(name, value) value,

static const char *const names[] = {OPTIONS(OPTION_NAME)};
static const int64_t defaults[] = {OPTIONS(OPTION_VALUE)};
static _Atomic int64_t values[] = {OPTIONS(OPTION_VALUE)};

int64_t option_get(enum option option) {
    return atomic_load_explicit(&values[option], memory_order_relaxed);
}

bool option_set(const char *name, int64_t value) {
    for (int i = 0; i < N_OPTIONS; i++) {
        if (strcmp(names[i], name) == 0) {
            atomic_store(&values[i], value);
            return true;
        }
    }
    return false;
}

static bool number(const char *text, long long *value) {
    char *end;
    *value = strtoll(text, &end, 0);
    return end != text && *end == '\0';
}

/* Applies one `name=value`, `name` for `name=1`, `fail=call:nth:code` or `rates=file`. */
static bool apply(char *setting) {
    char *value = strchr(setting, '=');
    if (value == NULL) {
        return option_set(setting, 1);
    }
    *value++ = '\0';
    if (strcmp(setting, "rates") == 0) {
        return rates_load(value);
    }
    long long first, second;
    if (strcmp(setting, "fail") != 0) {
        return number(value, &first) && option_set(setting, first);
    }
    char *nth = strchr(value, ':');
    char *code = nth != NULL ? strchr(nth + 1, ':') : NULL;
    if (code == NULL) {
        return false;
    }
    *nth++ = '\0';
    *code++ = '\0';
    return number(nth, &first) && number(code, &second) && call_fail(value, (uint32_t)first, (int)(uint32_t)second);
}

void options_load(void) {
    for (int i = 0; i < N_OPTIONS; i++) {
        atomic_store(&values[i], defaults[i]);
    }
    const char *environment = getenv("PYHEXAGON_LOOPBACK");
    char *copy = environment != NULL ? strdup(environment) : NULL;
    char *rest = NULL;
    for (char *setting = copy != NULL ? strtok_r(copy, ";", &rest) : NULL; setting != NULL;
         setting = strtok_r(NULL, ";", &rest)) {
        if (!apply(setting)) {
            fprintf(stderr, "loopback: PYHEXAGON_LOOPBACK: bad setting '%s'\n", setting);
            log_line("PYHEXAGON_LOOPBACK: bad setting '%s'", setting); /* pyhexagon/process/locate.py reads it */
        }
    }
    free(copy);
}
