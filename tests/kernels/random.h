/* SPDX-License-Identifier: MIT */
#ifndef PHX_TESTS_RANDOM_H
#define PHX_TESTS_RANDOM_H

#include <stdint.h>

/* Returns the next number of xorshift, the same sequence on all machines. */
uint32_t random_u32(void);
uint32_t random_below(uint32_t limit);
void random_seed(uint32_t seed);

#endif
