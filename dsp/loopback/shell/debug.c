/* SPDX-License-Identifier: MIT
 *
 * FARF lines of a PD, and of the CPU: a stub resolves these names in this library, too, and its lines belong to the
 * CPU. They are separate from the rest of the shell because a PD for Hexagon has them in another form, with QuRT's
 * calling convention of variadic arguments.
 */
#include <stdarg.h>
#include <stdio.h>

#include "pd.h"
#include "shell.h"

#define LINE_SIZE 512

static void write_line(int level, const char *file, int line, const char *text) {
    char whole[LINE_SIZE + 256];
    const char *side = shell_self() != NULL ? "dsp" : "cpu";
    snprintf(whole, sizeof whole, "%s: %d %s:%d: %s", side, level, file != NULL ? file : "?", line, text);
    shell_log(whole);
}

void HAP_debug(const char *text, int level, const char *file, int line) {
    write_line(level, file, line, text);
}

void HAP_debug_v2(int level, const char *file, int line, const char *format, ...) {
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(level, file, line, text);
}

void HAP_debug_runtime(int level, const char *file, int line, const char *format, ...) {
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(level, file, line, text);
}
