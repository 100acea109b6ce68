/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_ATTENTION_APPEND_H
#define PHX_REF_ATTENTION_APPEND_H

#include "ops/attention/attention.h"

/* Values of this magnitude and more (2^126) count as infinite, since a size has 16 bits. */
#define REF_VALUE_LIMIT 0x7e800000

void ref_append_token(const struct phx_cache *cache, const struct phx_token *token);
void ref_append(const struct phx_cache *cache, const struct phx_tokens *tokens);

/* Returns 256 * log2 of the largest magnitude of a value, given its bits and its exponent: at least the exact number,
 * and less than 2 more. */
static inline int32_t ref_value_size(int32_t largest, int32_t exponent) {
    int32_t x = (largest & 0x7fffff) >> 8; /* of 1 + x, Q15 */
    int32_t curve = 14507 - (x * (8105 - (x * 2730 >> 15)) >> 15);
    int32_t log2 = x + ((x * (32768 - x) >> 15) * curve >> 15);
    return 256 * ((exponent >> 23) - 127) + (log2 >> 7) + 1;
}

#endif
