/* SPDX-License-Identifier: MIT
 *
 * Sums of a tile to float32: docs/arithmetic.md, 3; to_float_bits() of dsp/ref/matmul/matmul.c for 32 rows at once.
 */
#include "result.h"

#include "ops/rolled.h"

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

/* Two results, four vectors, at a time: with one vector each instruction would stall on the one before. */
HVX_INLINE void convert_four(HVX_Vector *vout, const HVX_Vector *v, const HVX_Vector *vexponent, int32_t exponent,
                             int32_t next_exponent) {
    HVX_UNROLL
    for (int i = 0; i < 4; i++) {
        vout[i] = to_float_bits(v[i], vexponent[i], i < 2 ? exponent : next_exponent);
    }
}

/* Converts the results of one tile and several rows in place. */
static void convert_rows(const struct phx_matmul *mm, const struct hvx_results *results) {
    const HVX_Vector *table = hvx_row_table(mm, results->first_tile);
    HVX_Vector vlow = row_exponents_i32(table[0]), vhigh = row_exponents_i32(table[1]);
    HVX_Vector vexponent[4] = {vlow, vhigh, vlow, vhigh};
    for (uint32_t i = 0; i < results->n_results; i += 2) {
        uint32_t next = i + 1 < results->n_results; /* the last result is paired with itself */
        int32_t exponent = ((const struct hvx_row *)hvx_result_row(results, i))->exponent;
        int32_t next_exponent = ((const struct hvx_row *)hvx_result_row(results, i + next))->exponent;
        HVX_Vector *v = results->sums + 2 * i, vbits[4];
        convert_four(vbits, v, vexponent, exponent, next_exponent);
        HVX_UNROLL
        for (int j = 0; j < 4; j++) {
            v[j] = vbits[j];
        }
    }
}

/* Stores fewer than 64 columns. */
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

/* Stores the results of one tile and several rows. */
static __attribute__((noinline)) void store_rows(const struct phx_matmul *mm, const struct hvx_results *from) {
    const struct hvx_results results = *from; /* a copy, which the stores below cannot alias */
    const struct phx_rows rows = *from->rows;
    const HVX_Vector *v = results.sums;
    const uint32_t *x_offset = rows.x_offsets, *dst_offset = rows.dst_offsets;
    uint32_t n_left = mm->n - results.first_tile * PHX_TILE_ROWS; /* columns */
    uint8_t *columns = rows.dst + results.first_tile * HVX_RESULT_BYTES;
    convert_rows(mm, &results);
#pragma clang loop unroll_count(2)
    for (uint32_t i = 0; i < results.n_results; i++) {
        bool is_nan = ((const struct hvx_row *)(rows.x + *x_offset++))->is_nan;
        uint8_t *dst = columns + *dst_offset++;
        HVX_Vector vlow = is_nan ? Q6_V_vsplat_R(NAN_BITS) : v[0];
        HVX_Vector vhigh = is_nan ? Q6_V_vsplat_R(NAN_BITS) : v[1];
        if (n_left >= PHX_TILE_ROWS) {
            hvx_store_u(dst, vlow);
            hvx_store_u(dst + HVX_BYTES, vhigh);
        } else {
            store_columns(dst, vlow, vhigh, n_left * sizeof(float));
        }
        v += 2;
    }
}

/* Stores results tile by tile: from the partial tile on, or all of a row that holds NaN. */
static __attribute__((noinline)) void store_rest(const struct phx_matmul *mm, const struct hvx_results *results,
                                                 uint32_t first) {
    for (uint32_t i = first; i < results->n_results; i++) {
        HVX_Vector v[4] = {results->sums[2 * i],
                           results->sums[2 * i + 1]}; /* the columns behind may belong to another row */
        struct hvx_results tile = {
            .n_results = 1, .first_tile = results->first_tile + i, .rows = results->rows, .sums = v};
        store_rows(mm, &tile);
    }
}

/* Stores the results of several tiles and one row: contiguous columns. */
static void store_tiles(const struct phx_matmul *mm, const struct hvx_results *results) {
    const struct hvx_row *row = (const struct hvx_row *)hvx_result_row(results, 0);
    const uint8_t *table = (const uint8_t *)hvx_row_table(mm, results->first_tile);
    const HVX_Vector *v = results->sums;
    uint8_t *dst = results->rows->dst + results->rows->dst_offsets[0] + results->first_tile * HVX_RESULT_BYTES;
    uint32_t n = results->n_results, n_left = mm->n - results->first_tile * PHX_TILE_ROWS; /* columns */
    uint32_t tile_bytes = mm->tile_bytes, n_whole = n_left / PHX_TILE_ROWS;
    int32_t exponent = row->exponent;
    n_whole = row->is_nan ? 0 : n_whole < n ? n_whole : n;
    for (uint32_t i = 0; i < n_whole; i += 2) {
        uint32_t next = i + 1 < n_whole; /* the last result is paired with itself */
        const HVX_Vector *low = (const HVX_Vector *)table, *high = (const HVX_Vector *)(table + next * tile_bytes);
        HVX_Vector vexponent[4] = {row_exponents_i32(low[0]), row_exponents_i32(low[1]), row_exponents_i32(high[0]),
                                   row_exponents_i32(high[1])};
        HVX_Vector vsums[4] = {v[0], v[1], v[2 * next], v[2 * next + 1]}, vbits[4];
        uint8_t *next_dst = dst + next * HVX_RESULT_BYTES;
        convert_four(vbits, vsums, vexponent, exponent, exponent);
        hvx_store_u(dst, vbits[0]);
        hvx_store_u(dst + HVX_BYTES, vbits[1]);
        hvx_store_u(next_dst, vbits[2]);
        hvx_store_u(next_dst + HVX_BYTES, vbits[3]);
        dst += 2 * HVX_RESULT_BYTES;
        table += 2 * tile_bytes;
        v += 4;
    }
    if (n_whole < n) {
        store_rest(mm, results, n_whole);
    }
}

void hvx_store_results(const struct phx_matmul *mm, const struct hvx_results *results) {
    if (results->of_tiles) {
        store_tiles(mm, results);
    } else {
        store_rows(mm, results);
    }
}
