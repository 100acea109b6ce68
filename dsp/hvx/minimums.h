/* SPDX-License-Identifier: MIT
 *
 * sum_minimums() of Q5_K, after expand.h; as Q4_K's.
 */
static __attribute__((noinline)) HVX_VectorPair sum_minimums(const struct phx_matmul *mm,
                                                             const struct hvx_row_layout *layout, const HVX_Vector *w,
                                                             const uint8_t *row) {
    const struct hvx_minimums *minimums = hvx_row_minimums(layout, row);
    HVX_VectorPair wtm = hvx_w_zero();
    int32_t dm = (int32_t)mm->dm;
    for (uint32_t i = 0; i < mm->n_blocks / SUPER_BLOCK; i++) {
        const int32_t *high = minimums[i / 4].high + 2 * (i % 4), *low = minimums[i / 4].low + 2 * (i % 4);
        HVX_Vector vb_i32[2];
        w += SUPER_BLOCK * TYPE_VECTORS;
        HVX_UNROLL
        for (int half = 0; half < 2; half++) {
            HVX_Vector vhigh = Q6_Vw_vrmpy_VubRb(w[2 * half], high[0]);
            HVX_Vector vlow = Q6_Vuw_vrmpy_VubRub(w[2 * half], low[0]);
            vhigh = Q6_Vw_vrmpyacc_VwVubRb(vhigh, w[2 * half + 1], high[1]);
            vlow = Q6_Vuw_vrmpyacc_VuwVubRub(vlow, w[2 * half + 1], low[1]);
            vb_i32[half] = Q6_Vw_vaslacc_VwVwR(vlow, vhigh, 8);
        }
        HVX_Vector vb_i16 = Q6_Vh_vasr_VwVwR_rnd_sat(vb_i32[1], vb_i32[0], 9);
        HVX_VectorPair wproduct = Q6_Ww_vmpy_VhVh(vb_i16, w[4]);
        wtm = Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wtm), Q6_V_hi_W(wproduct), dm),
                               Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wtm), Q6_V_lo_W(wproduct), dm));
        w += TYPE_TRAIL;
    }
    return wtm;
}
