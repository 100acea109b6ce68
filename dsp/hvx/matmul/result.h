/* SPDX-License-Identifier: MIT
 *
 * Sums of a tile to float32 in dst: docs/arithmetic.md, 3, for 32 weight rows a vector.
 */
#ifndef PHX_HVX_RESULT_H
#define PHX_HVX_RESULT_H

#include "activations.h"
#include "math/hvx/hvx.h"

#define HVX_RESULT_BYTES (2 * HVX_BYTES) /* of a tile's sums for a row, and of its floats */

/* The two vectors of a tile's row table. */
HVX_INLINE const HVX_Vector *hvx_row_table(const struct phx_matmul *mm, uint32_t tile) {
    return (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes + mm->table);
}

/* T' of a type with minimums; vtable is the row table's vector for these rows. */
HVX_INLINE HVX_Vector hvx_apply_shifts_i32(HVX_Vector vt, HVX_Vector vtm, HVX_Vector vtable) {
    HVX_Vector vmask = Q6_V_vsplat_R(31);
    HVX_Vector vshift_t = Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(vtable, 16), vmask);
    HVX_Vector vshift_m = Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(vtable, 24), vmask);
    return Q6_Vw_vsub_VwVw(Q6_Vw_vasr_VwVw(vt, vshift_t), Q6_Vw_vasr_VwVw(vtm, vshift_m));
}

/* Results of one micro-kernel shape: of consecutive tiles and one row, or of one tile and consecutive rows. */
struct hvx_results {
    uint32_t n_results;
    uint32_t first_tile;
    uint32_t of_tiles;           /* else of rows */
    const struct phx_rows *rows; /* from the first one on */
    HVX_Vector *sums;            /* T', rows 0..31 and 32..63 of each, and room for one more; overwritten */
};

/* The quantized row of result i. */
HVX_INLINE const uint8_t *hvx_result_row(const struct hvx_results *results, uint32_t i) {
    return results->rows->x + results->rows->x_offsets[i];
}

/* Writes dst[i][64*tile..] of each result, never past mm->n. */
void hvx_store_results(const struct phx_matmul *mm, const struct hvx_results *results);

#endif
