/* SPDX-License-Identifier: MIT */
#include "random.h"

static uint32_t state = 1;

void random_seed(uint32_t seed) {
    state = seed * 2654435761u | 1;
    for (int i = 0; i < 8; i++) {
        random_u32();
    }
}

uint32_t random_u32(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

uint32_t random_below(uint32_t limit) {
    return (uint32_t)((uint64_t)random_u32() * limit >> 32);
}
