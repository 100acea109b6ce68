/* SPDX-License-Identifier: MIT
 *
 * Replaces musl's memcpy, which for Hexagon reads a few bytes beyond the end of the source: a guard page of the harness
 * would then blame the kernels.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes) {
    char *out = to;
    const char *in = from;
    size_t i = 0;
    if (((uintptr_t)to | (uintptr_t)from) % 4 == 0) {
        for (; i + 4 <= n_bytes; i += 4) {
            *(uint32_t *)(out + i) = *(const uint32_t *)(in + i);
            __asm__ volatile("" ::: "memory"); /* prevents the compiler from replacing the loop by a call of memcpy */
        }
    }
    for (; i < n_bytes; i++) {
        out[i] = in[i];
        __asm__ volatile("" ::: "memory");
    }
    return to;
}
