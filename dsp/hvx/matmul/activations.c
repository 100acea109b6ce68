/* SPDX-License-Identifier: MIT
 *
 * Activations to integers with a scale per 32: docs/arithmetic.md, 1; dsp/ref/matmul/activations.c in HVX.
 *
 * A block of 32 floats is one vector, so its largest magnitude and its sums need a reduction across lanes. 32 blocks
 * are reduced together: a tree of deals and maximums ends in one vector with block i in lane i, where exponents,
 * reciprocals and scales of all 32 are worked out at once. They come back to the blocks as scalars, two blocks to a
 * word, because two blocks share a vector of int16 in the second pass.
 *
 * Quantizing a row takes two passes:
 *     1. largest magnitudes. In: all the row's floats. Out: for each batch of this thread, a vector with block i's
 *        largest magnitude (float bits) in lane i, kept where the batch's scales will be; and the row's exponent, which
 *        needs the batches of other threads, too.
 *     2. quantizing. In: the floats of this thread's batches, their vectors of largest magnitudes, the row's exponent.
 *        Out: q, the scales and the biases of the weight type (enum hvx_form).
 * The largest magnitude as an integer gives both E and a: truncation keeps the order.
 *
 * Batches that are whole and aligned to vectors have unrolled functions of their own. A short last batch of whole,
 * aligned blocks (K = 384, 768, ...) goes by quads, four blocks; the other batches go block by block.
 *
 * Reads the row's k floats at any 4-byte alignment (a compiler may make that loads of the aligned vectors they lie in,
 * never of one without a byte of the row). The tail of a row that is not a multiple of 32 is read as the last 128 bytes
 * of the row and rotated; a row shorter than 32 is copied word by word.
 */
#include "activations.h"

#include "formats/tiles.h"
#include "math/hvx/hvx.h"
#include "ops/rolled.h"

#define EXPONENT_NAN 255
#define EXPONENT_MIN 32
#define MAGNITUDE_MASK 0x7fffffff

/* A row of activations and its quantized form. */
struct row {
    const uint8_t *x;
    uint32_t k;
    uint32_t n_plain; /* batches that are whole and aligned */
    uint32_t n_short; /* blocks of the batch behind them, if all of these are whole and aligned; else 0 */
    HVX_Vector *blocks, *q;
    uint32_t block_vectors, q_vectors; /* of a batch */
    uint32_t form;                     /* enum hvx_form, as a word */
};

/* The blocks of one batch: n_whole whole blocks of the row, then its tail, then zeros. A plain batch is addressed from
 * the middle of either half, because a load's offset reaches 8 vectors back and 7 forward. */
struct source {
    const uint8_t *x;
    uint32_t n_whole;
    HVX_Vector vtail, vzero;
    const HVX_Vector *middles[2];
};

#define MIDDLE (HVX_BATCH / 4) /* blocks from the start of a half */

/* A batch's place in the quantized row, and the exponent that its scales are relative to. */
struct target {
    uint32_t form; /* enum hvx_form, as a word */
    int32_t row_exponent;
    int32_t ds;
    HVX_Vector *blocks, *q;
};

HVX_INLINE HVX_Vector load_block(const struct source *source, uint32_t block, bool plain) {
    const uint8_t *x = source->x + block * HVX_BYTES;
    if (plain) {
        return source->middles[block / (2 * MIDDLE)][(int32_t)(block % (2 * MIDDLE)) - MIDDLE];
    }
    if (block >= source->n_whole) {
        x = (const uint8_t *)(block == source->n_whole ? &source->vtail : &source->vzero);
    }
    return hvx_load_u(x);
}

/* Blocks block..block+3. */
HVX_INLINE void load_quad(HVX_Vector *v, const struct source *source, uint32_t block, bool plain) {
    HVX_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        v[i] = load_block(source, block + i, plain);
    }
}

/* Loads the next four aligned blocks of a batch that has n_left more. If these are fewer than four, it repeats the last
 * one, because memory behind the row may not be readable. */
HVX_INLINE void load_short_quad(HVX_Vector *v, const HVX_Vector *x, uint32_t n_left) {
    HVX_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        v[i] = x[i < n_left ? i : n_left - 1];
    }
}

/* The last, short block of a row of k floats, padded with zeros. */
static HVX_Vector load_tail(const uint8_t *x, uint32_t k) {
    uint32_t n_bytes = k % PHX_BLOCK * sizeof(float);
    HVX_Vector v = Q6_V_vzero();
    if (n_bytes == 0) {
        return v;
    }
    if (k < PHX_BLOCK) {
        for (uint32_t i = 0; i < k; i++) {
            ((int32_t *)&v)[i] = ((const int32_t *)x)[i];
        }
        return v;
    }
    v = Q6_V_vror_VR(hvx_load_u(x + (size_t)k * sizeof(float) - HVX_BYTES), (int32_t)(HVX_BYTES - n_bytes));
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)n_bytes), v, Q6_V_vzero());
}

/* Lanes 8*i..8*i + 7: the largest magnitudes in block i of four, as float bits. */
HVX_INLINE HVX_Vector largest_of_4(HVX_Vector *v) {
    HVX_UNROLL
    for (uint32_t i = 0; i < 4; i++) {
        v[i] = Q6_V_vand_VV(v[i], Q6_V_vsplat_R(MAGNITUDE_MASK));
    }
    return hvx_max_neighbours_i32(hvx_max_neighbours_i32(v[0], v[1]), hvx_max_neighbours_i32(v[2], v[3]));
}

/* Lane i: the largest magnitude of block i of the batch; vmax: largest_of_4() of its quads. */
HVX_INLINE HVX_Vector largest_of_quads(HVX_Vector *vmax) {
    HVX_UNROLL
    for (uint32_t n = HVX_BATCH / 8; n > 0; n /= 2) {
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            vmax[i] = hvx_max_neighbours_i32(vmax[2 * i], vmax[2 * i + 1]);
        }
    }
    return vmax[0];
}

HVX_INLINE HVX_Vector largest_of_batch(const struct source *source, bool plain) {
    HVX_Vector vmax[HVX_BATCH / 4], v[4];
    if (plain) {
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
            load_quad(v, source, 4 * i, true);
            vmax[i] = largest_of_4(v);
        }
    } else {
#pragma clang loop unroll(disable)
        for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
            load_quad(v, source, 4 * i, false);
            vmax[i] = 4 * i <= source->n_whole ? largest_of_4(v) : Q6_V_vzero();
        }
    }
    return largest_of_quads(vmax);
}

/* The same of a short batch of n blocks; 0 in the other lanes, which make scales of 0. */
static __attribute__((noinline)) HVX_Vector largest_of_short(const HVX_Vector *x, uint32_t n) {
    HVX_Vector vmax[HVX_BATCH / 4], v[4];
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vmax[i] = Q6_V_vzero();
    }
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; 4 * i < n; i++) {
        load_short_quad(v, x + 4 * i, n - 4 * i);
        vmax[i] = largest_of_4(v);
    }
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)(n * sizeof(float))), largest_of_quads(vmax), Q6_V_vzero());
}

/* Step 2 for two blocks at once, even lanes v0's and odd ones v1's; vexponent holds (E + 1) << 7 | 0x7f likewise. Where
 * the page has 0 because an element is 2^15 times smaller or more, this has +-1, which gives the same q.
 *
 * The magnitude's 16th bit saves a mask and makes the shift one more. The shift's lower byte is cut to 15, its upper
 * one, which holds sign and borrow, to 0. */
HVX_INLINE HVX_Vector align_i16(HVX_Vector v0, HVX_Vector v1, HVX_Vector vexponent) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(v1, v0); /* sign, exponent, 7 bits of the mantissa */
    HVX_Vector vlow = Q6_Vh_vasr_VwVwR(v1, v0, 8); /* the exponent's last bit, 15 of the mantissa */
    HVX_Vector vmagnitude = Q6_V_vor_VV(vlow, hvx_splat_i16(0x8000));
    HVX_Vector vshift = Q6_Vuh_vlsr_VuhR(Q6_Vh_vsub_VhVh(vexponent, vhigh), 7);
    HVX_Vector vxi = Q6_Vh_vlsr_VhVh(vmagnitude, Q6_Vub_vmin_VubVub(vshift, hvx_splat_i16(15)));
    HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VhVh(Q6_V_vzero(), vhigh);
    return Q6_V_vmux_QVV(qnegative, Q6_Vh_vsub_VhVh(Q6_V_vzero(), vxi), vxi);
}

/* Step 5, in the even lanes. */
HVX_INLINE HVX_Vector reciprocal_i16(HVX_Vector va) {
    HVX_Vector vz = Q6_Vh_vsub_VhVh(hvx_splat_i16(23130),
                                    hvx_mpyr_i16(Q6_Vh_vsub_VhVh(va, hvx_splat_i16(24576)), hvx_splat_i16(30840)));
    HVX_UNROLL
    for (int step = 0; step < 2; step++) {
        HVX_Vector verror = Q6_Vh_vsub_VhVh(hvx_splat_i16(16384), hvx_mpyr_i16(va, vz));
        vz = Q6_Vh_vadd_VhVh_sat(vz, hvx_mpyr_i16(vz, Q6_Vh_vadd_VhVh(verror, verror)));
    }
    return hvx_mpyr_i16(vz, hvx_splat_i16(32512));
}

/* Step 7, in words; vv = v. */
HVX_INLINE HVX_Vector scale_i32(HVX_Vector vv, HVX_Vector vexponent, int32_t row_exponent) {
    HVX_Vector vshift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(row_exponent), vexponent), Q6_V_vsplat_R(31));
    HVX_Vector vscale = Q6_Vw_vlsr_VwVw(Q6_Vw_vadd_VwVw(vv, vv), vshift);
    vscale = Q6_Vuw_vlsr_VuwR(Q6_Vw_vadd_VwVw(vscale, Q6_V_vsplat_R(1)), 1);
    HVX_VectorPred qzero = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R(EXPONENT_MIN), vexponent);
    return Q6_V_vmux_QVV(qzero, Q6_V_vzero(), vscale);
}

/* Steps 2 to 6 for 4 blocks, q in order of k. The scalars at i belong to blocks i and i + 2: (E + 1) << 7 | 0x7f,
 * and R. */
HVX_INLINE HVX_Vector quantise_i8(const HVX_Vector *v, const int32_t *exponent_pairs, const int32_t *reciprocal_pairs) {
    HVX_Vector vq_i16[2];
    HVX_UNROLL
    for (uint32_t odd = 0; odd < 2; odd++) {
        HVX_Vector vxi = align_i16(v[odd], v[odd + 2], Q6_V_vsplat_R(exponent_pairs[odd]));
        vq_i16[odd] = hvx_mpyr_scalar_i16(vxi, reciprocal_pairs[odd]);
    }
    HVX_Vector vq = Q6_Vb_vasr_VhVhR_rnd_sat(vq_i16[1], vq_i16[0], 7); /* byte 4*k + c: k of block 0, 1, 2, 3 */
    return Q6_Vb_vdeal_Vb(Q6_Vb_vdeal_Vb(vq));
}

/* Steps 2 to 6 for 2 blocks of int16; the scalar belongs to both. */
HVX_INLINE HVX_Vector quantise_i16(const HVX_Vector *v, int32_t exponent_pair) {
    HVX_Vector vxi = align_i16(v[0], v[1], Q6_V_vsplat_R(exponent_pair));
    return Q6_Vh_vdeal_Vh(Q6_Vh_vavg_VhVh_rnd(Q6_Vh_vasr_VhR(vxi, 1), Q6_V_vzero())); /* (xi + 2) >> 2 */
}

/* Lane i: the sums of the first and of the second half of block i. */
HVX_INLINE HVX_VectorPair sum_batch_i8(HVX_Vector *vsum) {
    HVX_UNROLL
    for (uint32_t n = HVX_BATCH / 8; n > 1; n /= 2) {
        HVX_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            vsum[i] = hvx_add_neighbours_i32(vsum[2 * i], vsum[2 * i + 1]);
        }
    }
    return hvx_w_deal_i32(vsum[0], vsum[1]);
}

/* Lane i: the low halves of lanes i and i + distance. */
HVX_INLINE HVX_Vector pair_lanes_i16(HVX_Vector v, int32_t distance) {
    return hvx_interleave_low_i16(v, Q6_V_vror_VR(v, 4 * distance));
}

HVX_INLINE HVX_Vector twice_i16(HVX_Vector v) {
    return hvx_interleave_low_i16(v, v);
}

/* Step 8, in words; the even int16 hold both factors. */
HVX_INLINE HVX_Vector scaled_sum_i32(HVX_Vector vda, HVX_Vector vsum) {
    HVX_Vector vt = Q6_V_lo_W(Q6_Ww_vmpy_VhVh(vda, vsum));
    return Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(vt, Q6_V_vsplat_R(1024)), 11);
}

/* Words of four bytes 0 of v0, v1, v0, v1. */
HVX_INLINE HVX_Vector repeat_bytes(HVX_Vector v0, HVX_Vector v1) {
    return twice_i16(Q6_Vb_vshuffe_VbVb(v1, v0));
}

/* The bytes of t in words, eight at a time: see HVX_FORM_SUPER_MINIMUMS. */
HVX_INLINE HVX_Vector minimum_words(HVX_Vector vt) {
    HVX_Vector vt_i16 = Q6_Vh_vpacke_VwVw(Q6_V_vzero(), vt);
    HVX_Vector vhigh = Q6_Vb_vpacko_VhVh(Q6_V_vzero(), vt_i16);
    HVX_Vector vlow = Q6_Vb_vpacke_VhVh(Q6_V_vzero(), vt_i16);
    HVX_Vector vwords = Q6_V_lo_W(Q6_W_vshuff_VVR(vlow, vhigh, -8));
    return Q6_V_lo_W(Q6_W_vshuff_VVR(vwords, Q6_V_vzero(), -16));
}

/* A struct hvx_block for each block: 2 vectors. */
HVX_INLINE void store_blocks(const struct target *target, HVX_Vector vda, HVX_VectorPair wsums) {
    HVX_Vector vsum = Q6_Vw_vadd_VwVw(Q6_V_lo_W(wsums), Q6_V_hi_W(wsums));
    HVX_Vector vt = scaled_sum_i32(vda, vsum), vbias = Q6_Vw_vasl_VwR(vsum, 3);
    vbias = hvx_interleave_low_i16(target->form == HVX_FORM_MINIMUMS ? vt : vbias, vbias);
    if (target->form == HVX_FORM_SUPER_MINIMUMS) {
        vbias = minimum_words(vt);
    }
    HVX_VectorPair wblocks = Q6_W_vshuff_VVR(vbias, twice_i16(vda), -4);
    target->blocks[0] = Q6_V_lo_W(wblocks);
    target->blocks[1] = Q6_V_hi_W(wblocks);
}

/* A struct hvx_block for each half of a block: 4 vectors. */
HVX_INLINE void store_half_blocks(const struct target *target, HVX_Vector vda, HVX_VectorPair wsums) {
    HVX_Vector vfirst = Q6_V_lo_W(wsums), vsecond = Q6_V_hi_W(wsums);
    if (target->form != HVX_FORM_HALVES_MINIMUMS) {
        int32_t shift = target->form == HVX_FORM_HALVES ? 4 : 2;
        vfirst = twice_i16(Q6_Vw_vasl_VwR(vfirst, shift));
        vsecond = twice_i16(Q6_Vw_vasl_VwR(vsecond, shift));
    } else {
        HVX_Vector v0 = scaled_sum_i32(vda, vfirst), v1 = scaled_sum_i32(vda, vsecond), vhalf = Q6_V_vsplat_R(128);
        vfirst = repeat_bytes(Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(v0, vhalf), 8),
                              Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(v1, vhalf), 8));
        vsecond = repeat_bytes(v0, v1);
    }
    HVX_VectorPair wfirst = Q6_W_vshuff_VVR(vfirst, twice_i16(vda), -4);
    HVX_VectorPair wsecond = Q6_W_vshuff_VVR(vsecond, twice_i16(vda), -4);
    HVX_VectorPair wlow = Q6_W_vshuff_VVR(Q6_V_lo_W(wsecond), Q6_V_lo_W(wfirst), -8);
    HVX_VectorPair whigh = Q6_W_vshuff_VVR(Q6_V_hi_W(wsecond), Q6_V_hi_W(wfirst), -8);
    target->blocks[0] = Q6_V_lo_W(wlow);
    target->blocks[1] = Q6_V_hi_W(wlow);
    target->blocks[2] = Q6_V_lo_W(whigh);
    target->blocks[3] = Q6_V_hi_W(whigh);
}

/* E and a; lane i of vlargest: the largest magnitude of block i. */
HVX_INLINE HVX_Vector exponents_i32(HVX_Vector vlargest) {
    return Q6_Vuw_vlsr_VuwR(vlargest, 23);
}

HVX_INLINE HVX_Vector largest_aligned_i32(HVX_Vector vlargest) {
    return Q6_V_vor_VV(Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(vlargest, 9), Q6_V_vsplat_R(0x3fff)), Q6_V_vsplat_R(0x4000));
}

/* (E + 1) << 7 | 0x7f of blocks i and i + distance, at i. */
HVX_INLINE HVX_Vector exponent_pairs(HVX_Vector vexponent, int32_t distance) {
    HVX_Vector v = Q6_Vw_vadd_VwVw(Q6_Vw_vasl_VwR(vexponent, 7), Q6_V_vsplat_R(255));
    return pair_lanes_i16(v, distance);
}

/* The scalars of quantise_i8(). */
struct pairs_i8 {
    HVX_Vector exponents, reciprocals;
};

HVX_INLINE struct pairs_i8 pairs_i8(HVX_Vector vlargest) {
    return (struct pairs_i8){exponent_pairs(exponents_i32(vlargest), 2),
                             pair_lanes_i16(reciprocal_i16(largest_aligned_i32(vlargest)), 2)};
}

HVX_INLINE HVX_Vector sum_quads_i8(HVX_Vector vq) {
    return Q6_Vw_vrmpy_VbVb(vq, Q6_V_vsplat_R(0x01010101));
}

/* The q of a batch, and the sums of halves of blocks. */
HVX_INLINE HVX_VectorPair quantise_batch_i8(const struct source *source, bool plain, HVX_Vector vlargest,
                                            HVX_Vector *q) {
    struct pairs_i8 pairs = pairs_i8(vlargest);
    const int32_t *exponents = (const int32_t *)&pairs.exponents, *reciprocals = (const int32_t *)&pairs.reciprocals;
    HVX_Vector vq[HVX_BATCH / 4], vsum[HVX_BATCH / 4], v[4];
    if (plain) {
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
            load_quad(v, source, 4 * i, true);
            vq[i] = quantise_i8(v, exponents + 4 * i, reciprocals + 4 * i);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_BATCH / 4; i++) { /* behind all loads: loads would stall on these stores */
            q[i] = vq[i];
        }
    } else {
#pragma clang loop unroll(disable)
        for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
            load_quad(v, source, 4 * i, false);
            q[i] = 4 * i <= source->n_whole ? quantise_i8(v, exponents + 4 * i, reciprocals + 4 * i) : Q6_V_vzero();
            vq[i] = q[i];
        }
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vsum[i] = sum_quads_i8(vq[i]);
    }
    return sum_batch_i8(vsum);
}

/* The scales and the biases of a batch. */
HVX_INLINE void store_i8(const struct target *target, HVX_Vector vlargest, HVX_VectorPair wsums) {
    HVX_Vector vv = hvx_mpyr_i16(largest_aligned_i32(vlargest), Q6_V_vsplat_R(16513));
    HVX_Vector vda = scale_i32(vv, exponents_i32(vlargest), target->row_exponent);
    if (target->form >= HVX_FORM_HALVES) {
        store_half_blocks(target, vda, wsums);
    } else {
        store_blocks(target, vda, wsums);
    }
}

/* The exponents that a batch's int16 are aligned to. The shifts that follow from them are stored in place of scales. */
HVX_INLINE HVX_Vector align_wide(const struct target *target) {
    int32_t top = target->row_exponent < EXPONENT_MIN ? PHX_TINY_EXPONENT : target->row_exponent;
    HVX_Vector vleast = Q6_V_vsplat_R(top - (int32_t)phx_wide_range((uint32_t)target->ds));
    HVX_Vector vexponent = Q6_Vw_vmax_VwVw(exponents_i32(target->blocks[0]), vleast);
    HVX_Vector vshift = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(top + target->ds + PHX_WIDE_SHIFT), vexponent);
    store_blocks(target, vshift, hvx_w_zero());
    return vexponent;
}

/* Pass 2 over a batch, whose vlargest is in target->blocks. */
HVX_INLINE void quantise_i8_batch(const struct source *source, bool plain, const struct target *target) {
    HVX_Vector vlargest = target->blocks[0];
    store_i8(target, vlargest, quantise_batch_i8(source, plain, vlargest, target->q));
}

HVX_INLINE void quantise_i16_batch(const struct source *source, bool plain, const struct target *target) {
    HVX_Vector vpairs = exponent_pairs(align_wide(target), 1);
    const int32_t *exponents = (const int32_t *)&vpairs;
    if (plain) {
        HVX_Vector vq[HVX_BATCH / 2];
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_BATCH / 2; i++) {
            const HVX_Vector v[2] = {load_block(source, 2 * i, true), load_block(source, 2 * i + 1, true)};
            vq[i] = quantise_i16(v, exponents[2 * i]);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < HVX_BATCH / 2; i++) {
            target->q[i] = vq[i];
        }
    } else {
#pragma clang loop unroll(disable)
        for (uint32_t i = 0; i < HVX_BATCH / 2 && 2 * i <= (source->n_whole | 3); i++) { /* to the end of a group */
            const HVX_Vector v[2] = {load_block(source, 2 * i, false), load_block(source, 2 * i + 1, false)};
            target->q[i] = quantise_i16(v, exponents[2 * i]);
        }
    }
}

/* The same for a short batch of n blocks. The q of padding blocks do not matter, because their scales are 0. */
static __attribute__((noinline)) void quantise_short_i8(const HVX_Vector *x, uint32_t n, const struct target *target) {
    HVX_Vector vlargest = target->blocks[0], vsum[HVX_BATCH / 4], v[4];
    struct pairs_i8 pairs = pairs_i8(vlargest);
    const int32_t *exponents = (const int32_t *)&pairs.exponents, *reciprocals = (const int32_t *)&pairs.reciprocals;
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vsum[i] = Q6_V_vzero();
    }
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; 4 * i < n; i++) {
        load_short_quad(v, x + 4 * i, n - 4 * i);
        HVX_Vector vq = quantise_i8(v, exponents + 4 * i, reciprocals + 4 * i);
        target->q[i] = vq;
        vsum[i] = sum_quads_i8(vq);
    }
    store_i8(target, vlargest, sum_batch_i8(vsum));
}

/* Int16 activations have a shift in place of a scale, and no shift makes a product 0: the q of padding blocks are 0, up to
 * the end of a group of four blocks. */
static __attribute__((noinline)) void quantise_short_i16(const HVX_Vector *x, uint32_t n, const struct target *target) {
    HVX_Vector vpairs = exponent_pairs(align_wide(target), 1), vzero = Q6_V_vzero(), v[4];
    const int32_t *exponents = (const int32_t *)&vpairs;
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n; i += 4) {
        HVX_UNROLL
        for (uint32_t j = 0; j < 4; j++) {
            v[j] = *(i + j < n ? x + i + j : &vzero);
        }
        target->q[i / 2] = quantise_i16(v, exponents[i]);
        target->q[i / 2 + 1] = quantise_i16(v + 2, exponents[i + 2]);
    }
}

/* One function for each form, so that the compiler keeps the constants of one form in registers. */
static __attribute__((noinline)) void quantise_plain_i8(const HVX_Vector *first_middle, const HVX_Vector *second_middle,
                                                        const struct target *target) {
    struct source source = {.middles = {first_middle, second_middle}};
    quantise_i8_batch(&source, true, target);
}

static __attribute__((noinline)) void quantise_plain_i16(const HVX_Vector *first_middle,
                                                         const HVX_Vector *second_middle, const struct target *target) {
    struct source source = {.middles = {first_middle, second_middle}};
    quantise_i16_batch(&source, true, target);
}

static __attribute__((noinline)) void quantise_any_i8(const struct source *source, const struct target *target) {
    quantise_i8_batch(source, false, target);
}

static __attribute__((noinline)) void quantise_any_i16(const struct source *source, const struct target *target) {
    quantise_i16_batch(source, false, target);
}

/* Pass 1 over n whole and aligned batches at x. Returns the maximum of each lane over all of them, and writes each
 * batch's own vector of largest magnitudes to `to`, `step` vectors apart, where pass 2 finds it. */
static __attribute__((noinline)) HVX_Vector largest_of_plain(const HVX_Vector *first_middle,
                                                             const HVX_Vector *second_middle, uint32_t n,
                                                             HVX_Vector *to, uint32_t step) {
    struct source source = {.middles = {first_middle, second_middle}};
    HVX_Vector vlargest_of_all = Q6_V_vzero();
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vlargest = largest_of_batch(&source, true);
        vlargest_of_all = Q6_Vw_vmax_VwVw(vlargest_of_all, vlargest);
        *to = vlargest;
        to += step;
        source.middles[0] += HVX_BATCH;
        source.middles[1] += HVX_BATCH;
    }
    return vlargest_of_all;
}

static __attribute__((noinline)) HVX_Vector largest_of_any(const struct source *source) {
    return largest_of_batch(source, false);
}

static struct row row_of(const struct phx_matmul *mm, const uint8_t *x, void *to) {
    enum hvx_form form = (enum hvx_form)mm->form;
    bool is_aligned = (uintptr_t)x % HVX_BYTES == 0;
    return (struct row){.x = x,
                        .k = mm->k,
                        .n_plain = is_aligned ? mm->k / (HVX_BATCH * PHX_BLOCK) : 0,
                        .n_short = is_aligned && mm->k % PHX_BLOCK == 0 ? mm->k / PHX_BLOCK % HVX_BATCH : 0,
                        .blocks = (HVX_Vector *)((uint8_t *)to + sizeof(struct hvx_row)),
                        .q = (HVX_Vector *)((uint8_t *)to + hvx_q_offset(mm, HVX_BLOCKS_BYTES(form))),
                        .block_vectors = 2 * HVX_SCALES_PER_BLOCK(form),
                        .q_vectors = form == HVX_FORM_WIDE ? 16 : 8,
                        .form = form};
}

/* Field by field: the compiler would clear and copy a whole struct, 156 packets a row. */
static void set_source(struct source *source, const struct row *row, uint32_t batch) {
    source->x = row->x + batch * HVX_BATCH * HVX_BYTES;
    source->n_whole = row->k / PHX_BLOCK - batch * HVX_BATCH;
    source->vtail = load_tail(row->x, row->k);
    source->vzero = Q6_V_vzero();
}

/* The largest magnitude in each lane of n whole and aligned batches. */
static __attribute__((noinline)) HVX_Vector largest_lanes(const uint8_t *x, uint32_t n) {
    const HVX_Vector *from = (const HVX_Vector *)x;
    HVX_Vector vmask = Q6_V_vsplat_R(MAGNITUDE_MASK), veven = Q6_V_vzero(), vodd = veven;
    for (uint32_t batch = 0; batch < n; batch++) {
        HVX_UNROLL
        for (int i = 0; i < HVX_BATCH; i += 2) {
            veven = Q6_Vw_vmax_VwVw(veven, Q6_V_vand_VV(from[i], vmask));
            vodd = Q6_Vw_vmax_VwVw(vodd, Q6_V_vand_VV(from[i + 1], vmask));
        }
        from += HVX_BATCH;
    }
    return Q6_Vw_vmax_VwVw(veven, vodd);
}

HVX_INLINE const HVX_Vector *short_blocks(const struct row *row) {
    return (const HVX_Vector *)row->x + row->n_plain * HVX_BATCH;
}

/* Pass 1 over the batches among first..last-1 that are neither plain nor short. Returns the maximum of each lane over all
 * batches of the row that are not plain. It recomputes the layout of the row: such batches are rare, and storing it would
 * cost plain rows. */
static __attribute__((noinline)) HVX_Vector largest_of_others(const struct phx_matmul *mm, const uint8_t *x,
                                                              uint32_t first, uint32_t last, void *to) {
    struct row row = row_of(mm, x, to);
    uint32_t n_batches = phx_row_parts(mm);
    HVX_Vector vlargest = Q6_V_vzero();
    for (uint32_t batch = row.n_plain; batch < n_batches; batch++) {
        struct source source;
        set_source(&source, &row, batch);
        HVX_Vector v = largest_of_any(&source);
        if (batch >= first && batch < last) {
            row.blocks[batch * row.block_vectors] = v;
        }
        vlargest = Q6_Vw_vmax_VwVw(vlargest, v);
    }
    return vlargest;
}

/* Pass 1 over the batches that are not plain: the largest magnitude in each lane. */
HVX_INLINE HVX_Vector largest_behind(const struct row *row, const struct phx_matmul *mm, uint32_t first, uint32_t last,
                                     void *to) {
    if (!row->n_short) {
        return largest_of_others(mm, row->x, first, last, to);
    }
    HVX_Vector vlargest = largest_of_short(short_blocks(row), row->n_short);
    if (first <= row->n_plain && row->n_plain < last) {
        row->blocks[row->n_plain * row->block_vectors] = vlargest;
    }
    return vlargest;
}

/* Pass 1 over the plain batches among first..last-1: the largest magnitude in each lane. */
HVX_INLINE HVX_Vector largest_of_own(const struct row *row, uint32_t first, uint32_t last) {
    uint32_t end = last < row->n_plain ? last : row->n_plain;
    if (first >= end) {
        return Q6_V_vzero();
    }
    const HVX_Vector *middle = (const HVX_Vector *)row->x + first * HVX_BATCH + MIDDLE;
    return largest_of_plain(middle, middle + 2 * MIDDLE, end - first, row->blocks + first * row->block_vectors,
                            row->block_vectors);
}

/* Pass 1, and the largest magnitudes of all other batches for the exponent of the row. */
HVX_INLINE HVX_Vector find_largest(const struct row *row, uint32_t first, uint32_t last) {
    HVX_Vector vlargest = largest_of_own(row, first, last);
    if (first > 0 && row->n_plain > 0) {
        uint32_t n = first < row->n_plain ? first : row->n_plain;
        vlargest = Q6_Vw_vmax_VwVw(vlargest, largest_lanes(row->x, n));
    }
    if (last < row->n_plain) {
        HVX_Vector v = largest_lanes(row->x + last * HVX_BATCH * HVX_BYTES, row->n_plain - last);
        vlargest = Q6_Vw_vmax_VwVw(vlargest, v);
    }
    return vlargest;
}

static __attribute__((noinline)) void quantise_other(const struct phx_matmul *mm, const uint8_t *x, uint32_t batch,
                                                     void *to, const struct target *target) {
    struct row row = row_of(mm, x, to);
    struct source source;
    set_source(&source, &row, batch);
    (row.form == HVX_FORM_WIDE ? quantise_any_i16 : quantise_any_i8)(&source, target);
}

/* Pass 2 over batches first..last-1. */
HVX_INLINE void quantise_batches(const struct row *row, const struct phx_matmul *mm, uint32_t first, uint32_t last,
                                 void *to, int32_t exponent) {
    if (first == 0) {
        struct hvx_row *head = to;
        head->exponent = exponent;
        head->is_nan = exponent == EXPONENT_NAN;
    }
    struct target target = {row->form, exponent, (int32_t)mm->ds, row->blocks + first * row->block_vectors,
                            row->q + first * row->q_vectors};
    PHX_KEEP_ROLLED
    for (; first < last; first++) {
        if (first < row->n_plain) {
            const HVX_Vector *middle = (const HVX_Vector *)row->x + first * HVX_BATCH + MIDDLE;
            (row->form == HVX_FORM_WIDE ? quantise_plain_i16 : quantise_plain_i8)(middle, middle + 2 * MIDDLE, &target);
        } else if (row->n_short) {
            (row->form == HVX_FORM_WIDE ? quantise_short_i16 : quantise_short_i8)(short_blocks(row), row->n_short,
                                                                                  &target);
        } else {
            quantise_other(mm, row->x, first, to, &target);
        }
        target.blocks += row->block_vectors;
        target.q += row->q_vectors;
    }
}

void hvx_quantise(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *to) {
    struct row row = row_of(mm, x, to);
    HVX_Vector vlargest = find_largest(&row, first, last);
    if (row.n_plain < phx_row_parts(mm)) {
        vlargest = Q6_Vw_vmax_VwVw(vlargest, largest_behind(&row, mm, first, last, to));
    }
    quantise_batches(&row, mm, first, last, to, hvx_max_i32(vlargest) >> 23);
}

int32_t hvx_look(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *to) {
    struct row row = row_of(mm, x, to);
    HVX_Vector vlargest = largest_of_own(&row, first, last);
    if (row.n_plain < last) {
        vlargest = Q6_Vw_vmax_VwVw(vlargest, largest_behind(&row, mm, first, last, to));
    }
    return hvx_max_i32(vlargest) >> 23;
}

void hvx_quantise_seen(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *to,
                       int32_t exponent) {
    struct row row = row_of(mm, x, to);
    quantise_batches(&row, mm, first, last, to, exponent);
}
