/* SPDX-License-Identifier: MIT
 *
 * Activations to integers with a scale per 32: docs/arithmetic.md, 1; dsp/ref/activations.c in HVX.
 *
 * A block of 32 floats is one vector, so what is found per block (largest magnitude, sums) needs a reduction across
 * lanes. 32 blocks are reduced together: a tree of deals and maximums ends in one vector with block i in lane i, where
 * exponents, reciprocals and scales of all 32 are worked out at once. They come back to the blocks as scalars, two
 * blocks to a word, because two blocks share a vector of int16 in the second pass.
 *
 * The largest magnitude as an integer gives both E and a: truncation keeps the order.
 *
 * Reads the row's k floats at any 4-byte alignment (a compiler may make that loads of the aligned vectors they lie in,
 * never of one without a byte of the row). The tail of a row that is not a multiple of 32 is read as the
 * last 128 bytes of the row and rotated; a row shorter than 32 is copied word by word.
 */
#include "activations.h"

#include "hvx.h"

#define EXPONENT_NAN 255
#define EXPONENT_MIN 32
#define MAGNITUDE_MASK 0x7fffffff

/* The blocks of one batch: n_whole of them are in the row, then comes the tail, then zeros. */
struct source {
    const uint8_t *x;
    uint32_t n_whole;
    HVX_Vector vtail, vzero;
};

HVX_INLINE HVX_Vector load_block(const struct source *source, uint32_t block, bool all_whole) {
    const uint8_t *x = source->x + block * HVX_BYTES;
    if (!all_whole && block >= source->n_whole) {
        x = (const uint8_t *)(block == source->n_whole ? &source->vtail : &source->vzero);
    }
    return hvx_load_u(x);
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
HVX_INLINE HVX_Vector largest_of_4(const struct source *source, uint32_t block, bool all_whole) {
    HVX_Vector vmask = Q6_V_vsplat_R(MAGNITUDE_MASK);
    HVX_Vector v0 = Q6_V_vand_VV(load_block(source, block, all_whole), vmask);
    HVX_Vector v1 = Q6_V_vand_VV(load_block(source, block + 1, all_whole), vmask);
    HVX_Vector v2 = Q6_V_vand_VV(load_block(source, block + 2, all_whole), vmask);
    HVX_Vector v3 = Q6_V_vand_VV(load_block(source, block + 3, all_whole), vmask);
    return hvx_max_neighbours_i32(hvx_max_neighbours_i32(v0, v1), hvx_max_neighbours_i32(v2, v3));
}

/* Lane i: the largest magnitude of block i. */
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

static __attribute__((noinline)) HVX_Vector largest_of_whole_batch(const struct source *source) {
    HVX_Vector vmax[HVX_BATCH / 4];
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vmax[i] = largest_of_4(source, 4 * i, true);
    }
    return largest_of_quads(vmax);
}

static __attribute__((noinline)) HVX_Vector largest_of_last_batch(const struct source *source) {
    HVX_Vector vmax[HVX_BATCH / 4];
#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vmax[i] = largest_of_4(source, 4 * i, false);
    }
    return largest_of_quads(vmax);
}

/* Step 2 for two blocks at once, even lanes v0's and odd ones v1's; vexponent holds E << 7 likewise. */
HVX_INLINE HVX_Vector align_i16(HVX_Vector v0, HVX_Vector v1, HVX_Vector vexponent) {
    HVX_Vector vhigh = Q6_Vh_vshuffo_VhVh(v1, v0);     /* sign, exponent, 7 bits of the mantissa */
    HVX_Vector vlow = Q6_Vh_vasr_VwVwR(v1, v0, 9);     /* 2 bits of the exponent, 14 of the mantissa */
    HVX_Vector vmagnitude = Q6_V_vor_VV(Q6_V_vand_VV(vlow, hvx_splat_i16(0x3fff)), hvx_splat_i16(0x4000));
    HVX_Vector vbelow = Q6_Vh_vsub_VhVh(vexponent, Q6_V_vand_VV(vhigh, hvx_splat_i16(0x7f80)));
    HVX_Vector vshift = Q6_Vh_vmin_VhVh(Q6_Vuh_vlsr_VuhR(vbelow, 7), hvx_splat_i16(15));
    HVX_Vector vxi = Q6_Vh_vlsr_VhVh(vmagnitude, vshift);
    HVX_VectorPred qnegative = Q6_Q_vcmp_gt_VhVh(Q6_V_vzero(), vhigh);
    return Q6_V_vmux_QVV(qnegative, Q6_Vh_vsub_VhVh(Q6_V_vzero(), vxi), vxi);
}

/* Step 5, in the even lanes. */
HVX_INLINE HVX_Vector reciprocal_i16(HVX_Vector va) {
    HVX_Vector vz = Q6_Vh_vsub_VhVh(hvx_splat_i16(23130), hvx_mpyr_i16(Q6_Vh_vsub_VhVh(va, hvx_splat_i16(24576)),
                                                                       hvx_splat_i16(30840)));
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

/* Steps 2 to 6 for 4 blocks, q in order of k. The scalars are E << 7 and R of blocks i and i + 2, at i. */
HVX_INLINE HVX_Vector quantise_i8(const struct source *source, bool all_whole, uint32_t block,
                                  const int32_t *exponent_pairs, const int32_t *reciprocal_pairs) {
    HVX_Vector vq_i16[2];
    HVX_UNROLL
    for (uint32_t odd = 0; odd < 2; odd++) {
        HVX_Vector vxi = align_i16(load_block(source, block + odd, all_whole),
                                   load_block(source, block + odd + 2, all_whole),
                                   Q6_V_vsplat_R(exponent_pairs[block + odd]));
        vq_i16[odd] = hvx_mpyr_scalar_i16(vxi, reciprocal_pairs[block + odd]);
    }
    HVX_Vector vq = Q6_Vb_vasr_VhVhR_rnd_sat(vq_i16[1], vq_i16[0], 7); /* byte 4*k + c: k of block 0, 1, 2, 3 */
    return Q6_Vb_vdeal_Vb(Q6_Vb_vdeal_Vb(vq));
}

/* The same for 2 blocks and int16; the scalars are E << 7 of blocks i and i + 1. */
HVX_INLINE HVX_Vector quantise_i16(const struct source *source, bool all_whole, uint32_t block,
                                   const int32_t *exponent_pairs) {
    HVX_Vector vxi = align_i16(load_block(source, block, all_whole), load_block(source, block + 1, all_whole),
                               Q6_V_vsplat_R(exponent_pairs[block]));
    return Q6_Vh_vdeal_Vh(Q6_Vh_vavg_VhVh_rnd(Q6_Vh_vasr_VhR(vxi, 1), Q6_V_vzero())); /* (xi + 2) >> 2 */
}

/* Lane i: the sums of the first and of the second half of block i. */
HVX_INLINE HVX_VectorPair sum_batch_i8(const HVX_Vector *q) {
    HVX_Vector vones = Q6_V_vsplat_R(0x01010101);
    HVX_Vector vsum[HVX_BATCH / 4];
    HVX_UNROLL
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        vsum[i] = Q6_Vw_vrmpy_VbVb(q[i], vones);
    }
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

/* Q6_K: a struct hvx_block for each half of a block, 4 vectors of them. */
static void store_half_blocks(HVX_Vector *blocks, HVX_Vector vda_twice, HVX_VectorPair wsums) {
    HVX_Vector vone = Q6_V_vsplat_R(1);
    HVX_Vector vfirst = Q6_Vw_vsub_VwVw(vone, Q6_Vw_vasl_VwR(Q6_V_lo_W(wsums), 5));
    HVX_Vector vsecond = Q6_Vw_vsub_VwVw(vone, Q6_Vw_vasl_VwR(Q6_V_hi_W(wsums), 5));
    HVX_VectorPair wfirst = Q6_W_vshuff_VVR(vfirst, vda_twice, -4);
    HVX_VectorPair wsecond = Q6_W_vshuff_VVR(vsecond, vda_twice, -4);
    HVX_VectorPair wlow = Q6_W_vshuff_VVR(Q6_V_lo_W(wsecond), Q6_V_lo_W(wfirst), -8);
    HVX_VectorPair whigh = Q6_W_vshuff_VVR(Q6_V_hi_W(wsecond), Q6_V_hi_W(wfirst), -8);
    blocks[0] = Q6_V_lo_W(wlow);
    blocks[1] = Q6_V_hi_W(wlow);
    blocks[2] = Q6_V_lo_W(whigh);
    blocks[3] = Q6_V_hi_W(whigh);
}

/* One loop for each form. q and source do not overlap, so that the compiler may load ahead of its stores. */
static __attribute__((noinline)) void quantise_whole_i8(const struct source *source, const int32_t *exponent_pairs,
                                                        const int32_t *reciprocal_pairs, HVX_Vector *restrict q) {
#pragma clang loop unroll_count(4)
    for (uint32_t i = 0; i < HVX_BATCH / 4; i++) {
        q[i] = quantise_i8(source, true, 4 * i, exponent_pairs, reciprocal_pairs);
    }
}

static __attribute__((noinline)) void quantise_whole_i16(const struct source *source, const int32_t *exponent_pairs,
                                                         HVX_Vector *restrict q) {
#pragma clang loop unroll_count(4)
    for (uint32_t i = 0; i < HVX_BATCH / 2; i++) {
        q[i] = quantise_i16(source, true, 2 * i, exponent_pairs);
    }
}

static __attribute__((noinline)) void quantise_last(const struct source *source, bool wide,
                                                    const int32_t *exponent_pairs, const int32_t *reciprocal_pairs,
                                                    HVX_Vector *restrict q) {
    for (uint32_t block = 0; block <= source->n_whole; block += wide ? 2 : 4) {
        *q++ = wide ? quantise_i16(source, false, block, exponent_pairs)
                    : quantise_i8(source, false, block, exponent_pairs, reciprocal_pairs);
    }
}

/* Second pass over a batch; lane i of vlargest: the largest magnitude of block i. Not inlined, lest its constants be
 * kept, which means spilled, across batches. */
static __attribute__((noinline)) void quantise_batch(const struct phx_matmul *mm, const struct source *source,
                                                     HVX_Vector vlargest, int32_t row_exponent, HVX_Vector *blocks,
                                                     HVX_Vector *minimums, HVX_Vector *q) {
    HVX_Vector pairs[2];
    const int32_t *exponent_pairs = (const int32_t *)&pairs[0], *reciprocal_pairs = (const int32_t *)&pairs[1];
    bool wide = hvx_is_wide(mm), all_whole = source->n_whole >= HVX_BATCH;
    HVX_Vector vexponent = Q6_Vuw_vlsr_VuwR(vlargest, 23);
    HVX_Vector va = Q6_V_vor_VV(Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(vlargest, 9), Q6_V_vsplat_R(0x3fff)),
                                Q6_V_vsplat_R(0x4000));
    pairs[0] = pair_lanes_i16(Q6_Vw_vasl_VwR(vexponent, 7), wide ? 1 : 2);
    pairs[1] = pair_lanes_i16(reciprocal_i16(va), 2);
    if (!all_whole) {
        quantise_last(source, wide, exponent_pairs, reciprocal_pairs, q);
    } else if (wide) {
        quantise_whole_i16(source, exponent_pairs, q);
    } else {
        quantise_whole_i8(source, exponent_pairs, reciprocal_pairs, q);
    }

    HVX_Vector vv = wide ? Q6_V_vsplat_R(16384) : hvx_mpyr_i16(va, Q6_V_vsplat_R(16513));
    HVX_Vector vda = scale_i32(vv, vexponent, row_exponent);
    HVX_Vector vda_twice = hvx_interleave_low_i16(vda, vda);
    HVX_VectorPair wsums = wide ? hvx_w_zero() : sum_batch_i8(q);
    if (mm->dtype == PHX_Q6_K) {
        store_half_blocks(blocks, vda_twice, wsums);
        return;
    }
    HVX_Vector vsum = Q6_Vw_vadd_VwVw(Q6_V_lo_W(wsums), Q6_V_hi_W(wsums));
    HVX_Vector vbias = Q6_Vh_vasl_VhR(hvx_interleave_low_i16(vsum, vsum), 3);
    HVX_VectorPair wblocks = Q6_W_vshuff_VVR(vbias, vda_twice, -4);
    blocks[0] = Q6_V_lo_W(wblocks);
    blocks[1] = Q6_V_hi_W(wblocks);
    if (mm->dtype == PHX_Q4_K) {
        HVX_Vector vt = Q6_V_lo_W(Q6_Ww_vmpy_VhVh(vda, vsum)); /* step 8; the even int16 hold both factors */
        vt = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw(vt, Q6_V_vsplat_R(1024)), 11);
        HVX_Vector vt_i16 = Q6_Vh_vpacke_VwVw(Q6_V_vzero(), vt);
        HVX_Vector vhigh = Q6_Vb_vpacko_VhVh(Q6_V_vzero(), vt_i16);
        HVX_Vector vlow = Q6_Vb_vpacke_VhVh(Q6_V_vzero(), vt_i16);
        *minimums = Q6_V_vor_VV(vhigh, Q6_V_vror_VR(vlow, -HVX_BATCH));
    }
}

static int32_t largest_lane_i32(HVX_Vector v) {
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 2; distance >= 4; distance /= 2) {
        v = Q6_Vw_vmax_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return Q6_R_vextract_VR(v, 0);
}

static void quantise_row(const struct phx_matmul *mm, const struct hvx_row_layout *layout, const uint8_t *x,
                         uint8_t *to) {
    struct hvx_row *row = (struct hvx_row *)to;
    HVX_Vector *blocks = (HVX_Vector *)(to + layout->blocks);
    HVX_Vector *minimums = (HVX_Vector *)(to + layout->minimums);
    HVX_Vector *q = (HVX_Vector *)(to + layout->q);
    uint32_t q_vectors = hvx_is_wide(mm) ? 16 : 8;
    uint32_t block_vectors = 2 * hvx_scales_per_block(mm);
    uint32_t n_batches = hvx_n_batches(mm);
    uint32_t n_whole = mm->k / PHX_BLOCK;
    struct source source = {x, 0, load_tail(x, mm->k), Q6_V_vzero()};

    HVX_Vector vlargest_of_row = Q6_V_vzero();
    for (uint32_t batch = 0; batch < n_batches; batch++) {
        source.n_whole = n_whole - batch * HVX_BATCH;
        HVX_Vector vlargest =
            source.n_whole >= HVX_BATCH ? largest_of_whole_batch(&source) : largest_of_last_batch(&source);
        blocks[block_vectors * batch] = vlargest; /* until the second pass */
        vlargest_of_row = Q6_Vw_vmax_VwVw(vlargest_of_row, vlargest);
        source.x += HVX_BATCH * HVX_BYTES;
    }
    row->exponent = largest_lane_i32(vlargest_of_row) >> 23;
    row->is_nan = row->exponent == EXPONENT_NAN;

    source.x = x;
    for (uint32_t batch = 0; batch < n_batches; batch++) {
        source.n_whole = n_whole - batch * HVX_BATCH;
        quantise_batch(mm, &source, blocks[block_vectors * batch], row->exponent, blocks + block_vectors * batch,
                       minimums + batch, q + batch * q_vectors);
        source.x += HVX_BATCH * HVX_BYTES;
    }
}

size_t hvx_rows_bytes(const struct phx_matmul *mm, uint32_t n_rows) {
    return (size_t)hvx_layout(mm).row_bytes * n_rows;
}

void hvx_quantise(const struct phx_matmul *mm, struct phx_rows_in x, uint32_t n_rows, uint32_t first, uint32_t last,
                  void *rows) {
    struct hvx_row_layout layout = hvx_layout(mm);
    (void)n_rows;
    for (uint32_t m = first; m < last; m++) {
        quantise_row(mm, &layout, x.data + m * x.stride, (uint8_t *)rows + (size_t)m * layout.row_bytes);
    }
}
