/* SPDX-License-Identifier: MIT
 *
 * SOFT_MAX in HVX (reference: dsp/ref/soft_max.c), in three passes over a row whose intermediate results are stored in
 * dst: logits; exponentials, as 64 mantissas and 64 exponents in two vectors; float32.
 *
 * The reference function computes rows with NaN or infinity, except for masks of -infinity. Masks that contain only 0
 * and -infinity have a fast path; any other mask restarts the row on the general path.
 *
 * Reads and writes whole vectors within a row, and at its end only aligned vectors that contain elements of it.
 */
#include "math/hvx/hvx.h"
#include "math/hvx/exp2.h"
#include "math/hvx/float16.h"
#include "math/hvx/float32.h"
#include "math/hvx/reciprocal.h"
#include "ref/soft_max.h"

PHX_DECLARE_KERNELS(soft_max)

#define LANES HVX_LANES_I32
#define MINUS_INFINITY ((int32_t)(MATH_INFINITY | MATH_SIGN))
#define DRAIN_INTERVAL 32 /* steps of 64 whose terms, below 2^28, are accumulated in four words before they are split */

enum mask {
    MASK_NONE,
    MASK_F16,
    MASK_F32
};

/* A factor in every lane. */
struct factor {
    HVX_Vector vmantissa, vbase, vlimit, vsign;
};

static struct factor splat(const struct ref_factor *factor) {
    struct factor splat;
    splat.vmantissa = Q6_V_vsplat_R(factor->mantissa);
    splat.vbase = Q6_V_vsplat_R(factor->base);
    splat.vlimit = Q6_V_vsplat_R(factor->limit);
    splat.vsign = Q6_V_vsplat_R((int32_t)(factor->bits & MATH_SIGN));
    return splat;
}

/* Results of the first pass. */
struct found {
    HVX_Vector vlargest;   /* largest logit */
    HVX_Vector vmagnitude; /* largest magnitude of the numbers */
    HVX_Vector vother;     /* not 0 if the mask has other numbers than 0 and -infinity */
};

/* logit_of() of dsp/ref/soft_max.c. A number with exponent 0 gives 0, since the base is at least 31. */
HVX_INLINE HVX_Vector logit_of(HVX_Vector v, const struct factor *factor, HVX_Vector *vlargest) {
    HVX_Vector vmagnitude = math_mask(v, MATH_MAGNITUDE);
    *vlargest = Q6_Vw_vmax_VwVw(*vlargest, vmagnitude);
    vmagnitude = Q6_Vw_vmin_VwVw(vmagnitude, factor->vlimit);
    HVX_Vector vshift = Q6_Vw_vsub_VwVw(factor->vbase, Q6_Vuw_vlsr_VuwR(vmagnitude, 23));
    vshift = Q6_Vw_vmin_VwVw(vshift, Q6_V_vsplat_R(31));
    HVX_Vector vproduct = math_multiply_q31(math_mantissa_q30(vmagnitude), factor->vmantissa);
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_vxor_VV(v, factor->vsign)),
                              Q6_Vw_vasr_VwVw(vproduct, vshift));
}

HVX_INLINE void mask_lanes(HVX_Vector *vlogit, HVX_VectorPred qmasked) {
    *vlogit = Q6_V_vmux_QVV(qmasked, Q6_V_vsplat_R(REF_SOFT_MAX_MASKED), *vlogit);
}

/* Masks 64 logits by 0 or -infinity. */
HVX_INLINE void mask_simply(HVX_Vector *v0, HVX_Vector *v1, const uint8_t *at, enum mask mask, struct found *found) {
    if (mask == MASK_F16) {
        HVX_Vector vmask = *(const HVX_Vector *)at, vminus_infinity = hvx_splat_i16(0xfc00);
        HVX_VectorPred qmasked = Q6_Q_vcmp_eq_VhVh(vmask, vminus_infinity);
        HVX_VectorPair w = Q6_Ww_vunpack_Vh(vmask);
        found->vother = Q6_V_vor_VV(found->vother, Q6_V_vand_QnV(qmasked, vmask));
        mask_lanes(v0, Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_lo_W(w)));
        mask_lanes(v1, Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_hi_W(w)));
    } else if (mask == MASK_F32) {
        const HVX_Vector *vmask = (const HVX_Vector *)at;
        HVX_Vector vminus_infinity = Q6_V_vsplat_R(MINUS_INFINITY);
        HVX_VectorPred q0 = Q6_Q_vcmp_eq_VwVw(vmask[0], vminus_infinity);
        HVX_VectorPred q1 = Q6_Q_vcmp_eq_VwVw(vmask[1], vminus_infinity);
        found->vother = Q6_V_vor_VV(found->vother, Q6_V_vand_QnV(q0, vmask[0]));
        found->vother = Q6_V_vor_VV(found->vother, Q6_V_vand_QnV(q1, vmask[1]));
        mask_lanes(v0, q0);
        mask_lanes(v1, q1);
    }
}

HVX_INLINE uint32_t mask_bytes(enum mask mask) { /* per 64 numbers */
    return mask == MASK_NONE ? 0 : mask == MASK_F16 ? HVX_BYTES : 2 * HVX_BYTES;
}

/* Processes n steps of 64 numbers, interleaved to fill the packets. */
HVX_INLINE void find_steps(HVX_Vector *dst, const HVX_Vector *x, const uint8_t *at, uint32_t n,
                           const struct factor *scale, enum mask mask, struct found *found) {
    HVX_Vector v[4];
    HVX_UNROLL
    for (uint32_t i = 0; i < 2 * n; i++) {
        v[i] = logit_of(x[i], scale, &found->vmagnitude);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        mask_simply(&v[2 * i], &v[2 * i + 1], at + i * mask_bytes(mask), mask, found);
        found->vlargest = Q6_Vw_vmax_VwVw(found->vlargest, Q6_Vw_vmax_VwVw(v[2 * i], v[2 * i + 1]));
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < 2 * n; i++) {
        dst[i] = v[i];
    }
}

/* Processes the first steps of a row whose vectors are all aligned. */
HVX_INLINE void find_logits(HVX_Vector *dst, const struct ref_soft_max_row *row, uint32_t n_steps, enum mask mask,
                            struct found *result) {
    struct factor scale = splat(&row->scale);
    const HVX_Vector *x = (const HVX_Vector *)row->x;
    const uint8_t *at = row->mask;
    struct found found = *result;
    for (; n_steps >= 2; n_steps -= 2) {
        find_steps(dst, x, at, 2, &scale, mask, &found);
        x += 4;
        dst += 4;
        at += 2 * mask_bytes(mask);
    }
    if (n_steps) {
        find_steps(dst, x, at, 1, &scale, mask, &found);
    }
    *result = found;
}

static __attribute__((noinline)) void find_bare_logits(HVX_Vector *dst, const struct ref_soft_max_row *row, uint32_t n,
                                                       struct found *found) {
    find_logits(dst, row, n, MASK_NONE, found);
}

static __attribute__((noinline)) void find_logits_f16(HVX_Vector *dst, const struct ref_soft_max_row *row, uint32_t n,
                                                      struct found *found) {
    find_logits(dst, row, n, MASK_F16, found);
}

static __attribute__((noinline)) void find_logits_f32(HVX_Vector *dst, const struct ref_soft_max_row *row, uint32_t n,
                                                      struct found *found) {
    find_logits(dst, row, n, MASK_F32, found);
}

/* Loads up to 32 numbers of a mask. */
static HVX_Vector load_mask(const struct ref_soft_max_row *row, uint32_t first, uint32_t n) {
    if (!row->is_f16) {
        return hvx_load_some_u((const uint32_t *)row->mask + first, n * sizeof(uint32_t));
    }
    HVX_Vector v = hvx_load_partial_u((const uint16_t *)row->mask + first, n * sizeof(uint16_t));
    return Q6_V_lo_W(math_f16_to_f32(v));
}

/* Returns up to 32 logits of a row on the general path. Masked logits and those beyond n are REF_SOFT_MAX_MASKED. */
static HVX_Vector general_logits(const struct ref_soft_max_row *row, uint32_t first, uint32_t n, struct found *found) {
    struct factor scale = splat(&row->scale);
    HVX_Vector v = hvx_load_some_u(row->x + first, n * sizeof(float));
    v = logit_of(v, &scale, &found->vmagnitude);
    if (row->mask) {
        struct factor slope = splat(&row->slope);
        HVX_Vector vmask = load_mask(row, first, n);
        HVX_VectorPred qmasked = Q6_Q_vcmp_eq_VwVw(vmask, Q6_V_vsplat_R(MINUS_INFINITY));
        HVX_VectorPred qzero = Q6_Q_vcmp_eq_VwVw(math_exponent(vmask), Q6_V_vzero());
        vmask = Q6_V_vand_QnV(qmasked, vmask);
        HVX_Vector vbias = logit_of(vmask, &slope, &found->vmagnitude);
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vand_QnV(qzero, vbias));
        mask_lanes(&v, qmasked);
    }
    if (n < LANES) {
        v = Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)(n * sizeof(float))), v, Q6_V_vsplat_R(REF_SOFT_MAX_MASKED));
    }
    found->vlargest = Q6_Vw_vmax_VwVw(found->vlargest, v);
    return v;
}

/* 64 exponentials: mantissas, and exponents that are 2 higher. The last ones of a row stay in registers. */
struct exponentials {
    HVX_Vector vw, vk;
};

/* Sums of the even and of the odd lanes. */
struct sums {
    HVX_Vector veven, vodd;
};

HVX_INLINE struct exponentials exponentials_of(HVX_Vector v0, HVX_Vector v1, HVX_Vector vlargest, struct sums *sums) {
    HVX_Vector vd0 = Q6_Vw_vsub_VwVw_sat(vlargest, v0), vd1 = Q6_Vw_vsub_VwVw_sat(vlargest, v1);
    HVX_Vector vfraction = Q6_V_vand_VV(Q6_Vh_vasr_VwVwR(vd1, vd0, 1), hvx_splat_i16(0x7fff));
    HVX_Vector vw = math_exp2_negative_q15(vfraction), v31 = Q6_V_vsplat_R(31);
    HVX_Vector vk0 = Q6_Vw_vmin_VwVw(Q6_Vuw_vlsr_VuwR(vd0, 16), v31);
    HVX_Vector vk1 = Q6_Vw_vmin_VwVw(Q6_Vuw_vlsr_VuwR(vd1, 16), v31);
    sums->veven = Q6_Vw_vadd_VwVw(sums->veven, Q6_Vw_vlsr_VwVw(Q6_Vw_vasl_VwR(vw, 16), vk0));
    sums->vodd = Q6_Vw_vadd_VwVw(sums->vodd, Q6_Vw_vlsr_VwVw(math_mask(vw, 0xffff0000), vk1));
    return (struct exponentials){vw, Q6_Vh_vshuffo_VhVh(vd1, vd0)};
}

/* A sum in two parts: of the bits from 2^16 up, and of the bits below. */
struct halves {
    HVX_Vector vhigh, vlow;
};

HVX_INLINE void drain(struct halves *halves, struct sums sums) {
    HVX_Vector vhigh = Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(sums.veven, 16), Q6_Vuw_vlsr_VuwR(sums.vodd, 16));
    HVX_Vector vlow = Q6_Vw_vadd_VwVw(math_mask(sums.veven, 0xffff), math_mask(sums.vodd, 0xffff));
    halves->vhigh = Q6_Vw_vadd_VwVw(halves->vhigh, vhigh);
    halves->vlow = Q6_Vw_vadd_VwVw(halves->vlow, vlow);
}

/* Returns the sum over all lanes of both parts. */
static uint64_t sum_of_halves(const struct halves *halves) {
    HVX_Vector vhigh = Q6_Vw_vadd_VwVw(halves->vhigh, Q6_Vuw_vlsr_VuwR(halves->vlow, 16));
    HVX_Vector v = hvx_add_neighbours_i32(math_mask(halves->vlow, 0xffff), vhigh); /* lanes 0..15: low, 16..31: high */
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return ((uint64_t)(uint32_t)Q6_R_vextract_VR(v, HVX_BYTES / 2) << 16) + (uint32_t)Q6_R_vextract_VR(v, 0);
}

HVX_INLINE HVX_Vector load(const uint8_t *p, bool aligned) {
    return aligned ? *(const HVX_Vector *)p : hvx_load_u(p);
}

HVX_INLINE void store(uint8_t *p, HVX_Vector v, bool aligned) {
    if (aligned) {
        *(HVX_Vector *)p = v;
    } else {
        hvx_store_u(p, v);
    }
}

/* Processes n steps of 64 logits in dst. */
HVX_INLINE void exponentiate(uint8_t *dst, uint32_t n, HVX_Vector vlargest, bool aligned, struct sums sums[2]) {
    HVX_Vector v[4];
    struct exponentials e[2];
    HVX_UNROLL
    for (uint32_t i = 0; i < 2 * n; i++) {
        v[i] = load(dst + i * HVX_BYTES, aligned);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        e[i] = exponentials_of(v[2 * i], v[2 * i + 1], vlargest, &sums[i]);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        store(dst + 2 * i * HVX_BYTES, e[i].vw, aligned);
        store(dst + (2 * i + 1) * HVX_BYTES, e[i].vk, aligned);
    }
}

HVX_INLINE void find_exponentials(uint8_t *dst, uint32_t n_steps, HVX_Vector vlargest, bool aligned,
                                  struct halves *result) {
    struct halves halves = *result;
    while (n_steps > 0) {
        uint32_t n = n_steps < DRAIN_INTERVAL ? n_steps : DRAIN_INTERVAL;
        struct sums sums[2] = {{Q6_V_vzero(), Q6_V_vzero()}, {Q6_V_vzero(), Q6_V_vzero()}};
        n_steps -= n;
        for (; n >= 2; n -= 2) {
            exponentiate(dst, 2, vlargest, aligned, sums);
            dst += 4 * HVX_BYTES;
        }
        if (n) {
            exponentiate(dst, 1, vlargest, aligned, sums);
            dst += 2 * HVX_BYTES;
        }
        drain(&halves, sums[0]);
        drain(&halves, sums[1]);
    }
    *result = halves;
}

static __attribute__((noinline)) void find_exponentials_aligned(uint8_t *dst, uint32_t n, HVX_Vector vlargest,
                                                                struct halves *halves) {
    find_exponentials(dst, n, vlargest, true, halves);
}

static __attribute__((noinline)) void find_exponentials_unaligned(uint8_t *dst, uint32_t n, HVX_Vector vlargest,
                                                                  struct halves *halves) {
    find_exponentials(dst, n, vlargest, false, halves);
}

/* The scale of a row's exponentials. */
struct scaling {
    HVX_Vector vmantissa, vexponent;
};

static struct scaling scaling_of(struct ref_soft_max_sum sum) {
    HVX_Vector v = math_reciprocal_q31(Q6_V_vsplat_R(sum.mantissa));
    v = Q6_Vw_vmin_VwVw(Q6_Vuw_vlsr_VuwR(Q6_Vw_vadd_VwVw(v, Q6_V_vsplat_R(0x8000)), 16), Q6_V_vsplat_R(INT16_MAX));
    return (struct scaling){Q6_Vh_vshuffe_VhVh(v, v), hvx_splat_i16(sum.exponent)};
}

/* probability() of dsp/ref/soft_max.c. */
HVX_INLINE HVX_VectorPair probabilities(struct exponentials e, struct scaling scaling) {
    HVX_Vector vmantissa = math_multiply_q15(e.vw, scaling.vmantissa);
    HVX_VectorPred qlow = Q6_Q_vcmp_gt_VhVh(hvx_splat_i16(16384), vmantissa);
    HVX_Vector vexponent = Q6_Vh_vsub_VhVh_sat(scaling.vexponent, e.vk);
    vmantissa = Q6_Vh_condacc_QVhVh(qlow, vmantissa, vmantissa);
    vexponent = Q6_Vh_condnac_QVhVh(qlow, vexponent, hvx_splat_i16(1));
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VhVh(vexponent, hvx_splat_i16(-1));
    vmantissa = Q6_V_vand_QV(qnormal, vmantissa);
    vexponent = Q6_V_vand_QV(qnormal, vexponent);
    HVX_Vector vlow = Q6_Vh_vasl_VhR(vmantissa, 9); /* the halves of the words */
    HVX_Vector vhigh = Q6_Vh_vadd_VhVh(Q6_Vuh_vlsr_VuhR(vmantissa, 7), Q6_Vh_vasl_VhR(vexponent, 7));
    return Q6_W_vcombine_VV(Q6_Vh_vshuffo_VhVh(vhigh, vlow), Q6_Vh_vshuffe_VhVh(vhigh, vlow));
}

/* Scales n steps of 64 exponentials in dst. */
HVX_INLINE void scale_steps(uint8_t *dst, uint32_t n, struct scaling scaling, bool aligned) {
    HVX_VectorPair w[2];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        struct exponentials e = {load(dst + 2 * i * HVX_BYTES, aligned), load(dst + (2 * i + 1) * HVX_BYTES, aligned)};
        w[i] = probabilities(e, scaling);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        store(dst + 2 * i * HVX_BYTES, Q6_V_lo_W(w[i]), aligned);
        store(dst + (2 * i + 1) * HVX_BYTES, Q6_V_hi_W(w[i]), aligned);
    }
}

HVX_INLINE void scale(uint8_t *dst, uint32_t n_steps, struct scaling scaling, bool aligned) {
    for (; n_steps >= 2; n_steps -= 2) {
        scale_steps(dst, 2, scaling, aligned);
        dst += 4 * HVX_BYTES;
    }
    if (n_steps) {
        scale_steps(dst, 1, scaling, aligned);
    }
}

static __attribute__((noinline)) void scale_aligned(uint8_t *dst, uint32_t n, const struct scaling *scaling) {
    scale(dst, n, *scaling, true);
}

static __attribute__((noinline)) void scale_unaligned(uint8_t *dst, uint32_t n, const struct scaling *scaling) {
    scale(dst, n, *scaling, false);
}

/* Runs the first pass over whole steps of 64. */
static void find_all_logits(uint8_t *dst, const struct ref_soft_max_row *row, uint32_t n_steps, bool simple,
                            struct found *found) {
    if (!simple) {
        for (uint32_t i = 0; i < 2 * n_steps; i++) {
            hvx_store_u(dst + i * HVX_BYTES, general_logits(row, i * LANES, LANES, found));
        }
    } else if (!row->mask) {
        find_bare_logits((HVX_Vector *)dst, row, n_steps, found);
    } else if (row->is_f16) {
        find_logits_f16((HVX_Vector *)dst, row, n_steps, found);
    } else {
        find_logits_f32((HVX_Vector *)dst, row, n_steps, found);
    }
}

#define NOT_SIMPLE INT32_MAX

/* The largest logit, and the largest magnitude: NOT_SIMPLE if the mask turned out to have other numbers. */
struct largest {
    int32_t logit, magnitude;
};

static struct largest largest_of(const struct found *found) {
    HVX_VectorPred qsimple = Q6_Q_vcmp_eq_VwVw(found->vother, Q6_V_vzero());
    HVX_Vector vmagnitude = Q6_V_vmux_QVV(qsimple, found->vmagnitude, Q6_V_vsplat_R(NOT_SIMPLE));
    HVX_Vector v = hvx_max_neighbours_i32(found->vlargest, vmagnitude); /* lanes 0..15: logits, 16..31: magnitudes */
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vmax_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return (struct largest){Q6_R_vextract_VR(v, 0), Q6_R_vextract_VR(v, HVX_BYTES / 2)};
}

/* The remainder of a row: fewer than 64 logits. */
struct remainder {
    uint32_t n;
    HVX_Vector v0, v1;
};

static void find_last_logits(struct remainder *remainder, const struct ref_soft_max_row *row, struct found *found) {
    uint32_t first = row->n - remainder->n;
    remainder->v0 = general_logits(row, first, remainder->n < LANES ? remainder->n : LANES, found);
    remainder->v1 = Q6_V_vsplat_R(REF_SOFT_MAX_MASKED);
    if (remainder->n > LANES) {
        remainder->v1 = general_logits(row, first + LANES, remainder->n - LANES, found);
    }
}

static void store_last(uint8_t *dst, uint32_t n_bytes, HVX_VectorPair w) {
    hvx_store_some_u(dst, Q6_V_lo_W(w), n_bytes);
    if (n_bytes > HVX_BYTES) {
        hvx_store_some_u(dst + HVX_BYTES, Q6_V_hi_W(w), n_bytes - HVX_BYTES);
    }
}

/* Runs the second and the third pass. */
static void finish(uint8_t *dst, const struct ref_soft_max_row *row, struct remainder *remainder, int32_t largest,
                   int32_t sink) {
    uint32_t n_steps = row->n / (2 * LANES);
    bool is_aligned = (uintptr_t)dst % HVX_BYTES == 0;
    largest += REF_SOFT_MAX_TERM_SHIFT << 16;
    HVX_Vector vlargest = Q6_V_vsplat_R(largest);
    struct halves halves = {Q6_V_vzero(), Q6_V_vzero()};
    struct exponentials last;
    if (remainder->n) {
        struct sums sums = {Q6_V_vzero(), Q6_V_vzero()};
        last = exponentials_of(remainder->v0, remainder->v1, vlargest, &sums);
        drain(&halves, sums);
    }
    if (is_aligned) {
        find_exponentials_aligned(dst, n_steps, vlargest, &halves);
    } else {
        find_exponentials_unaligned(dst, n_steps, vlargest, &halves);
    }
    int32_t w;
    uint64_t sum = sum_of_halves(&halves) + (row->has_sink ? ref_soft_max_term(largest - sink, &w) : 0);
    struct scaling scaling = scaling_of(ref_soft_max_normal(sum));
    if (is_aligned) {
        scale_aligned(dst, n_steps, &scaling);
    } else {
        scale_unaligned(dst, n_steps, &scaling);
    }
    if (remainder->n) {
        store_last(dst + (row->n - remainder->n) * sizeof(float), remainder->n * sizeof(float),
                   probabilities(last, scaling));
    }
}

/* Returns false if the reference function has to compute the row. `simple`: the vectors are aligned, and the mask is
 * expected to contain only 0 and -infinity. */
static bool soft_max(uint8_t *dst, const struct ref_soft_max_row *row, bool simple) {
    struct found found = {Q6_V_vsplat_R(REF_SOFT_MAX_MASKED), Q6_V_vzero(), Q6_V_vzero()};
    struct remainder remainder;
    remainder.n = row->n % (2 * LANES);
    find_all_logits(dst, row, row->n / (2 * LANES), simple, &found);
    if (remainder.n) {
        find_last_logits(&remainder, row, &found);
    }
    struct largest largest = largest_of(&found);
    int32_t sink = 0;
    if (largest.magnitude == NOT_SIMPLE && simple) {
        return soft_max(dst, row, false);
    }
    if (row->has_sink) {
        sink = ref_soft_max_sink(row->sink);
        largest.logit = sink > largest.logit ? sink : largest.logit;
    }
    if (largest.logit == REF_SOFT_MAX_MASKED || largest.magnitude >= MATH_INFINITY) {
        return false;
    }
    finish(dst, row, &remainder, largest.logit, sink);
    return true;
}

/* Returns whether the passes support the parameters: finite factors and sinks, and slopes above 0. */
static bool is_in_fast_range(const struct ref_soft_max_row *row) {
    return !(row->has_sink && (row->sink & MATH_INFINITY) == MATH_INFINITY) &&
           (!row->mask || (row->slope.mantissa != 0 && !(row->slope.bits & MATH_SIGN)));
}

uint32_t phx_soft_max_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0];
    struct ref_factor factor = ref_soft_max_factor(*(const uint32_t *)call->params);
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    for (uint32_t i = slice->first_row; i < slice->end_row; i++) {
        struct ref_soft_max_row row = ref_soft_max_row_at(call, at, factor);
        uint8_t *to = phx_row(dst, at);
        bool is_aligned = ((uintptr_t)to | (uintptr_t)row.x | (uintptr_t)row.mask) % HVX_BYTES == 0;
        if (!is_in_fast_range(&row) || !soft_max(to, &row, is_aligned)) {
            ref_soft_max((uint32_t *)to, &row);
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
