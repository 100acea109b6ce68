/* SPDX-License-Identifier: MIT
 *
 * Quantized activation rows as the HVX kernels read them, with scalar loads: docs/arithmetic.md, 1.
 *
 * A row is cut into batches of 32 blocks (1024 activations), the unit of the vector code; the last batch is padded, its
 * spare blocks are never read. Every part is a multiple of 128 bytes long:
 *     head | per batch: a struct hvx_block for each scale block | per batch: q
 */
#ifndef PHX_HVX_ACTIVATIONS_H
#define PHX_HVX_ACTIVATIONS_H

#include <stdbool.h>

#include "ops/matmul/kernel.h"

#define HVX_BATCH PHX_PART_BLOCKS /* blocks */

/* The contents of hvx_block.bias, which depend on the weight type; S, t: docs/arithmetic.md, 1. */
enum hvx_form {
    HVX_FORM_PLAIN,          /* 8*S in both halves, which unsigned weights add to P16 */
    HVX_FORM_MINIMUMS,       /* t in the low half, 8*S in the high one */
    HVX_FORM_SUPER_MINIMUMS, /* t in the last four of eight blocks, 0 in the others: two words of bits 8..15 (signed),
                                then two of bits 0..7, each of four blocks, as vrmpy takes them */
    HVX_FORM_WIDE,           /* q of int16; da is the shift of products, bias is 0 */
    /* From here on each half of a block is a scale block. */
    HVX_FORM_HALVES,          /* 16*S in both halves */
    HVX_FORM_HALVES_BIASED,   /* 4*S in both halves */
    HVX_FORM_HALVES_MINIMUMS, /* t of both halves, the high bytes in the first one's, the low bytes (signed) in the
                                 second one's, each as bytes 0, 1, 0, 1 for vdmpy */
};

struct hvx_row {
    int32_t exponent; /* Et */
    int32_t is_nan;   /* the row holds NaN or infinity; all other fields are then meaningless, but readable */
    uint8_t pad[PHX_VECTOR - 8];
};

/* A scale block's numbers besides its q. */
struct hvx_block {
    int32_t da;   /* da in both halves, for vmpy by a scalar */
    int32_t bias; /* see enum hvx_form */
};

/* Bytes of a batch in each part of a row, and in all. */
#define HVX_SCALES_PER_BLOCK(form) ((form) >= HVX_FORM_HALVES ? 2u : 1u)
#define HVX_BLOCKS_BYTES(form) (HVX_BATCH * HVX_SCALES_PER_BLOCK(form) * (uint32_t)sizeof(struct hvx_block))
#define HVX_Q_BYTES(form) (HVX_BATCH * PHX_BLOCK * ((form) == HVX_FORM_WIDE ? 2u : 1u))
#define HVX_PART_BYTES(form) (HVX_BLOCKS_BYTES(form) + HVX_Q_BYTES(form))

/* Offset of a row's q; before_q: bytes of a batch's parts in front of q. The hvx_blocks of all batches follow hvx_row.
 */
static inline uint32_t hvx_q_offset(const struct phx_matmul *mm, uint32_t block_bytes) {
    return sizeof(struct hvx_row) + phx_row_parts(mm) * block_bytes;
}

static inline const struct hvx_block *hvx_row_blocks(const uint8_t *row) {
    return (const struct hvx_block *)(row + sizeof(struct hvx_row));
}

/* For struct phx_matmul_kernel, for every weight type. */
void hvx_quantise(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
int32_t hvx_look(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row);
void hvx_quantise_seen(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row,
                       int32_t exponent);

#endif
