/* SPDX-License-Identifier: MIT
 *
 * GGUF blocks of 32, four at a time: a vector of words is one block, a vector of bytes the codes of four. A number per
 * block (its largest magnitude, its scale) occupies 8 lanes, block after block.
 */
#include "convert.h"
#include "math/hvx/divide.h"
#include "math/hvx/float16.h"

#define BLOCKS 4u
#define BLOCK_F32 HVX_BYTES /* bytes of a block in float32 */
#define Q8_BYTES 34u
#define Q4_BYTES 18u
/* exponent limit of a block's largest magnitude, 2^-110: smaller blocks become zero */
#define MIN_MAGNITUDE (17 * (int32_t)MATH_EXPONENT_ONE)

/* --- Numbers of four blocks in one vector --- */

/* Returns the largest lane of each of four vectors, in 8 lanes each. vdelta with a single bit set in all bytes swaps
 * neighbours. */
HVX_INLINE HVX_Vector largest_of_each(const HVX_Vector *v) {
    HVX_Vector vlargest = hvx_max_neighbours_i32(hvx_max_neighbours_i32(v[0], v[1]),
                                                 hvx_max_neighbours_i32(v[2], v[3]));
    vlargest = Q6_Vw_vmax_VwVw(vlargest, Q6_V_vdelta_VV(vlargest, Q6_V_vsplat_R(0x04040404)));
    vlargest = Q6_Vw_vmax_VwVw(vlargest, Q6_V_vdelta_VV(vlargest, Q6_V_vsplat_R(0x08080808)));
    return Q6_Vw_vmax_VwVw(vlargest, Q6_V_vdelta_VV(vlargest, Q6_V_vsplat_R(0x10101010)));
}

/* Returns the vdelta control that copies the 8 lanes of block i to all others. */
HVX_INLINE HVX_Vector spreader(uint32_t i) {
    HVX_Vector vhigh = Q6_V_vand_QR(Q6_Q_vsetq_R(HVX_BYTES / 2), 0x40404040); /* blocks 0 and 1 */
    HVX_Vector vnot = Q6_V_vxor_VV(vhigh, Q6_V_vsplat_R(0x40404040));
    HVX_VectorPred qodd = Q6_Q_or_QQ(Q6_Q_and_QQn(Q6_Q_vsetq_R(HVX_BYTES / 2), Q6_Q_vsetq_R(HVX_BYTES / 4)),
                                     Q6_Q_not_Q(Q6_Q_vsetq_R(HVX_BYTES * 3 / 4)));
    HVX_Vector vodd = Q6_V_vand_QR(qodd, 0x20202020), vflip = i & 1 ? Q6_V_vsplat_R(0x20202020) : Q6_V_vzero();
    return Q6_V_vor_VV(i & 2 ? vhigh : vnot, Q6_V_vxor_VV(vodd, vflip));
}

/* Broadcasts the number of block i to all lanes. */
HVX_INLINE HVX_Vector spread(HVX_Vector v, uint32_t i) {
    return Q6_V_vdelta_VV(v, spreader(i));
}

/* --- Codes --- */

/* Factors of four blocks: a mantissa in Q30 and an exponent, which is very low for zero blocks. */
struct inverses {
    HVX_Vector vmantissa, vexponent;
};

HVX_INLINE struct inverses inverses_of(HVX_Vector vd, HVX_VectorPred qordinary) {
    HVX_Vector vinverse = math_reciprocal_f32(vd);
    HVX_Vector vexponent = Q6_Vuw_vlsr_VuwR(math_exponent(vinverse), 23);
    return (struct inverses){math_mantissa_q30(vinverse), Q6_V_vmux_QVV(qordinary, vexponent, Q6_V_vsplat_R(-1024))};
}

HVX_INLINE HVX_Vector q8_codes(HVX_Vector v, HVX_Vector vmagnitude, HVX_Vector vinverse, HVX_Vector vexponent) {
    HVX_Vector vproduct = math_multiply_floor_q31(math_mantissa_q30(vmagnitude), vinverse);
    HVX_VectorPred qlarge = Q6_Q_vcmp_gt_VwVw(vproduct, Q6_V_vsplat_R((1 << 30) - 1));
    HVX_Vector vhalf = Q6_V_vsplat_R(32);
    vproduct = Q6_Vw_condacc_QVwVw(qlarge, Q6_Vw_vadd_VwVw(vproduct, vhalf), vhalf);
    vexponent = Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(vmagnitude, 23), vexponent);
    HVX_Vector vshift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(282), vexponent), Q6_V_vsplat_R(32));
    /* 32 in place of the shift: the product becomes 0 */
    HVX_Vector vcode = Q6_Vuw_vavg_VuwVuw(Q6_Vw_vlsr_VwVw(vproduct, vshift), Q6_V_vsplat_R(1));
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), v), vcode);
}

HVX_INLINE HVX_Vector q4_codes(HVX_Vector vmagnitude, HVX_VectorPred qnegative, HVX_Vector vinverse,
                               HVX_Vector vexponent) {
    HVX_Vector vmantissa = math_mantissa_q30(vmagnitude);
    HVX_Vector vproduct = math_multiply_floor_q31(vmantissa, vinverse);
    HVX_Vector vrest = Q6_Vw_vasl_VwR(math_multiply_low(vmantissa, vinverse), 1);
    vproduct = Q6_V_vandor_VQR(vproduct, Q6_Q_vcmp_gt_VuwVuw(vrest, Q6_V_vzero()), 1);
    HVX_VectorPred qsmall = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(1 << 30), vproduct);
    vproduct = Q6_Vw_condacc_QVwVw(qsmall, vproduct, vproduct);
    HVX_Vector veven = math_add_constant_i32(math_mask(Q6_Vuw_vlsr_VuwR(vproduct, 7), 1), 63);
    HVX_Vector vrounded = Q6_Vuw_vlsr_VuwR(Q6_Vw_vadd_VwVw(vproduct, veven), 7);
    vexponent = Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(vmagnitude, 23), vexponent);
    HVX_Vector vshift = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(254 + 2), vexponent); /* 3 minus the exponent */
    vshift = Q6_Vw_vmin_VwVw(Q6_Vw_condacc_QVwVw(qsmall, vshift, Q6_V_vsplat_R(1)), Q6_V_vsplat_R(31));
    vrounded = Q6_Vw_vlsr_VwVw(Q6_Vw_vasl_VwR(vrounded, 5), vshift);
    HVX_Vector vsum = Q6_V_vsplat_R(17 << 24);
    vsum = Q6_Vw_condnac_QVwVw(qnegative, Q6_Vw_condacc_QnVwVw(qnegative, vsum, vrounded), vrounded);
    /* -1: half a unit is 1/2, which is shifted out */
    HVX_Vector vbit = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(7), Q6_Vuw_vcl0_Vuw(vsum));
    vsum = Q6_Vw_vadd_VwVw(vsum, Q6_Vw_vasl_VwVw(Q6_V_vsplat_R(1), vbit));
    return Q6_Vw_vmin_VwVw(Q6_Vuw_vlsr_VuwR(vsum, 25), Q6_V_vsplat_R(15));
}

HVX_INLINE HVX_Vector bytes_of_words(const HVX_Vector *v) {
    return Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(v[3], v[2]), Q6_Vh_vpacke_VwVw(v[1], v[0]));
}

/* --- Loads and stores of blocks --- */

/* Loads up to four blocks of float32; missing blocks are zero. */
HVX_INLINE void load_blocks(HVX_Vector *v, const uint8_t *from, uint32_t n_blocks) {
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        v[i] = i < n_blocks ? hvx_load_u(from + i * BLOCK_F32) : Q6_V_vzero();
    }
}

/* Returns a predicate of bytes 0 and 1 of each of four blocks of block_bytes. */
HVX_INLINE HVX_VectorPred at_scales(uint32_t block_bytes) {
    HVX_VectorPred q = Q6_Q_vsetq_R(2);
    HVX_UNROLL
    for (uint32_t i = 1; i < BLOCKS; i++) {
        uint32_t at = i * block_bytes;
        q = Q6_Q_or_QQ(q, Q6_Q_and_QQn(Q6_Q_vsetq_R((int32_t)(at + 2)), Q6_Q_vsetq_R((int32_t)at)));
    }
    return q;
}

/* Moves codes to their places behind the scales: block i's first byte from 32 * i to block_bytes * i + 2. */
HVX_INLINE HVX_Vector place_codes(HVX_Vector vcodes, uint32_t block_bytes) {
    HVX_Vector v = Q6_V_vror_VR(vcodes, -2);
    HVX_UNROLL
    for (uint32_t i = 1; i < BLOCKS; i++) {
        HVX_VectorPred qbefore = Q6_Q_vsetq_R((int32_t)(i * block_bytes));
        v = Q6_V_vmux_QVV(qbefore, v, Q6_V_vror_VR(vcodes, (int32_t)(32 * i - block_bytes * i) - 2));
    }
    return v;
}

/* Stores n_blocks (1..4). `more`: later blocks follow and may overwrite what is written behind these. */
HVX_INLINE void store_blocks(uint8_t *to, HVX_Vector vfirst, HVX_Vector vrest, uint32_t block_bytes, uint32_t n_blocks,
                             bool more) {
    uint32_t n_bytes = n_blocks * block_bytes;
    if (more) {
        hvx_store_u(to, vfirst);
        if (block_bytes * BLOCKS > HVX_BYTES) {
            hvx_store_u(to + HVX_BYTES, vrest);
        }
    } else if (n_bytes > HVX_BYTES) {
        hvx_store_u(to, vfirst);
        hvx_store_partial_u(to + HVX_BYTES, vrest, n_bytes - HVX_BYTES);
    } else {
        hvx_store_partial_u(to, vfirst, n_bytes);
    }
}

HVX_INLINE HVX_Vector f16_of(HVX_Vector vd, HVX_VectorPred qordinary, HVX_VectorPred qspecial, HVX_Vector vsign) {
    HVX_Vector v = Q6_V_vmux_QVV(qordinary, math_f16_magnitude(vd), Q6_V_vzero());
    v = Q6_V_vmux_QVV(qspecial, Q6_V_vsplat_R(0x7e00), Q6_V_vor_VV(v, vsign));
    return hvx_interleave_low_i16(v, v);
}

HVX_INLINE void pack_q8_blocks(uint8_t *to, const uint8_t *from, uint32_t n_blocks, bool more) {
    HVX_Vector v[BLOCKS], vmagnitude[BLOCKS], vcodes[BLOCKS];
    load_blocks(v, from, n_blocks);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        vmagnitude[i] = math_mask(v[i], MATH_MAGNITUDE);
    }
    HVX_Vector vlargest = largest_of_each(vmagnitude), vd = math_divide_by_127(vlargest);
    HVX_VectorPred qspecial = Q6_Q_vcmp_gt_VwVw(vlargest, Q6_V_vsplat_R(MATH_INFINITY - 1));
    HVX_VectorPred qordinary = Q6_Q_and_QQn(Q6_Q_vcmp_gt_VwVw(vlargest, Q6_V_vsplat_R(MIN_MAGNITUDE - 1)), qspecial);
    struct inverses inverses = inverses_of(vd, qordinary);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        vcodes[i] = q8_codes(v[i], vmagnitude[i], spread(inverses.vmantissa, i), spread(inverses.vexponent, i));
    }
    HVX_Vector vbytes = bytes_of_words(vcodes);
    HVX_Vector vfirst = Q6_V_vmux_QVV(at_scales(Q8_BYTES), f16_of(vd, qordinary, qspecial, Q6_V_vzero()),
                                      place_codes(vbytes, Q8_BYTES));
    store_blocks(to, vfirst, Q6_V_vror_VR(vbytes, 4 * 32 - 8), Q8_BYTES, n_blocks, more);
}

HVX_INLINE void pack_q4_blocks(uint8_t *to, const uint8_t *from, uint32_t n_blocks, bool more) {
    static const int32_t lanes[HVX_LANES_I32]
        __attribute__((aligned(HVX_BYTES))) = {64, 62, 60, 58, 56, 54, 52, 50, 48, 46, 44, 42, 40, 38, 36, 34,
                                               32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8,  6,  4,  2};
    HVX_Vector v[BLOCKS], vmagnitude[BLOCKS], vcodes[BLOCKS], vkeys[BLOCKS];
    HVX_Vector vsign_bit = Q6_V_vsplat_R((int32_t)MATH_SIGN), vlanes = *(const HVX_Vector *)lanes;
    load_blocks(v, from, n_blocks);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        vmagnitude[i] = math_mask(v[i], MATH_MAGNITUDE);
    }
    HVX_Vector vlargest = largest_of_each(vmagnitude);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) { /* the first element of that magnitude, and its sign */
        HVX_VectorPred qlargest = Q6_Q_vcmp_eq_VwVw(vmagnitude[i], spread(vlargest, i));
        vkeys[i] = Q6_V_vand_QV(qlargest, Q6_V_vor_VV(vlanes, Q6_Vuw_vlsr_VuwR(v[i], 31)));
    }
    HVX_Vector vsign = Q6_Vw_vasl_VwR(largest_of_each(vkeys), 31); /* d has the opposite sign */
    vsign = Q6_V_vxor_VV(vsign, vsign_bit);
    HVX_VectorPred qspecial = Q6_Q_vcmp_gt_VwVw(vlargest, Q6_V_vsplat_R(MATH_INFINITY - 1));
    HVX_VectorPred qordinary = Q6_Q_and_QQn(Q6_Q_vcmp_gt_VwVw(vlargest, Q6_V_vsplat_R(MIN_MAGNITUDE - 1)), qspecial);
    HVX_Vector vd = math_add_constant_i32(vlargest, -3 * (int32_t)MATH_EXPONENT_ONE);
    struct inverses inverses = inverses_of(vd, qordinary);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        HVX_Vector vsigns = Q6_V_vxor_VV(v[i], spread(vsign, i));
        vcodes[i] = q4_codes(vmagnitude[i], Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), vsigns), spread(inverses.vmantissa, i),
                             spread(inverses.vexponent, i));
    }
    HVX_Vector vbytes = bytes_of_words(vcodes);
    vbytes = Q6_V_vor_VV(vbytes, Q6_Vw_vasl_VwR(Q6_V_vror_VR(vbytes, 16), 4));
    HVX_Vector vscales = f16_of(vd, qordinary, qspecial, Q6_Vuw_vlsr_VuwR(vsign, 16));
    vscales = Q6_V_lo_W(hvx_w_deal_i32(vscales, vscales)); /* 4 lanes each */
    HVX_Vector vfirst = Q6_V_vmux_QVV(at_scales(Q4_BYTES), vscales, place_codes(vbytes, Q4_BYTES));
    store_blocks(to, vfirst, vfirst, Q4_BYTES, n_blocks, more);
}

void hvx_pack_q8_0(uint8_t *to, const uint8_t *from, uint32_t n) {
    uint32_t n_blocks = n / 32;
    for (; n_blocks > BLOCKS; n_blocks -= BLOCKS) {
        pack_q8_blocks(to, from, BLOCKS, n_blocks >= 2 * BLOCKS);
        to += BLOCKS * Q8_BYTES;
        from += BLOCKS * BLOCK_F32;
    }
    if (n_blocks) {
        pack_q8_blocks(to, from, n_blocks, false);
    }
}

void hvx_pack_q4_0(uint8_t *to, const uint8_t *from, uint32_t n) {
    uint32_t n_blocks = n / 32;
    for (; n_blocks > BLOCKS; n_blocks -= BLOCKS) {
        pack_q4_blocks(to, from, BLOCKS, n_blocks >= 2 * BLOCKS);
        to += BLOCKS * Q4_BYTES;
        from += BLOCKS * BLOCK_F32;
    }
    if (n_blocks) {
        pack_q4_blocks(to, from, n_blocks, false);
    }
}

/* --- Dequantization --- */

HVX_INLINE uint32_t scale_at(const uint8_t *block) {
    return *(const uint16_t *)block;
}

/* Multiplies 32 codes exactly by a scale that is neither NaN nor infinite. */
HVX_INLINE HVX_Vector scaled(HVX_Vector vcodes, uint32_t d) {
    uint32_t exponent = d >> 10 & 31, mantissa = (d & 0x3ff) | (exponent ? 0x400 : 0);
    int32_t unit = (int32_t)((exponent ? exponent : 1) + 102) * (int32_t)MATH_EXPONENT_ONE;
    HVX_Vector vsign = math_mask(Q6_V_vxor_VV(vcodes, Q6_V_vsplat_R((int32_t)(d << 16))), MATH_SIGN);
    HVX_Vector vproduct = Q6_Vw_vmpyi_VwRh(Q6_Vw_vabs_Vw(vcodes), (int32_t)(mantissa << 16 | mantissa));
    return math_pack_parts(vproduct, 0, Q6_V_vsplat_R(unit), vsign, vsign);
}

/* Gathers the codes of n_blocks (1..4) blocks: the codes of block i start at byte 32 * i. */
HVX_INLINE HVX_Vector gather_codes(const uint8_t *from, uint32_t block_bytes, uint32_t n_blocks) {
    uint32_t n_bytes = n_blocks * block_bytes;
    HVX_Vector vfirst, vrest = Q6_V_vzero();
    if (n_bytes >= HVX_BYTES) {
        vfirst = hvx_load_u(from);
        vrest = n_bytes > HVX_BYTES ? hvx_load_partial_u(from + HVX_BYTES, n_bytes - HVX_BYTES) : vrest;
    } else {
        vfirst = hvx_load_partial_u(from, n_bytes);
    }
    HVX_Vector v = Q6_V_valign_VVR(vrest, vfirst, 2);
    HVX_UNROLL
    for (uint32_t i = 1; i < BLOCKS; i++) {
        int32_t distance = (int32_t)(block_bytes * i) + 2 - (int32_t)(32 * i);
        HVX_Vector vmoved = distance >= 0 ? Q6_V_valign_VVR(vrest, vfirst, distance) : Q6_V_vror_VR(vfirst, distance);
        v = Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)(32 * i)), v, vmoved);
    }
    return v;
}

/* Unpacks nibbles: the low ones are the first 16 codes of a block, the high ones the last 16. */
HVX_INLINE HVX_Vector codes_of_nibbles(HVX_Vector v) {
    HVX_Vector vlow = math_mask(v, 0x0f0f0f0f), vhigh = math_mask(Q6_Vuw_vlsr_VuwR(v, 4), 0x0f0f0f0f);
    HVX_VectorPred qlow = Q6_Q_vsetq_R(16);
    HVX_UNROLL
    for (uint32_t i = 1; i < BLOCKS; i++) {
        int32_t at = (int32_t)(32 * i);
        qlow = Q6_Q_or_QQ(qlow, Q6_Q_and_QQn(Q6_Q_vsetq_R(at + 16), Q6_Q_vsetq_R(at)));
    }
    v = Q6_V_vmux_QVV(qlow, vlow, Q6_V_vror_VR(vhigh, -16));
    return Q6_Vb_vsub_VbVb(v, Q6_V_vsplat_R(0x08080808));
}

HVX_INLINE void unpack_blocks(uint8_t *to, const uint8_t *from, uint32_t n_blocks, uint32_t dtype) {
    uint32_t block_bytes = dtype == PHX_Q8_0 ? Q8_BYTES : Q4_BYTES, d[BLOCKS];
    bool is_special = false;
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        d[i] = i < n_blocks ? scale_at(from + i * block_bytes) : 0;
        is_special = is_special || (d[i] & 0x7c00) == 0x7c00;
    }
    if (is_special) {
        ref_convert(dtype, from, PHX_F32, to, n_blocks * 32);
        return;
    }
    HVX_Vector vcodes = gather_codes(from, block_bytes, n_blocks);
    vcodes = dtype == PHX_Q8_0 ? vcodes : codes_of_nibbles(vcodes);
    HVX_VectorPair wcodes = Q6_Wh_vunpack_Vb(vcodes);
    HVX_VectorPair wlow = Q6_Ww_vunpack_Vh(Q6_V_lo_W(wcodes)), whigh = Q6_Ww_vunpack_Vh(Q6_V_hi_W(wcodes));
    HVX_Vector v[BLOCKS] = {Q6_V_lo_W(wlow), Q6_V_hi_W(wlow), Q6_V_lo_W(whigh), Q6_V_hi_W(whigh)};
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        v[i] = scaled(v[i], d[i]);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (i < n_blocks) {
            hvx_store_u(to + i * BLOCK_F32, v[i]);
        }
    }
}

void hvx_unpack_q8_0(uint8_t *to, const uint8_t *from, uint32_t n) {
    uint32_t n_blocks = n / 32;
    for (; n_blocks >= BLOCKS; n_blocks -= BLOCKS) {
        unpack_blocks(to, from, BLOCKS, PHX_Q8_0);
        to += BLOCKS * BLOCK_F32;
        from += BLOCKS * Q8_BYTES;
    }
    if (n_blocks) {
        unpack_blocks(to, from, n_blocks, PHX_Q8_0);
    }
}

void hvx_unpack_q4_0(uint8_t *to, const uint8_t *from, uint32_t n) {
    uint32_t n_blocks = n / 32;
    for (; n_blocks >= BLOCKS; n_blocks -= BLOCKS) {
        unpack_blocks(to, from, BLOCKS, PHX_Q4_0);
        to += BLOCKS * BLOCK_F32;
        from += BLOCKS * Q4_BYTES;
    }
    if (n_blocks) {
        unpack_blocks(to, from, n_blocks, PHX_Q4_0);
    }
}
