/* SPDX-License-Identifier: MIT
 *
 * Up to four results at a time, as in the micro-kernels of groups.h: results share a row's scalars or a tile's vectors,
 * and their chains of dependent instructions overlap.
 */
#include "minimums.h"

#include "formats/tiles.h"

/* A shape: the number of results, of several tiles or of several rows. */
struct form {
    bool of_tiles;
    int n_results;
};

/* One super-block: for each result the sum of minimum * t in 16 bits, B16, and its scale dm. */
struct super_block {
    HVX_Vector vsum_i16[HVX_RESULTS];
    HVX_Vector vscale_i16[HVX_RESULTS]; /* rows share the first */
};

/* number: of the super-block in its rows; first: its first vector in each tile.
 *
 * Here t = 256 * high + low with -128 <= low <= 127, both int8. With minimums below 16 the sums of minimum * high and
 * of minimum * low are below 2^15, and so is their total after the shift by 7. */
HVX_INLINE void sum_super_block(const uint8_t *const *rows, uint32_t number, const HVX_Vector *const *first,
                                struct form form, struct super_block *sums) {
    enum {
        LEAD = 2,
        VECTORS = 5,
        SMALL = LEAD + VECTORS - 1
    };
    HVX_Vector vhigh[HVX_RESULTS], vlow[HVX_RESULTS];
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        vhigh[result] = vlow[result] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (uint32_t j = 0; j < PHX_BLOCKS_OF_SUPER; j++) {
        HVX_Vector vminimum = Q6_V_vzero();
        HVX_UNROLL
        for (int result = 0; result < form.n_results; result++) {
            const struct hvx_block *blocks = hvx_row_blocks(rows[form.of_tiles ? 0 : result]);
            if (form.of_tiles || result == 0) {
                vminimum = Q6_Vub_vlsr_VubR(first[result][SMALL + j * VECTORS], 4);
            }
            blocks += 2 * (number * PHX_BLOCKS_OF_SUPER + j);
            vhigh[result] = Q6_Vh_vdmpyacc_VhVubRb(vhigh[result], vminimum, blocks[0].bias);
            vlow[result] = Q6_Vh_vdmpyacc_VhVubRb(vlow[result], vminimum, blocks[1].bias);
        }
    }
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        HVX_Vector v = Q6_Vh_vasr_VhR(Q6_Vh_vadd_VhVh(vlow[result], hvx_splat_i16(64)), 7); /* 30720 at most */
        sums->vsum_i16[result] = Q6_Vh_vadd_VhVh(v, Q6_Vh_vadd_VhVh(vhigh[result], vhigh[result]));
        sums->vscale_i16[result] = first[form.of_tiles ? result : 0][1];
    }
}

HVX_INLINE void sum_minimums(const struct phx_matmul *mm, const struct hvx_minimum_operands *operands,
                             HVX_Vector *totals, struct form form) {
    uint32_t step = phx_super_vectors(&phx_weight_types[mm->dtype]);
    int32_t shift = (int32_t)mm->dm;
    HVX_VectorPair wtotal[HVX_RESULTS];
    const HVX_Vector *w[HVX_RESULTS];
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        wtotal[result] = Q6_W_vcombine_VV(totals[2 * result + 1], totals[2 * result]);
        w[result] = operands->w[result];
    }
    for (uint32_t i = operands->first; i < operands->last; i++) {
        struct super_block sums;
        sum_super_block(operands->rows, i, w, form, &sums);
        HVX_UNROLL
        for (int result = 0; result < form.n_results; result++) {
            HVX_VectorPair wproduct = Q6_Ww_vmpy_VhVh(sums.vsum_i16[result],
                                                      sums.vscale_i16[form.of_tiles ? result : 0]);
            wtotal[result] = Q6_W_vcombine_VV(
                Q6_Vw_vasracc_VwVwR(Q6_V_hi_W(wtotal[result]), Q6_V_hi_W(wproduct), shift),
                Q6_Vw_vasracc_VwVwR(Q6_V_lo_W(wtotal[result]), Q6_V_lo_W(wproduct), shift));
            w[result] += step;
        }
    }
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        totals[2 * result] = Q6_V_lo_W(wtotal[result]);
        totals[2 * result + 1] = Q6_V_hi_W(wtotal[result]);
    }
}

#define SUM_MINIMUMS(name, of_tiles, n_results)                                                                        \
    void hvx_sum_minimums_q2_k_##name(const struct phx_matmul *mm, const struct hvx_minimum_operands *operands,        \
                                      HVX_Vector *totals) {                                                            \
        sum_minimums(mm, operands, totals, (struct form){of_tiles, n_results});                                        \
    }

SUM_MINIMUMS(tiles, true, HVX_RESULTS)
SUM_MINIMUMS(rows, false, HVX_RESULTS)
SUM_MINIMUMS(rows3, false, 3)
SUM_MINIMUMS(rows2, false, 2)
