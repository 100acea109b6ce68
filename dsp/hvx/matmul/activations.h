/* SPDX-License-Identifier: MIT
 *
 * Quantised activation rows as the HVX kernels read them, with scalar loads: docs/arithmetic.md, 1.
 *
 * A row is cut into batches of 32 blocks (1024 activations), the unit of the vector code; the last batch is padded, its
 * spare blocks are never read. Every part is a multiple of 128 bytes long:
 *     head | per batch: a struct hvx_block for each scale block | per batch: minimums | per batch: q
 */
#ifndef PHX_HVX_ACTIVATIONS_H
#define PHX_HVX_ACTIVATIONS_H

#include <stdbool.h>

#include "ops/matmul/kernel.h"

#define HVX_BATCH PHX_PART_BLOCKS /* blocks */

/* What weight types want to know of the activations; S, t: docs/arithmetic.md, 1. It decides what hvx_block.bias is. */
enum hvx_form {
    HVX_FORM_PLAIN,          /* 8*S in both halves, which unsigned weights add to P16 */
    HVX_FORM_MINIMUMS,       /* t in the low half, 8*S in the high one */
    HVX_FORM_SUPER_MINIMUMS, /* the words of struct hvx_minimums in the last four of eight blocks, 0 in the others; and
                                struct hvx_minimums itself */
    HVX_FORM_WIDE,           /* q of int16; bias is 0 */
    /* From here on each half of a block is a scale block. */
    HVX_FORM_HALVES,          /* 16*S in both halves */
    HVX_FORM_HALVES_BIASED,   /* 4*S in both halves */
    HVX_FORM_HALVES_MINIMUMS, /* t of both halves, the high bytes in the first one's, the low bytes (signed) in the
                                 second one's, each as bytes 0, 1, 0, 1 for vdmpy */
};

struct hvx_row {
    int32_t exponent; /* Et */
    int32_t is_nan;   /* the row holds NaN or infinity; the rest is then meaningless, but readable */
    uint8_t pad[PHX_VECTOR - 8];
};

/* What a scale block needs besides its q. */
struct hvx_block {
    int32_t da;   /* da in both halves, for vmpy by a scalar */
    int32_t bias; /* see enum hvx_form */
};

/* t of a super-block: bits 8..15 (signed) and bits 0..7, each four blocks to a word, as vrmpy takes them. */
struct hvx_minimums {
    int32_t high[2];
    int32_t low[2];
    uint8_t pad[16];
};

_Static_assert(HVX_BATCH / 8 * sizeof(struct hvx_minimums) == PHX_VECTOR, "those of a batch");

/* Bytes of a batch in each part of a row, and in all. */
#define HVX_SCALES_PER_BLOCK(form) ((form) >= HVX_FORM_HALVES ? 2u : 1u)
#define HVX_HAS_SUPER_MINIMUMS(form) ((form) == HVX_FORM_SUPER_MINIMUMS || (form) == HVX_FORM_HALVES_MINIMUMS)
#define HVX_BLOCKS_BYTES(form) (HVX_BATCH * HVX_SCALES_PER_BLOCK(form) * (uint32_t)sizeof(struct hvx_block))
#define HVX_MINIMUMS_BYTES(form) ((form) == HVX_FORM_SUPER_MINIMUMS ? (uint32_t)PHX_VECTOR : 0u)
#define HVX_Q_BYTES(form) (HVX_BATCH * PHX_BLOCK * ((form) == HVX_FORM_WIDE ? 2u : 1u))
#define HVX_PART_BYTES(form) (HVX_BLOCKS_BYTES(form) + HVX_MINIMUMS_BYTES(form) + HVX_Q_BYTES(form))

/* Where the parts of a row lie, in bytes from its start; struct hvx_block of all of them begin behind struct hvx_row. */
struct hvx_row_layout {
    uint32_t minimums, q;
};

static inline struct hvx_row_layout hvx_layout(const struct phx_matmul *mm, enum hvx_form form) {
    uint32_t n_batches = phx_row_parts(mm);
    struct hvx_row_layout layout;
    layout.minimums = sizeof(struct hvx_row) + n_batches * HVX_BLOCKS_BYTES(form);
    layout.q = layout.minimums + n_batches * HVX_MINIMUMS_BYTES(form);
    return layout;
}

/* Of the layout's q; with that of a batch which is not q. */
static inline uint32_t hvx_q_offset(const struct phx_matmul *mm, uint32_t other_bytes) {
    return sizeof(struct hvx_row) + phx_row_parts(mm) * other_bytes;
}

static inline const struct hvx_block *hvx_row_blocks(const uint8_t *row) {
    return (const struct hvx_block *)(row + sizeof(struct hvx_row));
}

static inline const struct hvx_minimums *hvx_row_minimums(const struct hvx_row_layout *layout, const uint8_t *row) {
    return (const struct hvx_minimums *)(row + layout->minimums);
}

/* For struct phx_matmul_kernel, for every weight type. */
void hvx_quantise(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
int32_t hvx_look(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
void hvx_quantise_seen(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row,
                       int32_t exponent);

#endif
