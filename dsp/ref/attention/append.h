/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_ATTENTION_APPEND_H
#define PHX_REF_ATTENTION_APPEND_H

#include "ops/attention/attention.h"

/* Values of this magnitude and more (2^126) count as infinite: a size has 16 bits. */
#define REF_VALUE_LIMIT 0x7e800000

void ref_append(const struct phx_cache *cache, const struct phx_token *token);

/* 256 * log2 of the largest magnitude of a value, as bits: at least that, and less than 2 more. */
int32_t ref_value_size(int32_t largest);

#endif
