/* SPDX-License-Identifier: MIT */
#ifndef PHX_TESTS_RANDOM_H
#define PHX_TESTS_RANDOM_H

#include <stdint.h>

/* xorshift; the same numbers everywhere. */
uint32_t random_u32(void);
uint32_t random_below(uint32_t limit);
void random_seed(uint32_t seed);

#endif
