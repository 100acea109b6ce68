/* SPDX-License-Identifier: MIT
 *
 * Minimums of super-blocks: TM of docs/arithmetic.md, 2. matmul.h and expand.h include this for the types that have
 * them.
 *
 * As with the sums, it is done for four results at a time, which share a row's scalars or a tile's vectors, and whose
 * chains of dependent steps overlap. Who wants fewer gets the last one again.
 */
#define SUPER_VECTORS (TYPE_LEAD + SUPER_BLOCK * TYPE_VECTORS + TYPE_TRAIL)

/* The first super-block that is there of each tile, and each row from its start on; with tiles the rows are one, and with rows the tiles. */
struct minimum_operands {
    const HVX_Vector *w[MAX_RESULTS];
    const uint8_t *rows[MAX_RESULTS];
};

/* B16 of super-block number i, whose vectors are at operands->w, and its dm for each tile; by the type. */
HVX_INLINE void super_block_minimums(const struct hvx_row_layout *layout, const struct minimum_operands *operands,
                                     bool of_tiles, uint32_t i, HVX_Vector *vb_i16, HVX_Vector *vdm_i16);

/* Adds the super-blocks that are there to tm. */
HVX_INLINE void sum_minimums(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                             struct minimum_operands operands, bool of_tiles, HVX_Vector *tm) {
    HVX_VectorPair wtm[MAX_RESULTS];
    int32_t dm = (int32_t)mm->dm;
    HVX_UNROLL
    for (int result = 0; result < MAX_RESULTS; result++) {
        wtm[result] = Q6_W_vcombine_VV(tm[2 * result + 1], tm[2 * result]);
    }
    for (uint32_t i = mm->first_block / SUPER_BLOCK; i < mm->last_block / SUPER_BLOCK; i++) {
        HVX_Vector vb_i16[MAX_RESULTS], vdm_i16[MAX_RESULTS];
        super_block_minimums(layout, &operands, of_tiles, i, vb_i16, vdm_i16);
        HVX_UNROLL
        for (int result = 0; result < MAX_RESULTS; result++) {
            HVX_VectorPair wproduct = Q6_Ww_vmpy_VhVh(vb_i16[result], vdm_i16[of_tiles ? result : 0]);
            wtm[result] = Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wtm[result]), Q6_V_hi_W(wproduct), dm),
                                           Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wtm[result]), Q6_V_lo_W(wproduct), dm));
            operands.w[result] += SUPER_VECTORS;
        }
    }
    HVX_UNROLL
    for (int result = 0; result < MAX_RESULTS; result++) {
        tm[2 * result] = Q6_V_lo_W(wtm[result]);
        tm[2 * result + 1] = Q6_V_hi_W(wtm[result]);
    }
}

static __attribute__((noinline)) void sum_minimums_of_tiles(const struct phx_matmul *mm,
                                                            const struct hvx_row_layout *layout,
                                                            const struct minimum_operands *operands, HVX_Vector *tm) {
    sum_minimums(mm, layout, *operands, true, tm);
}

static __attribute__((noinline)) void sum_minimums_of_rows(const struct phx_matmul *mm,
                                                           const struct hvx_row_layout *layout,
                                                           const struct minimum_operands *operands, HVX_Vector *tm) {
    sum_minimums(mm, layout, *operands, false, tm);
}

/* Adds the minimums of the blocks that are there to tm, and something to that of up to three more results; with the last
 * blocks T becomes T'. Of all results. */
static void subtract_minimums(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                              const struct hvx_results *results, HVX_Vector *tm) {
    uint32_t vectors_before = TABLE_VECTORS + mm->first_block / SUPER_BLOCK * SUPER_VECTORS;
    HVX_Vector *t = results->sums;
    for (uint32_t first = 0; first < results->n_results; first += MAX_RESULTS) {
        uint32_t n = results->n_results - first < MAX_RESULTS ? results->n_results - first : MAX_RESULTS;
        struct minimum_operands operands;
        HVX_UNROLL
        for (uint32_t i = 0; i < MAX_RESULTS; i++) {
            uint32_t result = first + (i < n ? i : n - 1);
            uint32_t tile = results->first_tile + (results->of_tiles ? result : 0);
            operands.w[i] = (const HVX_Vector *)(mm->tiles + (size_t)tile * mm->tile_bytes) + vectors_before;
            operands.rows[i] = hvx_result_row(results, results->of_tiles ? 0 : result);
            if (mm->first_block == 0) {
                tm[2 * i] = tm[2 * i + 1] = Q6_V_vzero();
            }
        }
        (results->of_tiles ? sum_minimums_of_tiles : sum_minimums_of_rows)(mm, layout, &operands, tm);
        for (uint32_t i = 0; i < n && mm->last_block == mm->n_blocks; i++) {
            const HVX_Vector *table = hvx_row_table(mm, results->first_tile + (results->of_tiles ? first + i : 0));
            t[2 * i] = hvx_apply_shifts_i32(t[2 * i], tm[2 * i], table[0]);
            t[2 * i + 1] = hvx_apply_shifts_i32(t[2 * i + 1], tm[2 * i + 1], table[1]);
        }
        t += 2 * MAX_RESULTS;
        tm += 2 * MAX_RESULTS;
    }
}
