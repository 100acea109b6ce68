/* SPDX-License-Identifier: MIT
 *
 * The order of elements in ARGMAX, TOP_K and ARGSORT: docs/math.md, 17.
 */
#ifndef PHX_REF_PICK_H
#define PHX_REF_PICK_H

#include "math/bits.h"
#include "ops/picks.h"

/* Maps a float to an integer in the same order: -0 equals 0, and NaN of either sign is the largest. Never INT32_MIN. */
static inline int32_t ref_key(uint32_t x) {
    uint32_t magnitude = x & MATH_MAGNITUDE;
    return magnitude > MATH_INFINITY ? INT32_MAX : x & MATH_SIGN ? -(int32_t)magnitude : (int32_t)magnitude;
}

/* Returns the word of a candidate for descending order. It is its own inverse. */
static inline uint32_t ref_descending(uint32_t key) {
    return key ^ 0x7fffffff;
}

/* Sorts the first n candidates by their words; stable. Needs space for 2 * n. */
void ref_sort(struct phx_pick *picks, uint32_t n);

/* --- The k largest of a stream of keys, added in the order of their indices --- */

#define REF_PICKS_CAPACITY 1024u /* candidates that may be added before ref_picks_prune() */

/* The candidates that were kept, followed by those added since. */
struct ref_picks {
    struct phx_pick *picks; /* 2 * (k + REF_PICKS_CAPACITY) of them */
    uint32_t n, k;
    int32_t above; /* only larger keys are added */
};

/* Returns a multiple of PHX_VECTOR. */
static inline uint32_t ref_picks_bytes(uint32_t k) {
    uint32_t n_bytes = 2 * (k + REF_PICKS_CAPACITY) * (uint32_t)sizeof(struct phx_pick);
    return (n_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Number and bytes of keys for which there is space behind ref_picks_bytes(). */
#define REF_MAX_KEYS 1024u
#define REF_KEYS_BYTES (REF_MAX_KEYS * (uint32_t)sizeof(int32_t))

static inline void ref_picks_add(struct ref_picks *picks, int32_t key, uint32_t index) {
    if (key > picks->above) {
        picks->picks[picks->n++] = (struct phx_pick){ref_descending((uint32_t)key), index};
    }
}

/* Sorts the candidates and keeps the first k. Later keys must be larger than the last of k. */
void ref_picks_prune(struct ref_picks *picks);

#endif
