/* SPDX-License-Identifier: MIT
 *
 * The pages of a sequence, and the place of a row in them. Tables, positions and sequence numbers are in memory that
 * the CPU may still write to: each number is read once, into private memory, and checked there.
 */
#ifndef PHX_PAGES_H
#define PHX_PAGES_H

#include "cache.h"

/* Operands that check() has validated. */
struct phx_paged {
    const struct phx_operand *table;     /* (pages of a sequence, sequences) */
    const struct phx_operand *positions; /* one per row; negative: the row is skipped */
    const struct phx_operand *sequences; /* one per row, or NULL: all rows are of sequence 0 */
};

/* Checks that the three match each other and n_rows, and that dst is a cache. */
struct phx_mismatch phx_paged_check(const struct phx_paged *paged, uint32_t n_rows);

/* Requires a cache of a type with kernels. */
struct phx_mismatch phx_require_cache(const struct phx_operand *operand);

static inline int32_t phx_number(const struct phx_operand *numbers, uint32_t i) {
    return *(const volatile int32_t *)(numbers->data + i * numbers->view.nb[0]);
}

/* Reads a row's sequence. Returns false if there is no such sequence. */
static inline bool phx_sequence_of(const struct phx_paged *paged, uint32_t row, uint32_t *sequence) {
    *sequence = paged->sequences ? (uint32_t)phx_number(paged->sequences, row) : 0;
    return *sequence < paged->table->view.ne[1];
}

/* Returns the address of the table's entry for page `at` of a sequence. */
static inline const uint8_t *phx_page_number(const struct phx_paged *paged, uint32_t sequence, uint32_t at) {
    const struct phx_tensor *view = &paged->table->view;
    return paged->table->data + at * view->nb[0] + sequence * view->nb[1];
}

#endif
