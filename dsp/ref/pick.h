/* SPDX-License-Identifier: MIT
 *
 * The order that ARGMAX, TOP_K and ARGSORT have: docs/math.md, 17.
 */
#ifndef PHX_REF_PICK_H
#define PHX_REF_PICK_H

#include "math/bits.h"
#include "ops/picks.h"

/* An integer in the order of the numbers: -0 is 0, and NaN, of either sign, the largest. Above INT32_MIN. */
static inline int32_t ref_key(uint32_t x) {
    uint32_t magnitude = x & MATH_MAGNITUDE;
    return magnitude > MATH_INFINITY ? INT32_MAX : x & MATH_SIGN ? -(int32_t)magnitude : (int32_t)magnitude;
}

/* The word of a pick where the largest comes first. Its own inverse. */
static inline uint32_t ref_descending(uint32_t key) {
    return key ^ 0x7fffffff;
}

/* Sorts the first n of 2 * n picks by their words, equal ones as they stand. */
void ref_sort(struct phx_pick *picks, uint32_t n);

/* --- The k largest of what is added, in the order of the indices --- */

#define REF_PICKS_ROOM 1024u /* that may be added before ref_picks_prune() */

/* Those that were kept, then those added since. */
struct ref_picks {
    struct phx_pick *picks; /* 2 * (k + REF_PICKS_ROOM) */
    uint32_t n, k;
    int32_t above; /* an element must be larger to be added */
};

/* A multiple of PHX_VECTOR. */
static inline uint32_t ref_picks_bytes(uint32_t k) {
    uint32_t n_bytes = 2 * (k + REF_PICKS_ROOM) * (uint32_t)sizeof(struct phx_pick);
    return (n_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Behind these bytes there is room for so many keys. */
#define REF_MAX_KEYS 1024u
#define REF_KEYS_BYTES (REF_MAX_KEYS * (uint32_t)sizeof(int32_t))

static inline void ref_picks_add(struct ref_picks *picks, int32_t key, uint32_t index) {
    if (key > picks->above) {
        picks->picks[picks->n++] = (struct phx_pick){ref_descending((uint32_t)key), index};
    }
}

/* Sorts them and keeps the first k. Of what comes later, an element must be larger than the last of k. */
void ref_picks_prune(struct ref_picks *picks);

#endif
