/* SPDX-License-Identifier: MIT
 *
 * Quantised activation rows as the HVX kernels read them, with scalar loads: docs/arithmetic.md, 1.
 *
 * A row is cut into batches of 32 blocks (1024 activations), the unit of the vector code; the last batch is padded, its
 * spare blocks are never read. Every part is a multiple of 128 bytes long:
 *     head | per batch: a struct hvx_block for each scale block | per batch: minimums (Q4_K only) | per batch: q
 */
#ifndef PHX_HVX_ACTIVATIONS_H
#define PHX_HVX_ACTIVATIONS_H

#include <stdbool.h>

#include "../runtime/kernels.h"

#define HVX_BATCH 32 /* blocks */

struct hvx_row {
    int32_t exponent; /* Et */
    int32_t is_nan;   /* the row holds NaN or infinity; the rest is then meaningless, but readable */
    uint8_t pad[PHX_VECTOR - 8];
};

/* What a scale block needs besides its q; two of them to 32 k for Q6_K. */
struct hvx_block {
    int32_t da;   /* da in both halves, for vmpy by a scalar */
    int32_t bias; /* Q4_0, Q8_0: 8*S in both halves, which unsigned weights add to P16; Q6_K: 1 - 32*S */
};

/* t of 32 blocks: bits 8..15 (signed) and bits 0..7, each four blocks to a word, as vrmpy takes them. */
struct hvx_minimums {
    int32_t high[HVX_BATCH / 4];
    int32_t low[HVX_BATCH / 4];
    uint8_t pad[PHX_VECTOR - 2 * HVX_BATCH];
};

static inline bool hvx_is_wide(const struct phx_matmul *mm) {
    return mm->dtype == PHX_F16 || mm->dtype == PHX_BF16 || mm->dtype == PHX_F32;
}

static inline uint32_t hvx_scales_per_block(const struct phx_matmul *mm) {
    return mm->dtype == PHX_Q6_K ? 2 : 1;
}

static inline uint32_t hvx_n_batches(const struct phx_matmul *mm) {
    return (mm->n_blocks + HVX_BATCH - 1) / HVX_BATCH;
}

/* Where the parts of a row lie, in bytes from its start. */
struct hvx_row_layout {
    uint32_t blocks, minimums, q, row_bytes;
};

static inline struct hvx_row_layout hvx_layout(const struct phx_matmul *mm) {
    uint32_t n_batches = hvx_n_batches(mm);
    struct hvx_row_layout layout;
    layout.blocks = sizeof(struct hvx_row);
    layout.minimums =
        layout.blocks + n_batches * HVX_BATCH * hvx_scales_per_block(mm) * (uint32_t)sizeof(struct hvx_block);
    layout.q = layout.minimums + (mm->dtype == PHX_Q4_K ? n_batches * (uint32_t)sizeof(struct hvx_minimums) : 0);
    layout.row_bytes = layout.q + n_batches * HVX_BATCH * PHX_BLOCK * (hvx_is_wide(mm) ? 2 : 1);
    return layout;
}

static inline const struct hvx_block *hvx_row_blocks(const struct hvx_row_layout *layout, const uint8_t *row) {
    return (const struct hvx_block *)(row + layout->blocks);
}

static inline const struct hvx_minimums *hvx_row_minimums(const struct hvx_row_layout *layout, const uint8_t *row) {
    return (const struct hvx_minimums *)(row + layout->minimums);
}

/* Four int8, or two int16, to a word, in order of k. */
static inline const int32_t *hvx_row_q(const struct hvx_row_layout *layout, const uint8_t *row) {
    return (const int32_t *)(row + layout->q);
}

size_t hvx_rows_bytes(const struct phx_matmul *mm, uint32_t n_rows);

void hvx_quantise(const struct phx_matmul *mm, struct phx_rows_in x, uint32_t n_rows, uint32_t first, uint32_t last,
                  void *rows);

#endif
