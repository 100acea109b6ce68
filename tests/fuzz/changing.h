/* SPDX-License-Identifier: MIT
 *
 * Memory that changes while the skel reads it, without a race: the skel's runtime is compiled with memcpy = fuzz_memcpy
 * (test_fuzz.py), which changes what it has copied. All other reads of that memory are reports of ASan. A skel that reads
 * anything twice therefore does not see the same twice.
 */
#ifndef FUZZ_CHANGING_H
#define FUZZ_CHANGING_H

#include <stddef.h>
#include <stdint.h>

/* Whether the skel's runtime calls fuzz_memcpy(). */
#ifdef FUZZ_HOOKED
#define HAS_CHANGING_MEMORY 1
#else
#define HAS_CHANGING_MEMORY 0
#endif

/* From now on each read of a request with this content, wherever the skel has it mapped, changes what it has read. */
void begin_changing(const uint8_t *request, uint32_t n_bytes, uint32_t seed);

/* Ends that and returns the number of reads. */
uint32_t end_changing(void);

void *fuzz_memcpy(void *restrict to, const void *restrict from, size_t n_bytes);

#endif
