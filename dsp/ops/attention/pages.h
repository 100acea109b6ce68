/* SPDX-License-Identifier: MIT
 *
 * Which pages hold a sequence, and where in them a row stands. Tables, positions and sequence numbers lie in memory that
 * the CPU may still write to: each number is read once, into memory of our own, and checked there.
 */
#ifndef PHX_PAGES_H
#define PHX_PAGES_H

#include "cache.h"

/* Operands as check() has found them to fit. */
struct phx_paged {
    const struct phx_operand *table;     /* (pages of a sequence, sequences) */
    const struct phx_operand *positions; /* one for each row; negative: the row is left out */
    const struct phx_operand *sequences; /* one for each row, or NULL: all rows are of sequence 0 */
};

/* Whether the three fit each other and n_rows, and dst is a cache. */
struct phx_misfit phx_paged_check(const struct phx_paged *paged, uint32_t n_rows);

/* Whether it is a cache, of a type that there are kernels for. */
struct phx_misfit phx_want_cache(const struct phx_operand *operand);

static inline int32_t phx_number(const struct phx_operand *numbers, uint32_t i) {
    return *(const volatile int32_t *)(numbers->data + i * numbers->view.nb[0]);
}

/* A row's sequence; false where there is no such. */
static inline bool phx_sequence_of(const struct phx_paged *paged, uint32_t row, uint32_t *sequence) {
    *sequence = paged->sequences ? (uint32_t)phx_number(paged->sequences, row) : 0;
    return *sequence < paged->table->view.ne[1];
}

/* Where the table has the number of page `at` of a sequence. */
static inline const uint8_t *phx_page_number(const struct phx_paged *paged, uint32_t sequence, uint32_t at) {
    const struct phx_tensor *view = &paged->table->view;
    return paged->table->data + at * view->nb[0] + sequence * view->nb[1];
}

#endif
