/* SPDX-License-Identifier: MIT
 *
 * NORM in HVX (reference: dsp/ref/norm.c): the minimum and maximum of a row, then integers relative to these, whose sum
 * is the mean. The integers are stored in dst, and remain there where a weight or a bias is NaN or infinite; the
 * reference function then computes those elements. Rows with NaN or infinity become NaN.
 */
#include "norm.h"

#include "math/hvx/reciprocal.h"
#include "ops/op.h"
#include "ops/rolled.h"
#include "sums.h"

PHX_DECLARE_KERNELS(norm)

#define UNROLLED 4
#define DRAIN_INTERVAL 512 /* iterations of 4 vectors whose squares are accumulated in 32 bits */

/* --- Minimum and maximum, in the order of math_order() --- */

struct range {
    int32_t least, most;
};

HVX_INLINE struct range range_of(struct span span, bool aligned) {
    HVX_Vector vmost[2], vleast[2];
    const uint8_t *p = span.data;
    uint32_t n_vectors = span.n_vectors;
    HVX_Vector vfirst = math_order(Q6_V_vsplat_R(*(const int32_t *)p));
    vmost[0] = vmost[1] = vleast[0] = vleast[1] = vfirst;
    if (span.n_bytes) {
        HVX_VectorPred qin = Q6_Q_vsetq_R((int32_t)span.n_bytes);
        HVX_Vector v = Q6_V_vmux_QVV(qin, math_order(load_remainder(span)), vfirst);
        vmost[1] = Q6_Vw_vmax_VwVw(vmost[1], v);
        vleast[1] = Q6_Vw_vmin_VwVw(vleast[1], v);
    }
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            HVX_Vector v = math_order(load(p + i * HVX_BYTES, aligned));
            vmost[i % 2] = Q6_Vw_vmax_VwVw(vmost[i % 2], v);
            vleast[i % 2] = Q6_Vw_vmin_VwVw(vleast[i % 2], v);
        }
        p += UNROLLED * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        HVX_Vector v = math_order(load(p, aligned));
        vmost[0] = Q6_Vw_vmax_VwVw(vmost[0], v);
        vleast[0] = Q6_Vw_vmin_VwVw(vleast[0], v);
        p += HVX_BYTES;
    }
    HVX_Vector vnegative = Q6_V_vnot_V(Q6_Vw_vmin_VwVw(vleast[0], vleast[1]));
    HVX_Vector v = hvx_max_neighbours_i32(Q6_Vw_vmax_VwVw(vmost[0], vmost[1]), vnegative);
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vmax_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return (struct range){~Q6_R_vextract_VR(v, HVX_BYTES / 2), Q6_R_vextract_VR(v, 0)};
}

/* --- Integers and their sum --- */

HVX_INLINE HVX_Vector integers(HVX_Vector v, HVX_Vector vexponent) {
    return Q6_Vw_vasr_VwR(math_to_i32(v, vexponent), REF_NORM_CUT);
}

HVX_INLINE int64_t make_integers_of(uint8_t *dst, struct span x, int32_t exponent, bool aligned) {
    HVX_Vector vexponent = Q6_V_vsplat_R(exponent), vrest = integers(load_remainder(x), vexponent);
    struct sums sums = {Q6_V_vzero(), Q6_V_vzero()};
    uint32_t n_vectors = x.n_vectors;
    const uint8_t *p = x.data;
    if (x.n_bytes) { /* loaded before dst is written, since dst may alias x */
        hvx_store_partial_u(dst + n_vectors * HVX_BYTES, vrest, x.n_bytes);
        add_words(&sums, vrest);
    }
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        HVX_Vector v[UNROLLED];
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            v[i] = integers(load(p + i * HVX_BYTES, aligned), vexponent);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            store(dst + i * HVX_BYTES, v[i], aligned);
        }
        add_words(&sums, Q6_Vw_vadd_VwVw(Q6_Vw_vadd_VwVw(v[0], v[1]), Q6_Vw_vadd_VwVw(v[2], v[3])));
        p += UNROLLED * HVX_BYTES;
        dst += UNROLLED * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        HVX_Vector v = integers(load(p, aligned), vexponent);
        store(dst, v, aligned);
        add_words(&sums, v);
        p += HVX_BYTES;
        dst += HVX_BYTES;
    }
    return join_words(sums);
}

/* --- Squares of distances to the mean --- */

HVX_INLINE HVX_Vector distances(HVX_Vector v, HVX_Vector vmean, HVX_Vector vshift) {
    return Q6_Vw_vasl_VwVw(Q6_Vw_vsub_VwVw(v, vmean), vshift);
}

/* Adds squares, each at most 2^30, so that two fit a word. */
HVX_INLINE void add_squares(struct sums *sums, HVX_VectorPair wsquares) {
    HVX_Vector veven = Q6_V_lo_W(wsquares), vodd = Q6_V_hi_W(wsquares), vmask = Q6_V_vsplat_R(0xffff);
    sums->vhigh = Q6_Vw_vadd_VwVw(sums->vhigh,
                                  Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(veven, 16), Q6_Vuw_vlsr_VuwR(vodd, 16)));
    sums->vlow = Q6_Vw_vadd_VwVw(sums->vlow, Q6_Vw_vadd_VwVw(Q6_V_vand_VV(veven, vmask), Q6_V_vand_VV(vodd, vmask)));
}

/* Sums the squares of at most 4 * DRAIN_INTERVAL vectors, and of the row's remainder if the span ends there. */
HVX_INLINE uint64_t squares_of(struct span span, const struct ref_normed *normed, bool aligned) {
    HVX_Vector vmean = Q6_V_vsplat_R(normed->mean), vshift = Q6_V_vsplat_R(normed->shift);
    struct sums sums = {Q6_V_vzero(), Q6_V_vzero()};
    const uint8_t *p = span.data;
    uint32_t n_vectors = span.n_vectors;
    for (; n_vectors >= UNROLLED; n_vectors -= UNROLLED) {
        HVX_Vector v[UNROLLED];
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLLED; i++) {
            v[i] = distances(load(p + i * HVX_BYTES, aligned), vmean, vshift);
        }
        HVX_Vector v01 = Q6_Vh_vround_VwVw_sat(v[1], v[0]), v23 = Q6_Vh_vround_VwVw_sat(v[3], v[2]);
        add_squares(&sums, Q6_Ww_vmpyacc_WwVhVh(Q6_Ww_vmpy_VhVh(v01, v01), v23, v23));
        p += UNROLLED * HVX_BYTES;
    }
    if (span.n_bytes) {
        HVX_Vector v = Q6_V_vand_QV(Q6_Q_vsetq_R((int32_t)span.n_bytes),
                                    distances(load_remainder(span), vmean, vshift));
        v = Q6_Vh_vround_VwVw_sat(Q6_V_vzero(), v);
        add_squares(&sums, Q6_Ww_vmpy_VhVh(v, v));
    }
    for (; n_vectors > 0; n_vectors--) {
        HVX_Vector v = Q6_Vh_vround_VwVw_sat(Q6_V_vzero(), distances(load(p, aligned), vmean, vshift));
        add_squares(&sums, Q6_Ww_vmpy_VhVh(v, v));
        p += HVX_BYTES;
    }
    HVX_Vector v = hvx_add_neighbours_i32(sums.vlow, sums.vhigh);
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return ((uint64_t)(uint32_t)Q6_R_vextract_VR(v, HVX_BYTES / 2) << 16) + (uint32_t)Q6_R_vextract_VR(v, 0);
}

/* --- Rows --- */

static __attribute__((noinline)) struct range range_of_aligned(struct span span) {
    return range_of(span, true);
}

static __attribute__((noinline)) struct range range_of_unaligned(struct span span) {
    return range_of(span, false);
}

static __attribute__((noinline)) int64_t make_integers_aligned(uint8_t *dst, struct span x, int32_t exponent) {
    return make_integers_of(dst, x, exponent, true);
}

static __attribute__((noinline)) int64_t make_integers_unaligned(uint8_t *dst, struct span x, int32_t exponent) {
    return make_integers_of(dst, x, exponent, false);
}

static __attribute__((noinline)) uint64_t squares_of_aligned(struct span span, const struct ref_normed *normed) {
    return squares_of(span, normed, true);
}

static __attribute__((noinline)) uint64_t squares_of_unaligned(struct span span, const struct ref_normed *normed) {
    return squares_of(span, normed, false);
}

static uint64_t sum_squares(struct span span, const struct ref_normed *normed) {
    uint64_t sum = 0;
    for (; span.n_vectors > UNROLLED * DRAIN_INTERVAL; span.n_vectors -= UNROLLED * DRAIN_INTERVAL) {
        sum += squares_of_unaligned((struct span){span.data, UNROLLED * DRAIN_INTERVAL, 0}, normed);
        span.data += UNROLLED * DRAIN_INTERVAL * HVX_BYTES;
    }
    return sum + (is_aligned(span.data) ? squares_of_aligned(span, normed) : squares_of_unaligned(span, normed));
}

/* Converts a number in math_order() to an integer of the row. */
static int32_t integer_of(int32_t order, int32_t exponent) {
    uint32_t magnitude = (uint32_t)(order < 0 ? ~order : order), shift = (uint32_t)(exponent >> 23) - (magnitude >> 23);
    int32_t v = (int32_t)((magnitude << 7 & 0x3fffff80) | 0x40000000) >> (shift < 31 ? shift : 31);
    return (order < 0 ? -v : v) >> REF_NORM_CUT;
}

static struct range range_of_row(struct span x) {
    return is_aligned(x.data) ? range_of_aligned(x) : range_of_unaligned(x);
}

static int32_t largest_of_range(struct range range) {
    int32_t below = ~range.least;
    return range.most > below ? range.most : below; /* one of them may be negative */
}

static int64_t make_integers(uint8_t *to, struct span x, int32_t exponent) {
    return is_aligned(x.data) && is_aligned(to) ? make_integers_aligned(to, x, exponent)
                                                : make_integers_unaligned(to, x, exponent);
}

/* Returns all but the scale. sum: of the integers. */
static struct ref_normed normed_of(struct range range, int32_t exponent, int64_t sum, const struct ref_norm *norm) {
    struct ref_normed normed = {.mean = ref_norm_mean(sum, norm)};
    int32_t most = integer_of(range.most, exponent) - normed.mean,
            least = normed.mean - integer_of(range.least, exponent);
    normed.shift = ref_norm_shift((uint32_t)(most > least ? most : least));
    return normed;
}

/* Converts a row to integers. Returns false if the result is NaN. */
static __attribute__((noinline)) bool find_normed(struct ref_normed *normed, uint8_t *to, const uint8_t *from,
                                                  const struct ref_norm *norm) {
    struct span x = span_of(from, norm->n);
    struct range range = range_of_row(x);
    int32_t largest = largest_of_range(range), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY) {
        return false;
    }
    *normed = normed_of(range, exponent, make_integers(to, x, exponent), norm);
    return ref_norm_scale(normed, sum_squares(span_of(to, norm->n), normed), norm, exponent);
}

/* Returns the row of an operand, or a vector full of its one element. */
static struct factors factors_of(const struct phx_operand *operand, struct phx_at at, HVX_Vector *vone) {
    const uint8_t *row = phx_row(operand, at);
    if (operand->view.nb[0]) {
        return (struct factors){row, HVX_BYTES};
    }
    *vone = Q6_V_vsplat_R(*(const int32_t *)row);
    return (struct factors){(const uint8_t *)vone, 0};
}

static struct ref_norm norm_of(const struct phx_call *call) {
    uint32_t n = call->dst[0]->view.ne[0];
    return (struct ref_norm){n, *(const uint32_t *)call->params, ref_rms_norm_reciprocal(n), ref_rms_norm_mean};
}

/* Combines the partial results of all threads that share a row. */
static struct phx_partial partials_of(const struct phx_shared_row *shared) {
    struct phx_partial all = shared->partials[0];
    PHX_KEEP_ROLLED
    for (uint32_t i = 1; i < shared->n_threads; i++) {
        const struct phx_partial *one = &shared->partials[i];
        all.least = one->least < all.least ? one->least : all.least;
        all.most = one->most > all.most ? one->most : all.most;
        all.sum += one->sum;
        all.squares += one->squares;
    }
    return all;
}

/* A row with NaN or infinity becomes NaN. */
struct constants {
    struct ref_normed normed;
    bool is_nan;
};
_Static_assert(sizeof(struct constants) <= PHX_ROW_CONSTANTS_BYTES, "room");

/* The steps of find_normed(), one per function. */
static void find_range(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct range range = range_of_row(span_of(shared->x, shared->n));
    (void)call;
    shared->own->least = range.least;
    shared->own->most = range.most;
}

static void make_part(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct phx_partial all = partials_of(shared);
    int32_t largest = largest_of_range((struct range){all.least, all.most});
    (void)call;
    if (largest < MATH_INFINITY) {
        shared->own->sum = make_integers(shared->dst, span_of(shared->x, shared->n), row_exponent(largest));
    }
}

static void square_part(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct phx_partial all = partials_of(shared);
    struct range range = {all.least, all.most};
    int32_t largest = largest_of_range(range);
    if (largest < MATH_INFINITY) {
        struct ref_norm norm = norm_of(call);
        struct ref_normed normed = normed_of(range, row_exponent(largest), all.sum, &norm);
        shared->own->squares = sum_squares(span_of(shared->dst, shared->n), &normed);
    }
}

static void finalize(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct constants *constants = shared->constants;
    struct phx_partial all = partials_of(shared);
    struct range range = {all.least, all.most};
    int32_t largest = largest_of_range(range), exponent = row_exponent(largest);
    constants->is_nan = largest >= MATH_INFINITY;
    if (!constants->is_nan) {
        struct ref_norm norm = norm_of(call);
        constants->normed = normed_of(range, exponent, all.sum, &norm);
        constants->is_nan = !ref_norm_scale(&constants->normed, all.squares, &norm, exponent);
    }
}

static void finalize_alone(const struct phx_call *call, const struct phx_shared_row *shared) {
    struct constants *constants = shared->constants;
    struct ref_norm norm = norm_of(call);
    constants->is_nan = !find_normed(&constants->normed, shared->dst, shared->x, &norm);
}

static void finalize_by_pair(const struct phx_call *call, const struct phx_shared_row *shared,
                             void (*wait_for_other)(void *argument, uint32_t n_steps, bool is_last), void *argument) {
    struct constants *constants = shared->constants;
    bool is_first = shared->own == shared->partials;
    struct phx_partial *own = shared->own;
    const struct phx_partial *other = is_first ? own + 1 : own - 1;
    struct span x = span_of(shared->x, shared->n);
    struct range range = range_of_row(x);
    own->least = range.least;
    own->most = range.most;
    wait_for_other(argument, 1, false);
    range.least = other->least < range.least ? other->least : range.least;
    range.most = other->most > range.most ? other->most : range.most;
    int32_t largest = largest_of_range(range), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY) {
        if (is_first) {
            constants->is_nan = true;
        }
        return;
    }
    int64_t sum = make_integers(shared->dst, x, exponent);
    own->sum = sum;
    wait_for_other(argument, 2, false);
    struct ref_norm norm = norm_of(call);
    struct ref_normed normed = normed_of(range, exponent, sum + other->sum, &norm);
    uint64_t squares = sum_squares(span_of(shared->dst, shared->n), &normed);
    own->squares = squares;
    wait_for_other(argument, 3, !is_first);
    if (is_first) {
        constants->is_nan = !ref_norm_scale(&normed, squares + other->squares, &norm, exponent);
        constants->normed = normed;
    }
}

static void finish_part(const struct phx_call *call, const struct phx_shared_row *shared) {
    const struct constants *constants = shared->constants;
    if (constants->is_nan) {
        ref_norm_fill((uint32_t *)shared->dst, shared->n);
        return;
    }
    HVX_Vector vweight = Q6_V_vsplat_R(MATH_ONE), vbias;
    struct factors weight = {(const uint8_t *)&vweight, 0}, bias = {NULL, 0};
    weight = call->src[1] ? factors_of(call->src[1], shared->at, &vweight) : weight;
    bias = call->src[2] ? factors_of(call->src[2], shared->at, &vbias) : bias;
    weight.data += weight.step ? shared->first * sizeof(float) : 0;
    bias.data += bias.step ? shared->first * sizeof(float) : 0;
    struct ref_affine affine = {(const uint32_t *)weight.data, (const uint32_t *)bias.data, weight.step != 0,
                                bias.step != 0};
    hvx_norm_finish(span_of(shared->dst, shared->n), weight, bias, &affine, &constants->normed);
}

const struct phx_shared phx_norm_shared = {
    4,
    {find_range, make_part, square_part, finish_part},
    finalize,
    finalize_alone,
    finalize_by_pair,
    {PHX_SHARING_COSTS(29, 41), PHX_SHARING_COSTS(44, 41), PHX_SHARING_COSTS(106, 41)}};

uint32_t phx_norm_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0];
    struct ref_norm norm = norm_of(call);
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    HVX_Vector vweight = Q6_V_vsplat_R(MATH_ONE), vbias;
    struct factors weight = {(const uint8_t *)&vweight, 0}, bias = {NULL, 0};
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        weight = call->src[1] ? factors_of(call->src[1], at, &vweight) : weight;
        bias = call->src[2] ? factors_of(call->src[2], at, &vbias) : bias;
        struct ref_affine affine = {(const uint32_t *)weight.data, (const uint32_t *)bias.data, weight.step != 0,
                                    bias.step != 0};
        uint8_t *to = phx_row(dst, at), *x = phx_row(call->src[0], at);
        struct ref_normed normed;
        if (find_normed(&normed, to, x, &norm)) {
            hvx_norm_finish(span_of(to, norm.n), weight, bias, &affine, &normed);
        } else {
            ref_norm_fill((uint32_t *)to, norm.n);
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
