/* SPDX-License-Identifier: MIT
 *
 * SUM_ROWS in HVX (reference: dsp/ref/sum_rows.c): the largest magnitude of a row, then the sum of integers relative to
 * it. The reference function computes rows with NaN or infinity.
 */
#include "sum_rows.h"

#include "sums.h"

PHX_DECLARE_KERNELS(sum_rows)

#define DRAIN_INTERVAL 8 /* vectors: numbers below 2^28, whose sums fit a word */

/* Converts numbers to integers of the sum. */
HVX_INLINE HVX_Vector integers(HVX_Vector v, HVX_Vector vexponent) {
    return Q6_Vw_vasr_VwR(math_to_i32(v, vexponent), 3);
}

HVX_INLINE int64_t sum_of(struct span span, int32_t exponent, bool aligned) {
    HVX_Vector vexponent = Q6_V_vsplat_R(exponent), vrest = integers(load_remainder(span), vexponent);
    struct sums sums = {Q6_V_vzero(), Q6_V_vzero()};
    const uint8_t *p = span.data;
    uint32_t n_vectors = span.n_vectors;
    for (; n_vectors >= DRAIN_INTERVAL; n_vectors -= DRAIN_INTERVAL) {
        HVX_Vector v = Q6_V_vzero();
        HVX_UNROLL
        for (uint32_t i = 0; i < DRAIN_INTERVAL; i++) {
            v = Q6_Vw_vadd_VwVw(v, integers(load(p + i * HVX_BYTES, aligned), vexponent));
        }
        add_words(&sums, v);
        p += DRAIN_INTERVAL * HVX_BYTES;
    }
    for (; n_vectors > 0; n_vectors--) {
        vrest = Q6_Vw_vadd_VwVw(vrest, integers(load(p, aligned), vexponent));
        p += HVX_BYTES;
    }
    add_words(&sums, vrest);
    return join_words(sums);
}

static __attribute__((noinline)) int64_t sum_of_aligned(struct span span, int32_t exponent) {
    return sum_of(span, exponent, true);
}

static __attribute__((noinline)) int64_t sum_of_unaligned(struct span span, int32_t exponent) {
    return sum_of(span, exponent, false);
}

void hvx_sum_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_scale *reciprocal) {
    const struct phx_operand *dst = call->dst[0], *src = call->src[0];
    uint32_t n = src->view.ne[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint8_t *x = phx_row(src, at);
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        struct span span = span_of(x, n);
        int32_t largest = find_largest(span), exponent = row_exponent(largest);
        if (largest >= MATH_INFINITY) {
            *to = ref_sum_row((const uint32_t *)x, n, reciprocal);
        } else {
            int64_t sum = is_aligned(x) ? sum_of_aligned(span, exponent) : sum_of_unaligned(span, exponent);
            *to = ref_sum_rows_pack(sum, exponent, reciprocal);
        }
        phx_next(&dst->view, &at);
    }
}

uint32_t phx_sum_rows_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    hvx_sum_rows(call, slice, NULL);
    return PHX_OK;
}
