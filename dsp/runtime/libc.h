/* SPDX-License-Identifier: MIT
 *
 * The C library functions that the skel uses. The shell exports them, and a freestanding compiler has no <string.h>.
 * The heap is the process domain's, under the names by which the shell exports it.
 */
#ifndef PHX_LIBC_H
#define PHX_LIBC_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes);
void *memset(void *to, int value, size_t n_bytes);

int vsnprintf(char *text, size_t size, const char *format, __builtin_va_list arguments);

void *__wrap_malloc(size_t n_bytes);
void *__wrap_memalign(size_t alignment, size_t n_bytes);
void __wrap_free(void *memory);

#define phx_malloc __wrap_malloc
#define phx_memalign __wrap_memalign /* alignment first; free with phx_free */
#define phx_free __wrap_free

#endif
