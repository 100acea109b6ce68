/* SPDX-License-Identifier: MIT
 *
 * Codes unpacked to bytes, once for many activation rows: the operand of the `rows` micro-kernels of some types.
 *
 * An expanded block is 16 vectors of bytes (for each j = 0..7 rows 0..31, then rows 32..63) and then its scales; with
 * two scale blocks, each half is followed by its scales; minimums of blocks come last. With one scale block in 32 k it
 * is a block of Q8_0: the micro-kernels compute ((sum of byte * q + 8) >> 4) - 8 * (sum of q), without the 8 where a
 * sum is rounded down. So a centred code c whose sum is shifted by 1 is expanded to 8 * c + 128.
 */
#ifndef PHX_HVX_EXPAND_H
#define PHX_HVX_EXPAND_H

#include "math/hvx/hvx.h"

/* Expands blocks base..end-1 of a tile to `to`. The tile's blocks begin at w, with the vectors in front of a
 * super-block. Blocks outside first..last-1 are not read; their expansion adds nothing to any sum. */
typedef void hvx_expand(const HVX_Vector *w, uint32_t base, uint32_t first, uint32_t last, uint32_t end,
                        HVX_Vector *to);

hvx_expand hvx_expand_q5_0, hvx_expand_q5_1, hvx_expand_q2_k, hvx_expand_q3_k;

/* Vectors of an expanded block. */
#define HVX_EXPANDED 17          /* one scale block */
#define HVX_EXPANDED_MINIMUMS 18 /* and a minimum */
#define HVX_EXPANDED_HALVES 18   /* two scale blocks */

#endif
