/* SPDX-License-Identifier: MIT
 *
 * Sums of a tile to float32: docs/arithmetic.md, 3; to_float_bits() of dsp/ref/matmul/matmul.c for 32 rows at once.
 */
#include "result.h"

#define NAN_BITS 0x7fc00000
#define INFINITY_BITS 0x7f800000
#define SIGN_BIT INT32_MIN

/* The exponents in a vector of the row table. */
HVX_INLINE HVX_Vector row_exponents_i32(HVX_Vector vtable) {
    return Q6_V_lo_W(Q6_Ww_vsxt_Vh(vtable)); /* of the even halves */
}

/* exponent is the activation row's. */
HVX_INLINE HVX_Vector to_float_bits(HVX_Vector vt, HVX_Vector vrow_exponent, int32_t exponent) {
    HVX_Vector vzero = Q6_V_vzero();
    HVX_Vector vmagnitude = Q6_Vw_vabs_Vw(vt);
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vmagnitude);
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vmagnitude, vleading);
    /* 2^23..2^24; the average has 33 bits inside. */
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    /* One less than the biased exponent, because the mantissa's top bit adds one. */
    HVX_Vector vbiased = Q6_Vw_vsub_VwVw(Q6_Vw_vadd_VwVw(vrow_exponent, Q6_V_vsplat_R(exponent + 157)), vleading);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, vbiased, 23);
    vbits = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(vbiased, Q6_V_vsplat_R(253)), Q6_V_vsplat_R(INFINITY_BITS), vbits);
    vbits = Q6_V_vor_VV(vbits, Q6_V_vand_VV(vt, Q6_V_vsplat_R(SIGN_BIT)));
    HVX_VectorPred qzero = Q6_Q_vcmp_eqor_QVwVw(Q6_Q_vcmp_gt_VwVw(vzero, vbiased), vt, vzero);
    vbits = Q6_V_vmux_QVV(qzero, vzero, vbits);
    HVX_VectorPred qnan = Q6_Q_vcmp_eq_VwVw(vrow_exponent, Q6_V_vsplat_R(PHX_ROW_NAN));
    return Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(NAN_BITS), vbits);
}

/* In place. Two results, four vectors, at a time: one vector alone would wait for itself at each step. */
static void convert(const struct phx_matmul *mm, const struct hvx_results *results) {
    const uint8_t *tile = (const uint8_t *)hvx_row_table(mm, results->first_tile);
    const struct hvx_row *row = (const struct hvx_row *)hvx_result_row(results, 0);
    HVX_Vector vexponent[4];
    if (!results->of_tiles) {
        vexponent[0] = vexponent[2] = row_exponents_i32(((const HVX_Vector *)tile)[0]);
        vexponent[1] = vexponent[3] = row_exponents_i32(((const HVX_Vector *)tile)[1]);
    }
    for (uint32_t i = 0; i < results->n_results; i += 2) {
        uint32_t next = i + 1 < results->n_results; /* without a next one, this one again */
        int32_t exponent = row->exponent, next_exponent = exponent;
        if (results->of_tiles) {
            const HVX_Vector *table = (const HVX_Vector *)(tile + i * mm->tile_bytes);
            const HVX_Vector *next_table = (const HVX_Vector *)(tile + (i + next) * mm->tile_bytes);
            vexponent[0] = row_exponents_i32(table[0]);
            vexponent[1] = row_exponents_i32(table[1]);
            vexponent[2] = row_exponents_i32(next_table[0]);
            vexponent[3] = row_exponents_i32(next_table[1]);
        } else {
            exponent = ((const struct hvx_row *)hvx_result_row(results, i))->exponent;
            next_exponent = ((const struct hvx_row *)hvx_result_row(results, i + next))->exponent;
        }
        HVX_Vector *v = results->sums + 2 * i;
        HVX_Vector v0 = to_float_bits(v[0], vexponent[0], exponent), v1 = to_float_bits(v[1], vexponent[1], exponent);
        HVX_Vector v2 = to_float_bits(v[2], vexponent[2], next_exponent);
        HVX_Vector v3 = to_float_bits(v[3], vexponent[3], next_exponent);
        v[0] = v0;
        v[1] = v1;
        v[2] = v2;
        v[3] = v3;
    }
}

/* Fewer than 64 columns. */
static __attribute__((noinline)) void store_columns(uint8_t *dst, HVX_Vector vlow, HVX_Vector vhigh, uint32_t n_bytes) {
    if (n_bytes >= HVX_BYTES) {
        hvx_store_u(dst, vlow);
        dst += HVX_BYTES;
        n_bytes -= HVX_BYTES;
        vlow = vhigh;
    }
    if (n_bytes > 0) {
        hvx_store_partial_u(dst, vlow, n_bytes);
    }
}

void hvx_store_results(const struct phx_matmul *mm, const struct hvx_results *from) {
    const struct hvx_results results = *from; /* a copy, which the stores below cannot change */
    const HVX_Vector *v = results.sums;
    const uint32_t *x_offset = results.rows.x_offsets;
    uint32_t n_left = mm->n - results.first_tile * PHX_TILE_ROWS; /* columns */
    uint32_t columns_step = results.of_tiles ? PHX_TILE_ROWS : 0;
    uint32_t offsets_step = results.of_tiles ? 0 : 1;
    const uint32_t *dst_offset = results.rows.dst_offsets;
    uint8_t *columns = results.rows.dst + results.first_tile * PHX_TILE_ROWS * sizeof(float);
    convert(mm, &results);
    for (uint32_t i = 0; i < results.n_results; i++) {
        bool is_nan = ((const struct hvx_row *)(results.rows.x + *x_offset))->is_nan;
        uint8_t *dst = columns + *dst_offset;
        HVX_Vector vlow = is_nan ? Q6_V_vsplat_R(NAN_BITS) : v[0];
        HVX_Vector vhigh = is_nan ? Q6_V_vsplat_R(NAN_BITS) : v[1];
        if (n_left >= PHX_TILE_ROWS) {
            hvx_store_u(dst, vlow);
            hvx_store_u(dst + HVX_BYTES, vhigh);
        } else {
            store_columns(dst, vlow, vhigh, n_left * sizeof(float));
        }
        v += 2;
        columns += columns_step * sizeof(float);
        dst_offset += offsets_step;
        x_offset += offsets_step;
        n_left -= columns_step;
    }
}
