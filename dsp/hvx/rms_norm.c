/* SPDX-License-Identifier: MIT
 *
 * RMS_NORM in HVX (reference: dsp/ref/rms_norm.c): the largest magnitude of a row, the sum of the squares relative to
 * it, then the products.
 *
 * The reference function computes a row that contains NaN or infinity, before anything is written, since dst may alias
 * x. Where a weight is NaN or infinite, dst keeps its contents, and the reference function computes those elements
 * afterwards.
 *
 * Reads and writes whole vectors within a row, and at its end only aligned vectors that contain elements of it.
 */
#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "math/hvx/reciprocal.h"
#include "ops/op.h"
#include "ops/rolled.h"
#include "ref/rms_norm.h"
#include "rms_norm.h"
#include "rows.h"

PHX_DECLARE_KERNELS(rms_norm)

#define UNROLLED 4
#define DRAIN_INTERVAL                                                                                                 \
    32768 /* elements whose squares are accumulated in 32 bits: DRAIN_INTERVAL / 2 * 2^16 is below 2^32 */

/* Sums of squares in two 32-bit accumulators: of the bits from 2^16 up, and of the bits below. */
struct sums {
    HVX_Vector vhigh, vlow;
};

/* Splits squares, each at most 2^30, so that two fit a word. */
HVX_INLINE struct sums split_squares(HVX_VectorPair wsquares) {
    HVX_Vector veven = Q6_V_lo_W(wsquares), vodd = Q6_V_hi_W(wsquares), vmask = Q6_V_vsplat_R(0xffff);
    return (struct sums){Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(veven, 16), Q6_Vuw_vlsr_VuwR(vodd, 16)),
                         Q6_Vw_vadd_VwVw(Q6_V_vand_VV(veven, vmask), Q6_V_vand_VV(vodd, vmask))};
}

HVX_INLINE void add_squares(struct sums *sums, HVX_VectorPair wsquares) {
    struct sums more = split_squares(wsquares);
    sums->vhigh = Q6_Vw_vadd_VwVw(sums->vhigh, more.vhigh);
    sums->vlow = Q6_Vw_vadd_VwVw(sums->vlow, more.vlow);
}

HVX_INLINE void add_squares_of_2(struct sums *sums, HVX_Vector v0, HVX_Vector v1, HVX_Vector vexponent) {
    HVX_Vector vmagnitude = math_magnitude_u16(v0, v1, vexponent);
    add_squares(sums, Q6_Wuw_vmpy_VuhVuh(vmagnitude, vmagnitude));
}

HVX_INLINE void add_squares_of_4(struct sums *sums, const uint8_t *p, HVX_Vector vexponent, bool aligned) {
    HVX_Vector v01 = math_magnitude_u16(load(p, aligned), load(p + HVX_BYTES, aligned), vexponent);
    HVX_Vector v23 = math_magnitude_u16(load(p + 2 * HVX_BYTES, aligned), load(p + 3 * HVX_BYTES, aligned), vexponent);
    add_squares(sums, Q6_Wuw_vmpyacc_WuwVuhVuh(Q6_Wuw_vmpy_VuhVuh(v01, v01), v23, v23));
}

static uint64_t total_of(const struct sums *sums) {
    HVX_Vector v = hvx_add_neighbours_i32(sums->vlow, sums->vhigh); /* lanes 0..15: low, 16..31: high */
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return ((uint64_t)(uint32_t)Q6_R_vextract_VR(v, HVX_BYTES / 2) << 16) + (uint32_t)Q6_R_vextract_VR(v, 0);
}

/* Sums the squares of at most DRAIN_INTERVAL elements. */
HVX_INLINE uint64_t squares_of(struct span span, int32_t exponent, bool aligned) {
    const uint8_t *p = span.data;
    uint32_t n_vectors = span.n_vectors;
    HVX_Vector vexponent = Q6_V_vsplat_R(exponent);
    struct sums sums = {Q6_V_vzero(), Q6_V_vzero()}, others = sums;
    for (; n_vectors >= 8; n_vectors -= 8) {
        add_squares_of_4(&sums, p, vexponent, aligned);
        add_squares_of_4(&others, p + 4 * HVX_BYTES, vexponent, aligned);
        p += 8 * HVX_BYTES;
    }
    sums.vhigh = Q6_Vw_vadd_VwVw(sums.vhigh, others.vhigh);
    sums.vlow = Q6_Vw_vadd_VwVw(sums.vlow, others.vlow);
    for (; n_vectors >= 2; n_vectors -= 2) {
        add_squares_of_2(&sums, load(p, aligned), load(p + HVX_BYTES, aligned), vexponent);
        p += 2 * HVX_BYTES;
    }
    if (n_vectors || span.n_bytes) {
        add_squares_of_2(&sums, n_vectors ? load(p, aligned) : Q6_V_vzero(), load_remainder(span), vexponent);
    }
    return total_of(&sums);
}

/* Takes no span, which would be passed in memory. */
static __attribute__((noinline)) uint64_t squares_of_aligned(const uint8_t *x, uint32_t n, int32_t exponent) {
    return squares_of(span_of(x, n), exponent, true);
}

static __attribute__((noinline)) uint64_t squares_of_unaligned(const uint8_t *x, uint32_t n, int32_t exponent) {
    return squares_of(span_of(x, n), exponent, false);
}

static uint64_t sum_squares(const uint8_t *x, uint32_t n, int32_t exponent) {
    uint64_t sum = 0;
    for (; n > DRAIN_INTERVAL; n -= DRAIN_INTERVAL) {
        sum += squares_of_unaligned(x, DRAIN_INTERVAL, exponent);
        x += DRAIN_INTERVAL * sizeof(float);
    }
    return sum + (is_aligned(x) ? squares_of_aligned(x, n, exponent) : squares_of_unaligned(x, n, exponent));
}

/* Returns whether the mean is not 0 and its unit fits a word: the root of a sum may exceed every float32. */
HVX_INLINE bool is_in_fast_range(struct ref_square mean) {
    return mean.square != 0 && mean.exponent >= -127;
}

/* Returns the vector to which the exponents of x and weight are added, to give that of a product of 2^28. */
HVX_INLINE HVX_Vector unit_of(struct ref_square mean) {
    return Q6_V_vsplat_R((mean.exponent - 127 - 2) * MATH_EXPONENT_ONE);
}

/* Returns 1 / sqrt(mean) without the exponent. */
HVX_INLINE HVX_Vector scale_of(struct ref_square mean) {
    return math_reciprocal_square_root_q31(Q6_V_vsplat_R(mean.square));
}

/* scaled() of dsp/ref/rms_norm.c for finite numbers. */
HVX_INLINE HVX_Vector scaled(HVX_Vector vx, HVX_Vector vw, HVX_Vector vscale, HVX_Vector vunit) {
    HVX_Vector vex = math_exponent(vx), vew = math_exponent(vw);
    HVX_Vector vproduct = math_multiply_q31(math_mantissa_q30(vx), math_mantissa_q30(vw));
    vproduct = math_multiply_q31(vproduct, vscale);  /* 2^28 up to 2^31 */
    HVX_Vector vleading = Q6_Vuw_vcl0_Vuw(vproduct); /* 1..3 */
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vproduct, vleading);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(3), vleading), 23);
    HVX_Vector vexponent = Q6_Vw_vadd_VwVw_sat(Q6_Vw_vadd_VwVw_sat(vex, vunit), vew);
    /* everything added to the unit is positive, so it saturates upwards */
    vbits = Q6_Vw_vadd_VwVw_sat(vexponent, vbits);
    HVX_Vector vsmallest = Q6_Vw_vmin_VwVw(Q6_Vw_vmin_VwVw(vex, vew), vbits);
    HVX_VectorPred qnormal = Q6_Q_vcmp_gt_VwVw(vsmallest, Q6_V_vsplat_R(MATH_EXPONENT_ONE - 1));
    vbits = Q6_V_vand_QV(qnormal, Q6_Vw_vmin_VwVw(vbits, Q6_V_vsplat_R(MATH_INFINITY)));
    return Q6_V_vor_VV(vbits, math_mask(Q6_V_vxor_VV(vx, vw), MATH_SIGN));
}

/* The factor of a row, and its weights. */
struct scale {
    HVX_Vector vscale, vunit;
    bool is_special; /* the reference function computes the row, with this scale: */
    struct ref_norm norm;
};

static void set_scale(struct scale *scale, struct ref_square mean) {
    scale->vscale = scale_of(mean);
    scale->vunit = unit_of(mean);
}

/* A step of 0: a vector full of one weight. */
struct factors {
    const uint8_t *weight;
    uint32_t weight_step;
    const struct scale *scale;
};

/* Processes n vectors. vlargest: the largest exponent of the weights in each lane. */
HVX_INLINE void multiply_vectors(uint8_t *dst, const uint8_t *x, const uint8_t *weight, uint32_t step, uint32_t n,
                                 HVX_Vector vscale, HVX_Vector vunit, bool aligned, HVX_Vector *vlargest) {
    HVX_Vector v[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = scaled(load(x + i * HVX_BYTES, aligned), load(weight + i * step, aligned), vscale, vunit);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vexponent = math_exponent(load(weight + i * step, aligned));
        HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(vexponent, Q6_V_vsplat_R(MATH_INFINITY));
        *vlargest = Q6_Vw_vmax_VwVw(*vlargest, vexponent);
        if (aligned) {
            Q6_vmem_QnRIV(qspecial, (HVX_Vector *)dst + i, v[i]);
        } else {
            hvx_store_u(dst + i * HVX_BYTES, Q6_V_vmux_QVV(qspecial, hvx_load_u(x + i * HVX_BYTES), v[i]));
        }
    }
}

HVX_INLINE HVX_Vector multiply(uint8_t *dst, const uint8_t *x, uint32_t n_vectors, const struct factors *factors,
                               bool aligned) {
    HVX_Vector vscale = factors->scale->vscale, vunit = factors->scale->vunit;
    HVX_Vector vlargest = Q6_V_vzero();
    const uint8_t *weight = factors->weight;
    uint32_t step = factors->weight_step;
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        multiply_vectors(dst, x, weight, step, UNROLLED, vscale, vunit, aligned, &vlargest);
        dst += UNROLLED * HVX_BYTES;
        x += UNROLLED * HVX_BYTES;
        weight += UNROLLED * step;
    }
    if (n_vectors & 2) {
        multiply_vectors(dst, x, weight, step, 2, vscale, vunit, aligned, &vlargest);
        dst += 2 * HVX_BYTES;
        x += 2 * HVX_BYTES;
        weight += 2 * step;
    }
    if (n_vectors & 1) {
        multiply_vectors(dst, x, weight, step, 1, vscale, vunit, aligned, &vlargest);
    }
    return vlargest;
}

static __attribute__((noinline)) HVX_Vector multiply_aligned(uint8_t *dst, const uint8_t *x, uint32_t n_vectors,
                                                             const struct factors *factors) {
    return multiply(dst, x, n_vectors, factors, true);
}

static __attribute__((noinline)) HVX_Vector multiply_unaligned(uint8_t *dst, const uint8_t *x, uint32_t n_vectors,
                                                               const struct factors *factors) {
    return multiply(dst, x, n_vectors, factors, false);
}

static __attribute__((noinline)) HVX_Vector multiply_remainder(uint8_t *dst, struct span x,
                                                               const struct factors *factors) {
    uint32_t skipped = x.n_vectors * HVX_BYTES;
    HVX_Vector vw = hvx_load_partial_u(factors->weight + x.n_vectors * factors->weight_step, x.n_bytes);
    HVX_Vector vx = load_remainder(x), vexponent = math_exponent(vw);
    HVX_Vector v = scaled(vx, vw, factors->scale->vscale, factors->scale->vunit);
    HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(vexponent, Q6_V_vsplat_R(MATH_INFINITY));
    hvx_store_partial_u(dst + skipped, Q6_V_vmux_QVV(qspecial, vx, v), x.n_bytes);
    return vexponent;
}

/* Returns whether a weight is NaN or infinite. */
static __attribute__((noinline)) bool multiply_row(uint8_t *dst, const uint8_t *data, uint32_t n,
                                                   const struct factors *factors) {
    struct span x = span_of(data, n);
    HVX_Vector vlargest = Q6_V_vzero();
    if (is_aligned(dst) && is_aligned(x.data) && is_aligned(factors->weight)) {
        vlargest = multiply_aligned(dst, x.data, x.n_vectors, factors);
    } else if (x.n_vectors > 0) {
        vlargest = multiply_unaligned(dst, x.data, x.n_vectors, factors);
    }
    if (x.n_bytes) {
        vlargest = Q6_Vw_vmax_VwVw(vlargest, multiply_remainder(dst, x, factors));
    }
    return hvx_any(Q6_Q_vcmp_eq_VwVw(vlargest, Q6_V_vsplat_R(MATH_INFINITY)));
}

/* The weights of a row: n of them, or a vector full of one with a step of 0. */
struct weights {
    const uint8_t *data;
    uint32_t step;
};

/* Processes a row of whole vectors that fits in `room` registers, a compile-time constant. Returns false if the
 * reference function has to compute it. */
HVX_INLINE bool norm_vectors(uint8_t *dst, const uint8_t *data, struct weights weights, const struct ref_norm *norm,
                             uint32_t room) {
    HVX_Vector vx[UNROLLED], vw[UNROLLED], vcounted[UNROLLED], vlargest, vlargest_weight;
    uint32_t n_vectors = norm->n / HVX_LANES_I32, at[UNROLLED];
    HVX_UNROLL
    for (uint32_t i = 0; i < room; i++) {
        /* repeats the first one instead of branching; its squares must not count twice */
        at[i] = i < n_vectors ? i : 0;
        vx[i] = hvx_load_u(data + at[i] * HVX_BYTES);
        vw[i] = hvx_load_u(weights.data + at[i] * weights.step);
        HVX_Vector vm = math_mask(vx[i], MATH_MAGNITUDE), vm_weight = math_mask(vw[i], MATH_MAGNITUDE);
        vlargest = i ? Q6_Vw_vmax_VwVw(vlargest, vm) : vm;
        vlargest_weight = i ? Q6_Vw_vmax_VwVw(vlargest_weight, vm_weight) : vm_weight;
        vcounted[i] = math_mask(vx[i], i < n_vectors ? 0xffffffff : 0);
    }
    HVX_Vector vboth = hvx_max_neighbours_i32(vlargest, vlargest_weight); /* lanes 0..15: of x, 16..31: of weights */
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        vboth = Q6_Vw_vmax_VwVw(vboth, Q6_V_vror_VR(vboth, distance));
    }
    int32_t largest = Q6_R_vextract_VR(vboth, 0), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY || Q6_R_vextract_VR(vboth, HVX_BYTES / 2) >= MATH_INFINITY) {
        return false;
    }
    HVX_Vector vexponent = Q6_V_vsplat_R(exponent);
    HVX_Vector vmagnitude = math_magnitude_u16(vcounted[0], vcounted[1], vexponent);
    HVX_VectorPair wsquares = Q6_Wuw_vmpy_VuhVuh(vmagnitude, vmagnitude);
    if (room > 2) {
        vmagnitude = math_magnitude_u16(vcounted[2], vcounted[3], vexponent);
        wsquares = Q6_Wuw_vmpyacc_WuwVuhVuh(wsquares, vmagnitude, vmagnitude);
    }
    struct sums sums = split_squares(wsquares);
    struct ref_square mean = norm->square(total_of(&sums), norm->reciprocal, exponent, norm->eps);
    if (!is_in_fast_range(mean)) {
        return false;
    }
    HVX_Vector vscale = scale_of(mean), vunit = unit_of(mean);
    HVX_UNROLL
    for (uint32_t i = 0; i < room; i++) {
        vx[i] = scaled(vx[i], vw[i], vscale, vunit);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < room; i++) {
        hvx_store_u(dst + at[i] * HVX_BYTES, vx[i]);
    }
    return true;
}

static __attribute__((noinline)) bool norm_2_vectors(uint8_t *dst, const uint8_t *data, struct weights weights,
                                                     const struct ref_norm *norm) {
    return norm_vectors(dst, data, weights, norm, 2);
}

static __attribute__((noinline)) bool norm_4_vectors(uint8_t *dst, const uint8_t *data, struct weights weights,
                                                     const struct ref_norm *norm) {
    return norm_vectors(dst, data, weights, norm, UNROLLED);
}

/* Returns false if the reference function has to compute the row. */
static __attribute__((noinline)) bool find_scale(struct scale *scale, const uint8_t *x, const struct ref_norm *norm) {
    int32_t largest = find_largest(span_of(x, norm->n)), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY) {
        return false;
    }
    struct ref_square mean = norm->square(sum_squares(x, norm->n, exponent), norm->reciprocal, exponent, norm->eps);
    if (!is_in_fast_range(mean)) {
        return false;
    }
    set_scale(scale, mean);
    return true;
}

/* Processes a row of any length. */
static __attribute__((noinline)) bool norm_long(uint8_t *dst, const uint8_t *data, struct weights weights,
                                                const struct ref_norm *norm) {
    struct scale scale;
    struct factors factors = {.weight = weights.data, .weight_step = weights.step, .scale = &scale};
    if (!find_scale(&scale, data, norm)) {
        return false;
    }
    if (multiply_row(dst, data, norm->n, &factors)) {
        ref_rms_norm_special_weights((uint32_t *)dst, (const uint32_t *)data, (const uint32_t *)weights.data,
                                     weights.step != 0, norm->n);
    }
    return true;
}

typedef bool norm_row(uint8_t *dst, const uint8_t *data, struct weights weights, const struct ref_norm *norm);

static norm_row *norm_row_of(uint32_t n) {
    if (n % HVX_LANES_I32 || n > UNROLLED * HVX_LANES_I32) {
        return norm_long;
    }
    return n <= 2 * HVX_LANES_I32 ? norm_2_vectors : norm_4_vectors;
}

/* Processes rows; without weights, 1 replaces them. */
HVX_INLINE void norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm) {
    const struct phx_operand *dst = call->dst[0], *src = call->src[0], *weight = call->src[1];
    norm_row *norm_row = norm_row_of(norm->n);
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    HVX_Vector vone = Q6_V_vsplat_R(0x3f800000);
    struct weights weights = {(const uint8_t *)&vone, 0};
    for (uint32_t n_remaining = slice->end_row - slice->first_row; n_remaining > 0;) {
        uint8_t *to = phx_row(dst, at);
        const uint8_t *x = phx_row(src, at);
        if (weight && weight->view.nb[0]) {
            weights = (struct weights){phx_row(weight, at), HVX_BYTES};
        } else if (weight) {
            vone = Q6_V_vsplat_R(*(const int32_t *)phx_row(weight, at));
        }
        if (!norm_row(to, x, weights, norm)) {
            ref_rms_norm_row((uint32_t *)to, (const uint32_t *)x, (const uint32_t *)weights.data, weights.step != 0,
                             norm);
        }
        if (--n_remaining > 0) {
            phx_next(&dst->view, &at);
        }
    }
}

void hvx_rms_norm_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_norm *norm) {
    norm_rows(call, slice, norm);
}

/* --- Rows shared by threads --- */

/* Returns the largest magnitude of the whole row. */
static int32_t largest_of_partials(const struct phx_shared_row *shared) {
    int32_t largest = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < shared->n_threads; i++) {
        largest = shared->partials[i].most > largest ? shared->partials[i].most : largest;
    }
    return largest;
}

void hvx_rms_norm_find(const struct phx_call *call, const struct phx_shared_row *shared) {
    (void)call;
    shared->own->most = find_largest(span_of(shared->x, shared->n));
}

void hvx_rms_norm_square(const struct phx_call *call, const struct phx_shared_row *shared) {
    (void)call;
    shared->own->squares = sum_squares(shared->x, shared->n, row_exponent(largest_of_partials(shared)));
}

_Static_assert(sizeof(struct scale) <= PHX_ROW_CONSTANTS_BYTES, "room");

__attribute__((noinline)) void hvx_rms_norm_finalize(const struct phx_shared_row *shared, const struct ref_norm *norm) {
    struct scale *scale = shared->constants;
    int32_t largest = largest_of_partials(shared);
    uint64_t sum = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < shared->n_threads; i++) {
        sum += shared->partials[i].squares;
    }
    struct ref_square mean = norm->square(sum, norm->reciprocal, row_exponent(largest), norm->eps);
    scale->is_special = largest >= MATH_INFINITY || !is_in_fast_range(mean);
    scale->norm = *norm;
    set_scale(scale, mean);
}

void hvx_rms_norm_finalize_alone(const struct phx_shared_row *shared, const struct ref_norm *norm) {
    struct scale *scale = shared->constants;
    scale->is_special = !find_scale(scale, shared->x, norm);
    scale->norm = *norm;
}

/* If the reference function has to compute a row, the thread with the row's first part runs it on the whole row. */
void hvx_rms_norm_finish(const struct phx_call *call, const struct phx_shared_row *shared) {
    const struct phx_operand *weight = call->src[1];
    HVX_Vector vone = Q6_V_vsplat_R(0x3f800000);
    struct factors factors = {.weight = (const uint8_t *)&vone, .scale = shared->constants};
    if (weight && weight->view.nb[0]) {
        factors.weight = phx_row(weight, shared->at) + shared->first * sizeof(float);
        factors.weight_step = HVX_BYTES;
    } else if (weight) {
        vone = Q6_V_vsplat_R(*(const int32_t *)phx_row(weight, shared->at));
    }
    uint32_t *to = (uint32_t *)shared->dst, step = factors.weight_step != 0;
    const uint32_t *x = (const uint32_t *)shared->x, *weights = (const uint32_t *)factors.weight;
    if (factors.scale->is_special) {
        if (shared->first == 0) {
            ref_rms_norm_row(to, x, weights, step, &factors.scale->norm);
        }
    } else if (multiply_row(shared->dst, shared->x, shared->n, &factors)) {
        ref_rms_norm_special_weights(to, x, weights, step, shared->n);
    }
}

static struct ref_norm norm_of(const struct phx_call *call) {
    uint32_t n = call->dst[0]->view.ne[0];
    return (struct ref_norm){n, *(const uint32_t *)call->params, ref_rms_norm_reciprocal(n), ref_rms_norm_mean};
}

static void rms_norm_finalize(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct ref_norm norm = norm_of(call);
    hvx_rms_norm_finalize(shared, &norm);
}

static void rms_norm_finalize_alone(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct ref_norm norm = norm_of(call);
    hvx_rms_norm_finalize_alone(shared, &norm);
}

const struct phx_shared phx_rms_norm_shared = HVX_RMS_NORM_SHARED(rms_norm);

uint32_t phx_rms_norm_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct ref_norm norm = norm_of(call);
    (void)work;
    norm_rows(call, slice, &norm);
    return PHX_OK;
}
