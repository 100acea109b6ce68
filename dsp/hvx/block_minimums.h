/* SPDX-License-Identifier: MIT
 *
 * Activations of the types with a 16-bit minimum in each block, after expand.h: in the bias of each struct hvx_block t
 * of docs/arithmetic.md, 1, in the low half and 8*S in the high one.
 */
static void quantise_with_sums(const struct phx_matmul *mm, struct phx_rows_in x, uint32_t n_rows, uint32_t first,
                               uint32_t last, void *rows) {
    struct phx_matmul other = like(mm);
    struct hvx_row_layout layout = hvx_layout(&other);
    HVX_VectorPred qodd = hvx_odd_words();
    quantise_like(mm, x, n_rows, first, last, rows);
    for (uint32_t m = first; m < last; m++) {
        HVX_Vector *blocks = (HVX_Vector *)((uint8_t *)rows + (size_t)m * layout.row_bytes + layout.blocks);
        for (uint32_t i = 0; i < 2 * hvx_n_batches(mm); i++) {
            HVX_Vector v = blocks[i], vda = Q6_V_vror_VR(v, HVX_BYTES - 4); /* beside 8*S */
            HVX_Vector vt = Q6_V_lo_W(Q6_Ww_vmpy_VhVh(vda, v));
            vt = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(vt, Q6_V_vsplat_R(8192)), 14);
            blocks[i] = Q6_V_vmux_QVV(qodd, hvx_interleave_low_i16(vt, v), v);
        }
    }
}
