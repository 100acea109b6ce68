/* SPDX-License-Identifier: MIT
 *
 * Sums of code * q over 32 k for 4-bit codes, after matmul.h: rows 0..31 in vlow_i32, rows 32..63 in vhigh_i32. One
 * vector holds four k of the former in its low nibbles and of the latter in its high ones.
 */
HVX_INLINE void nibble_sums(const struct operands *operands, int n_rows, HVX_Vector *vlow_i32, HVX_Vector *vhigh_i32) {
    HVX_Vector vmask = Q6_V_vsplat_R(0x0f0f0f0f);
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        vlow_i32[i] = Q6_V_vzero();
        vhigh_i32[i] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (int j = 0; j < 8; j++) {
        HVX_Vector v = operands->w[j];
        HVX_Vector vlow = Q6_V_vand_VV(v, vmask), vhigh = Q6_Vub_vlsr_VubR(v, 4);
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            vlow_i32[i] = Q6_Vw_vrmpyacc_VwVubRb(vlow_i32[i], vlow, operands->q[i][j]);
            vhigh_i32[i] = Q6_Vw_vrmpyacc_VwVubRb(vhigh_i32[i], vhigh, operands->q[i][j]);
        }
    }
}
