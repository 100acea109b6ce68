/* SPDX-License-Identifier: MIT */
#include "variadic.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "../shell/shell.h"
#include "program.h"

#define LINE_SIZE 512

/* musl's va_list for Hexagon: the unused part of the register save area, then the stack. An empty area means the
 * stack. */
union list {
    va_list list;
    struct {
        char *register_area;
        char *register_end;
        char *stack;
    } parts;
};

static void convert(union list *to, qurt_va_list from) {
    to->parts.register_area = from;
    to->parts.register_end = from;
    to->parts.stack = from;
}

int plain_vsnprintf(char *text, size_t size, const char *format, qurt_va_list arguments) {
    union list list;
    convert(&list, arguments);
    return vsnprintf(text, size, format, list.list);
}

int plain_vsprintf(char *text, const char *format, qurt_va_list arguments) {
    return plain_vsnprintf(text, INT_MAX, format, arguments);
}

int plain_vprintf(const char *format, qurt_va_list arguments) {
    char text[LINE_SIZE];
    int n = plain_vsnprintf(text, sizeof text, format, arguments);
    shell_log(text);
    return n;
}

int plain_vsscanf(const char *text, const char *format, qurt_va_list arguments) {
    union list list;
    convert(&list, arguments);
    return vsscanf(text, format, list.list);
}

void plain_HAP_debug(int level, const char *file, int line, const char *format, qurt_va_list arguments) {
    char text[LINE_SIZE];
    plain_vsnprintf(text, sizeof text, format, arguments);
    HAP_debug(text, level, file, line);
}

void HAP_debug(const char *text, int level, const char *file, int line) {
    pd_log("dsp: %d %s:%d: %s", level, file ? file : "?", line, text);
}
