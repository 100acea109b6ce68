/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET: docs/math.md, 20. Operands, innermost dimension first; T tokens, H heads, B sequences:
 *
 *     src[0]     the state: values, keys, H, B
 *     src[1..3]  q and k: keys, T, H, B; v: values, T, H, B
 *     src[4, 5]  logarithm of the decay, beta: 1, T, H, B
 *     dst        values * (T + keys), H, B: the rows of T tokens, then those of the new state
 *
 * Or the states are in slots of a table, and each sequence reads one slot and writes the same or another one:
 *
 *     src[0, 6]  int32 slot that each sequence reads, and the one that it writes: B. If one is negative, the sequence is
 *                skipped: its results are 0, and it writes nothing
 *     dst[0]     values * T, H, B
 *     dst[1]     the table: values * (keys + 2), H, slots
 *
 * Between tokens, and in the table, a state consists of int32 rows of length `values`: one row per key, then a row of
 * exponents and a row of shifts, one for each column. An element is (integer << shift) * 2^(exponent - 157), the format
 * of math_to_i32(); the exponent 255 marks a column of NaN. A table of zero bytes holds states of zeros.
 */
#ifndef PHX_REF_GATED_DELTA_NET_H
#define PHX_REF_GATED_DELTA_NET_H

#include <stdbool.h>

#include "math/bits.h"
#include "ops/op.h"

#define REF_DELTA_MAX_KEYS 1024u
#define REF_DELTA_SCALE_ROWS 2u   /* exponents and shifts, after the rows of the keys */
#define REF_DELTA_MIN_EXPONENT 31 /* of a new state: MATH_ROW_EXPONENT_MIN */

/* One head of a sequence. */
struct ref_delta_head {
    uint32_t n_values, n_keys, n_tokens;
    int32_t headroom; /* bits by which a sum over the keys may grow */
    uint32_t scale;   /* factor of the results: a float32 */
    bool delta_rule;  /* whether v is corrected by what the state has for k */
    const struct phx_call *call;
    struct phx_at at;      /* row indices of dst */
    const uint8_t *floats; /* the old state's float32 rows, or NULL: it is in a table */
    uint32_t floats_step;
    const int32_t *old; /* the old state's integers; NULL: the sequence is skipped */
    int32_t *state;
    const int32_t *old_scales; /* exponents, and from n_values on shifts */
    int32_t *scales;
    uint8_t *results;
};

/* A token's numbers. k and q are integers relative to their largest magnitude, as from math_to_i32(); q is shifted
 * right by the headroom. */
struct ref_delta_token {
    int32_t *k, *q;
    int32_t k_exponent, q_exponent; /* plain numbers, not in bits 23..30 */
    uint32_t decay, beta;
    const uint8_t *v;
    bool state_is_nan, result_is_nan;
};

static inline uint32_t ref_delta_key_bytes(uint32_t n_keys) {
    return (n_keys * (uint32_t)sizeof(int32_t) + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* Returns the bytes of an op's work: k, q, k shifted right by the headroom, and the scales of a state in no table, or a
 * vector, for HVX reads one behind the keys. */
static inline uint32_t ref_delta_work_bytes(uint32_t n_keys, uint32_t n_values, bool has_table) {
    return 3 * ref_delta_key_bytes(n_keys) + (has_table ? PHX_VECTOR : 2 * ref_delta_key_bytes(n_values));
}

/* Sets the head at the row indices `at` of dst. If its sequence is skipped, writes its results. Returns PHX_E_INDEX for a
 * slot beyond the table, or one that a sequence writes and another one reads or writes: their order would matter. */
uint32_t ref_delta_head_of(const struct phx_call *call, struct phx_at at, void *work, struct ref_delta_head *head);

/* Reads a token's numbers other than q and k. */
void ref_delta_token_of(const struct ref_delta_head *head, uint32_t number, struct ref_delta_token *token);

/* Returns an operand's row for a token. */
static inline const uint8_t *ref_delta_row(const struct ref_delta_head *head, uint32_t operand, uint32_t number) {
    return phx_row(head->call->src[operand], (struct phx_at){number, head->at.i1, head->at.i2});
}

/* Clamps the exponent of a number computed from integers to the range of float32. Plain numbers, not in bits 23..30. */
static inline int32_t ref_delta_exponent(int32_t exponent) {
    return exponent < 255 ? exponent : 255;
}

#endif
