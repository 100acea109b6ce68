/* SPDX-License-Identifier: MIT
 *
 * Exports with variadic arguments in QuRT's calling convention: variadic.S explains it. Skels call the quirk_ names;
 * plain_ names take QuRT's va_list.
 */
#ifndef PD_VARIADIC_H
#define PD_VARIADIC_H

#include <stddef.h>

typedef char *qurt_va_list;

void quirk_HAP_debug_v2(void);
void quirk_HAP_debug_runtime(void);
void quirk_snprintf(void);
void quirk_sprintf(void);
void quirk_printf(void);
void quirk_sscanf(void);

void plain_HAP_debug(int level, const char *file, int line, const char *format, qurt_va_list arguments);
int plain_vsnprintf(char *text, size_t size, const char *format, qurt_va_list arguments);
int plain_vsprintf(char *text, const char *format, qurt_va_list arguments);
int plain_vprintf(const char *format, qurt_va_list arguments);
int plain_vsscanf(const char *text, const char *format, qurt_va_list arguments);

#endif
