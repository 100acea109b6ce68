/* SPDX-License-Identifier: MIT
 *
 * The loops of groups.h for float weights, which tiles hold as int16 with a scale per 32 k: a block's sum of w * q has
 * 31 bits and is brought to 16 by a rounding shift of 15. asm/floats.py does it for long rows; this is for short ones.
 *
 * Even and odd k are summed apart, modulo 2^32, so that even tiles that no repacker writes give the reference's bits.
 */
#include "groups.h"

#define BLOCK_VECTORS 33
#define BLOCK_Q_WORDS 16
#define MOST_ROWS 2 /* at a time: more do not fit the registers */

/* The next block: its sums for n_rows activation rows, lanes as in a scale vector. */
HVX_INLINE void sum_block(const HVX_Vector *w, const int32_t *const *q, int n_rows, HVX_Vector *vsum_i16) {
    /* 2^14: half of the shift's last place */
    HVX_VectorPair wstart = Q6_W_vcombine_VV(Q6_V_vzero(), Q6_V_vsplat_R(1 << 14));
    HVX_VectorPair wlow_i32[MOST_ROWS] = {wstart, wstart}, whigh_i32[MOST_ROWS] = {wstart, wstart};
#pragma clang loop unroll_count(4)
    for (int j = 0; j < 16; j++) { /* unrolled whole, the loads would come first and spill */
        HVX_Vector vlow = w[2 * j], vhigh = w[2 * j + 1];
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            wlow_i32[i] = Q6_Ww_vmpyacc_WwVhRh(wlow_i32[i], vlow, q[i][j]);
            whigh_i32[i] = Q6_Ww_vmpyacc_WwVhRh(whigh_i32[i], vhigh, q[i][j]);
        }
    }
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        HVX_Vector vlow = Q6_Vw_vadd_VwVw(Q6_V_lo_W(wlow_i32[i]), Q6_V_hi_W(wlow_i32[i]));
        HVX_Vector vhigh = Q6_Vw_vadd_VwVw(Q6_V_lo_W(whigh_i32[i]), Q6_V_hi_W(whigh_i32[i]));
        vsum_i16[i] = Q6_Vh_vasr_VwVwR_sat(vhigh, vlow, 15);
    }
}

/* One tile times n_rows activation rows. */
HVX_INLINE void sum_groups(const struct hvx_groups *groups, const HVX_Vector *w, uint32_t first, int n_rows) {
    const int32_t *q[MOST_ROWS];
    const struct hvx_block *blocks[MOST_ROWS];
    HVX_VectorPair wtotal[MOST_ROWS];
    HVX_Vector *totals = groups->totals + 2 * first;
    int32_t shift = (int32_t)groups->ds;
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        q[i] = groups->q[first + (uint32_t)i];
        blocks[i] = groups->blocks[first + (uint32_t)i];
        wtotal[i] = Q6_W_vcombine_VV(totals[2 * i + 1], totals[2 * i]);
    }
    for (uint32_t group = 0; group < groups->n_groups; group++) {
        HVX_VectorPair wgroup[MOST_ROWS] = {hvx_w_zero(), hvx_w_zero()};
#pragma clang loop unroll(disable)
        for (int j = 0; j < 4; j++) {
            HVX_Vector vsum_i16[MOST_ROWS];
            sum_block(w, q, n_rows, vsum_i16);
            HVX_UNROLL
            for (int i = 0; i < n_rows; i++) {
                HVX_Vector vscale = hvx_mpyr_scalar_i16(w[BLOCK_VECTORS - 1], blocks[i]->da);
                wgroup[i] = Q6_Ww_vmpyacc_WwVhVh(wgroup[i], vsum_i16[i], vscale);
                q[i] += BLOCK_Q_WORDS;
                blocks[i]++;
            }
            w += BLOCK_VECTORS;
        }
        HVX_UNROLL
        for (int i = 0; i < n_rows; i++) {
            wtotal[i] = Q6_W_vcombine_VV(Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wtotal[i]), Q6_V_hi_W(wgroup[i]), shift),
                                         Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wtotal[i]), Q6_V_lo_W(wgroup[i]), shift));
        }
    }
    HVX_UNROLL
    for (int i = 0; i < n_rows; i++) {
        totals[2 * i] = Q6_V_lo_W(wtotal[i]);
        totals[2 * i + 1] = Q6_V_hi_W(wtotal[i]);
    }
}

/* The assembly wants some groups, and makes as many results as its form has. */

void hvx_sum_float_tiles(const struct hvx_groups *groups) {
    if (groups->n_groups >= HVX_MIN_GROUPS && groups->n_results == HVX_RESULTS) {
        hvx_sum_long_float_tiles(groups);
        return;
    }
    if (groups->n_groups >= HVX_MIN_GROUPS && groups->n_results == 1) {
        hvx_sum_long_float_tile(groups);
        return;
    }
    for (uint32_t i = 0; i < groups->n_results; i++) {
        sum_groups(groups, groups->w[i], i, 1);
    }
}

void hvx_sum_float_rows(const struct hvx_groups *groups) {
    static hvx_sum_groups *const loops[HVX_RESULTS - 1] = {hvx_sum_long_float_rows2, hvx_sum_long_float_rows3,
                                                           hvx_sum_long_float_rows};
    if (groups->n_groups >= HVX_MIN_GROUPS) {
        loops[groups->n_results - 2](groups);
        return;
    }
    uint32_t i = 0;
    for (; i + 1 < groups->n_results; i += 2) {
        sum_groups(groups, groups->w[0], i, 2);
    }
    if (i < groups->n_results) {
        sum_groups(groups, groups->w[0], i, 1);
    }
}
