/* SPDX-License-Identifier: MIT
 *
 * super_block_minimums() of Q4_K and Q5_K, after minimums.h: B = 256 * (sum of minimum * high) + sum of minimum * low,
 * with t = 256 * high + low. The five vectors after the blocks are the minimums and dm.
 */
HVX_INLINE void super_block_minimums(const struct hvx_row_layout *layout, const struct minimum_operands *operands,
                                     bool of_tiles, uint32_t i, HVX_Vector *vb_i16, HVX_Vector *vdm_i16) {
    uint32_t group = i / (HVX_BATCH / SUPER_BLOCK), in_group = 2 * (i % (HVX_BATCH / SUPER_BLOCK));
    HVX_UNROLL
    for (int result = 0; result < MAX_RESULTS; result++) {
        const struct hvx_minimums *minimums = hvx_row_minimums(layout, operands->rows[of_tiles ? 0 : result]) + group;
        const int32_t *high = minimums->high + in_group, *low = minimums->low + in_group;
        const HVX_Vector *w = operands->w[of_tiles ? result : 0] + SUPER_BLOCK * TYPE_VECTORS;
        HVX_Vector vb_i32[2];
        HVX_UNROLL
        for (int half = 0; half < 2; half++) {
            HVX_Vector vhigh = Q6_Vw_vrmpy_VubRb(w[2 * half], high[0]);
            HVX_Vector vlow = Q6_Vuw_vrmpy_VubRub(w[2 * half], low[0]);
            vhigh = Q6_Vw_vrmpyacc_VwVubRb(vhigh, w[2 * half + 1], high[1]);
            vlow = Q6_Vuw_vrmpyacc_VuwVubRub(vlow, w[2 * half + 1], low[1]);
            vb_i32[half] = Q6_Vw_vaslacc_VwVwR(vlow, vhigh, 8);
        }
        vb_i16[result] = Q6_Vh_vasr_VwVwR_rnd_sat(vb_i32[1], vb_i32[0], 9);
        vdm_i16[result] = w[4];
    }
}
