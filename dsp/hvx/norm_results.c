/* SPDX-License-Identifier: MIT
 *
 * The second half of dsp/hvx/norm.c: (integer - mean) / sqrt(variance + eps) * weight + bias, in place.
 */
#include "math/hvx/float32.h"
#include "norm.h"
#include "ops/rolled.h"

#define UNROLLED 4

struct finish {
    HVX_Vector vmean, vshift, vscale;
    HVX_Vector vexponent; /* of a product of 2^30, without the weight's */
};

/* ref_norm_element() for finite weights. */
HVX_INLINE HVX_Vector finished(HVX_Vector v, HVX_Vector vw, const struct finish *finish) {
    HVX_Vector vdistance = Q6_Vw_vsub_VwVw(v, finish->vmean), vew = math_exponent(vw);
    HVX_Vector vmagnitude = Q6_Vw_vasl_VwVw(Q6_Vw_vabs_Vw(vdistance), finish->vshift);
    HVX_Vector vproduct = math_multiply_q31(math_multiply_q31(vmagnitude, math_mantissa_q30(vw)), finish->vscale);
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vproduct), vsign = math_mask(Q6_V_vxor_VV(vdistance, vw), MATH_SIGN);
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vproduct, vleading);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(finish->vexponent, vleading), 23);
    vbits = Q6_Vw_vadd_VwVw_sat(vbits, vew);
    HVX_Vector vsmallest = Q6_Vw_vmin_VwVw(Q6_Vw_vmin_VwVw(vmantissa, vew), vbits);
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(vsmallest, Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_V_vand_QV(qnormal, Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY)));
    return Q6_V_vor_VV(vbits, vsign);
}

/* finished() for a weight of 1, whose exponent is included in that of the product; multiplying by 1.m is exact. The two
 * functions share no code, since a common one would order the instructions differently and take longer. */
HVX_INLINE HVX_Vector finished_unweighted(HVX_Vector v, const struct finish *finish) {
    HVX_Vector vdistance = Q6_Vw_vsub_VwVw(v, finish->vmean);
    HVX_Vector vmagnitude = Q6_Vw_vasl_VwVw(Q6_Vw_vabs_Vw(vdistance), finish->vshift);
    HVX_Vector vhalf = Q6_Vw_vavg_VwVw_rnd(vmagnitude, Q6_V_vzero());
    HVX_Vector vproduct = math_multiply_q31(vhalf, finish->vscale);
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vproduct), vnormal = Q6_Vw_vasl_VwVw(vproduct, vleading);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(finish->vexponent, vleading), 23);
    vbits = Q6_Vw_vadd_VwVw_sat(vbits, Q6_V_vsplat_R(MATH_ONE));
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(Q6_Vw_vmin_VwVw(vmantissa, vbits), Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_V_vand_QV(qnormal, Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY)));
    return Q6_V_vor_VV(vbits, math_mask(vdistance, MATH_SIGN));
}

/* Keeps v where `vexponent` is that of NaN or infinity, else takes vnew. Updates the largest exponent of each lane. */
HVX_INLINE HVX_Vector keep_special(HVX_Vector v, HVX_Vector vnew, HVX_Vector vexponent, HVX_Vector *vlargest) {
    *vlargest = Q6_Vw_vmax_VwVw(*vlargest, vexponent);
    return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(vexponent, Q6_V_vsplat_R(MATH_INFINITY)), v, vnew);
}

/* Processes n vectors. */
HVX_INLINE void finish_vectors(uint8_t *dst, struct factors weight, uint32_t n, const struct finish *finish,
                               bool aligned, HVX_Vector *vlargest) {
    HVX_Vector v[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vw = load(weight.data + i * weight.step, aligned);
        v[i] = load(dst + i * HVX_BYTES, aligned);
        v[i] = keep_special(v[i], finished(v[i], vw, finish), math_exponent(vw), vlargest);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        store(dst + i * HVX_BYTES, v[i], aligned);
    }
}

HVX_INLINE void add_bias_to_vectors(uint8_t *dst, struct factors bias, uint32_t n, bool aligned, HVX_Vector *vlargest) {
    HVX_Vector v[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vb = load(bias.data + i * bias.step, aligned), va = load(dst + i * HVX_BYTES, aligned);
        HVX_Vector vexponent = Q6_Vw_vmax_VwVw(math_exponent(va), math_exponent(vb));
        v[i] = keep_special(va, math_add_f32(va, vb), vexponent, vlargest);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        store(dst + i * HVX_BYTES, v[i], aligned);
    }
}

HVX_INLINE struct finish finish_with(const struct ref_normed *normed) {
    return (struct finish){Q6_V_vsplat_R(normed->mean), Q6_V_vsplat_R(normed->shift), Q6_V_vsplat_R(normed->scale),
                           Q6_V_vsplat_R(normed->exponent + 1)};
}

/* Requires that all weights are 1 and dst is aligned. */
static __attribute__((noinline)) void finish_row_unweighted(struct span dst, const struct ref_normed *normed) {
    struct finish finish = finish_with(normed);
    HVX_Vector *to = (HVX_Vector *)dst.data;
    for (; dst.n_vectors >= UNROLLED; dst.n_vectors -= UNROLLED, to += UNROLLED) {
        HVX_Vector v[UNROLLED];
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            v[i] = finished_unweighted(to[i], &finish);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            to[i] = v[i];
        }
    }
    PHX_KEEP_ROLLED
    for (; dst.n_vectors > 0; dst.n_vectors--, to++) {
        *to = finished_unweighted(*to, &finish);
    }
    if (dst.n_bytes) {
        HVX_Vector v = finished_unweighted(hvx_load_partial_u(to, dst.n_bytes), &finish);
        hvx_store_partial_u((uint8_t *)to, v, dst.n_bytes);
    }
}

HVX_INLINE HVX_Vector finish_row(struct span dst, struct factors weight, const struct ref_normed *normed,
                                 bool aligned) {
    struct finish finish = finish_with(normed);
    uint8_t *to = (uint8_t *)dst.data;
    HVX_Vector vlargest = Q6_V_vzero();
    for (; dst.n_vectors >= UNROLLED; dst.n_vectors -= UNROLLED) {
        finish_vectors(to, weight, UNROLLED, &finish, aligned, &vlargest);
        to += UNROLLED * HVX_BYTES;
        weight.data += UNROLLED * weight.step;
    }
    for (; dst.n_vectors > 0; dst.n_vectors--) {
        finish_vectors(to, weight, 1, &finish, aligned, &vlargest);
        to += HVX_BYTES;
        weight.data += weight.step;
    }
    if (dst.n_bytes) {
        HVX_Vector v = hvx_load_partial_u(to, dst.n_bytes), vw = hvx_load_partial_u(weight.data, dst.n_bytes);
        v = keep_special(v, finished(v, vw, &finish), math_exponent(vw), &vlargest);
        hvx_store_partial_u(to, v, dst.n_bytes);
    }
    return vlargest;
}

HVX_INLINE HVX_Vector add_bias(struct span dst, struct factors bias, bool aligned) {
    uint8_t *to = (uint8_t *)dst.data;
    HVX_Vector vlargest = Q6_V_vzero();
    for (; dst.n_vectors >= UNROLLED; dst.n_vectors -= UNROLLED) {
        add_bias_to_vectors(to, bias, UNROLLED, aligned, &vlargest);
        to += UNROLLED * HVX_BYTES;
        bias.data += UNROLLED * bias.step;
    }
    for (; dst.n_vectors > 0; dst.n_vectors--) {
        add_bias_to_vectors(to, bias, 1, aligned, &vlargest);
        to += HVX_BYTES;
        bias.data += bias.step;
    }
    if (dst.n_bytes) {
        HVX_Vector va = hvx_load_partial_u(to, dst.n_bytes), vb = hvx_load_partial_u(bias.data, dst.n_bytes);
        HVX_Vector vexponent = Q6_Vw_vmax_VwVw(math_exponent(va), math_exponent(vb));
        hvx_store_partial_u(to, keep_special(va, math_add_f32(va, vb), vexponent, &vlargest), dst.n_bytes);
    }
    return vlargest;
}

static __attribute__((noinline)) HVX_Vector finish_aligned(struct span dst, struct factors weight,
                                                           const struct ref_normed *normed) {
    return finish_row(dst, weight, normed, true);
}

static __attribute__((noinline)) HVX_Vector finish_unaligned(struct span dst, struct factors weight,
                                                             const struct ref_normed *normed) {
    return finish_row(dst, weight, normed, false);
}

static __attribute__((noinline)) HVX_Vector add_bias_aligned(struct span dst, struct factors bias) {
    return add_bias(dst, bias, true);
}

static __attribute__((noinline)) HVX_Vector add_bias_unaligned(struct span dst, struct factors bias) {
    return add_bias(dst, bias, false);
}

/* Returns whether exponents stay within a word. */
static bool is_in_fast_range(const struct ref_normed *normed) {
    return normed->exponent >= -128 && normed->exponent < 128;
}

/* Converts the integers in dst to numbers, without the bias. */
static void multiply(struct span dst, struct factors weight, const struct ref_affine *affine,
                     const struct ref_normed *normed) {
    bool all = !is_in_fast_range(normed), aligned = is_aligned(dst.data) && is_aligned(weight.data);
    uint32_t n = dst.n_vectors * HVX_LANES_I32 + dst.n_bytes / sizeof(float);
    if (!all && is_aligned(dst.data) && weight.step == 0 && *(const int32_t *)weight.data == MATH_ONE) {
        finish_row_unweighted(dst, normed);
        return;
    }
    if (!all && hvx_max_i32(aligned ? finish_aligned(dst, weight, normed) : finish_unaligned(dst, weight, normed)) <
                    MATH_INFINITY) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (all || (affine->weight[i * affine->weight_step] & MATH_INFINITY) == MATH_INFINITY) {
            ref_norm_element((uint32_t *)dst.data, i, affine, normed);
        }
    }
}

/* Converts the integers in dst to numbers and adds the bias. */
void hvx_norm_finish(struct span dst, struct factors weight, struct factors bias, const struct ref_affine *affine,
                     const struct ref_normed *normed) {
    multiply(dst, weight, affine, normed);
    if (bias.data) {
        bool aligned = is_aligned(dst.data) && is_aligned(bias.data);
        if (hvx_max_i32(aligned ? add_bias_aligned(dst, bias) : add_bias_unaligned(dst, bias)) == MATH_INFINITY) {
            ref_norm_special_biases((uint32_t *)dst.data, dst.n_vectors * HVX_LANES_I32 + dst.n_bytes / sizeof(float),
                                    affine);
        }
    }
}
