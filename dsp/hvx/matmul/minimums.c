/* SPDX-License-Identifier: MIT
 *
 * As with the sums of blocks, up to four results are made at a time: they share a row's scalars or a tile's vectors, and
 * their chains of dependent steps overlap.
 */
#include "minimums.h"

#include "ops/matmul/tiles.h"

/* How many results, and whether they are of tiles, else of rows. */
struct form {
    bool of_tiles;
    int n_results;
};

/* Of one super-block: the sum of minimum * t for each result, brought to 16 bits, and what it is multiplied with. */
struct super_block {
    HVX_Vector vsum_i16[HVX_RESULTS];
    HVX_Vector vscale_i16[HVX_RESULTS]; /* of rows: only the first */
};

/* number: of the super-block in its rows; w: its first vector in each tile; n_before: vectors of its blocks. */
typedef void sum_super_block(const struct hvx_row_layout *layout, const uint8_t *const *rows, uint32_t number,
                             const HVX_Vector *const *w, uint32_t n_before, struct form form, struct super_block *sums);

/* The sum is 256 * (sum of minimum * high) + sum of minimum * low, with t = 256 * high + low. The five vectors behind
 * the blocks are the minimums and their scale. */
HVX_INLINE void sum_super_block_k(const struct hvx_row_layout *layout, const uint8_t *const *rows, uint32_t number,
                                  const HVX_Vector *const *first, uint32_t n_before, struct form form,
                                  struct super_block *sums) {
    uint32_t part = number / (HVX_BATCH / PHX_BLOCKS_OF_SUPER), word = 2 * (number % (HVX_BATCH / PHX_BLOCKS_OF_SUPER));
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        const struct hvx_minimums *minimums = hvx_row_minimums(layout, rows[form.of_tiles ? 0 : result]) + part;
        const int32_t *high = minimums->high + word, *low = minimums->low + word;
        const HVX_Vector *w = first[form.of_tiles ? result : 0] + n_before;
        HVX_Vector vsum_i32[2];
        HVX_UNROLL
        for (int half = 0; half < 2; half++) {
            HVX_Vector vhigh = Q6_Vw_vrmpy_VubRb(w[2 * half], high[0]);
            HVX_Vector vlow = Q6_Vuw_vrmpy_VubRub(w[2 * half], low[0]);
            vhigh = Q6_Vw_vrmpyacc_VwVubRb(vhigh, w[2 * half + 1], high[1]);
            vlow = Q6_Vuw_vrmpyacc_VuwVubRub(vlow, w[2 * half + 1], low[1]);
            vsum_i32[half] = Q6_Vw_vaslacc_VwVwR(vlow, vhigh, 8);
        }
        sums->vsum_i16[result] = Q6_Vh_vasr_VwVwR_rnd_sat(vsum_i32[1], vsum_i32[0], 9);
        sums->vscale_i16[result] = w[4];
    }
}

/* Here t = 256 * high + low with -128 <= low <= 127, both int8. With minimums below 16 the sums of minimum * high and of
 * minimum * low are below 2^15, and so is the whole, shifted by 7. */
HVX_INLINE void sum_super_block_q2_k(const struct hvx_row_layout *layout, const uint8_t *const *rows, uint32_t number,
                                     const HVX_Vector *const *first, uint32_t n_before, struct form form,
                                     struct super_block *sums) {
    enum {
        LEAD = 2,
        VECTORS = 5,
        SMALL = LEAD + VECTORS - 1
    };
    HVX_Vector vhigh[HVX_RESULTS], vlow[HVX_RESULTS];
    (void)n_before;
    HVX_UNROLL
    for (int result = 0; result < form.n_results; result++) {
        vhigh[result] = vlow[result] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (uint32_t j = 0; j < PHX_BLOCKS_OF_SUPER; j++) {
        HVX_Vector vminimum = Q6_V_vzero();
        HVX_UNROLL
        for (int result = 0; result < form.n_results; result++) {
            const struct hvx_block *blocks = hvx_row_blocks(layout, rows[form.of_tiles ? 0 : result]);
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

HVX_INLINE void sum_minimums(const struct phx_matmul *mm, const struct hvx_row_layout *layout,
                             const struct hvx_minimum_operands *operands, HVX_Vector *totals, struct form form,
                             sum_super_block *sum) {
    const struct phx_weight_type *type = &phx_weight_types[mm->dtype];
    uint32_t step = phx_super_vectors(type), n_before = PHX_BLOCKS_OF_SUPER * type->vectors_per_block;
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
        sum(layout, operands->rows, i, w, n_before, form, &sums);
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

#define SUM_MINIMUMS(name, sum, of_tiles, n_results)                                                                   \
    void hvx_sum_minimums_##name(const struct phx_matmul *mm, const struct hvx_row_layout *layout,                     \
                                 const struct hvx_minimum_operands *operands, HVX_Vector *totals) {                    \
        sum_minimums(mm, layout, operands, totals, (struct form){of_tiles, n_results}, sum);                           \
    }
#define SUM_MINIMUMS_OF(name)                                                                                          \
    SUM_MINIMUMS(name##_tiles, sum_super_block_##name, true, HVX_RESULTS)                                              \
    SUM_MINIMUMS(name##_rows, sum_super_block_##name, false, HVX_RESULTS)                                              \
    SUM_MINIMUMS(name##_rows3, sum_super_block_##name, false, 3)                                                       \
    SUM_MINIMUMS(name##_rows2, sum_super_block_##name, false, 2)

SUM_MINIMUMS_OF(k)
SUM_MINIMUMS_OF(q2_k)
