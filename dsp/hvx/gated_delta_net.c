/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET in HVX (reference: dsp/ref/gated_delta_net.c): 32 columns of the state at a time, one per lane. Lanes
 * are independent.
 */
#include "ref/gated_delta_net.h"

#include "rows.h"
#include "runtime/fetch.h"

#define UNROLL 4 /* rows of the state per iteration */

/* Up to 32 columns of a token. */
struct columns {
    const uint8_t *old;
    uint32_t old_step;
    uint8_t *state;
    uint32_t step;
    HVX_Vector *integers; /* integers of the state */
    uint32_t n_keys, n_bytes;
};

/* Factors with which pass 3 computes the new state, and the exponent of the old one. */
struct update {
    HVX_Vector vdecay, vkept_shift, vby, vadded_shift, vunit, vexponent;
};

static int32_t to_integers(int32_t *to, const uint8_t *from, uint32_t n, int32_t shift) {
    struct span span = span_of(from, n);
    HVX_Vector *v = (HVX_Vector *)to;
    int32_t largest = find_largest(span), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY) {
        return 255;
    }
    for (uint32_t i = 0; i < span.n_vectors; i++) {
        v[i] = Q6_Vw_vasr_VwR(math_to_i32(hvx_load_u(from + i * HVX_BYTES), Q6_V_vsplat_R(exponent)), shift);
    }
    if (span.n_bytes) {
        v[span.n_vectors] = Q6_Vw_vasr_VwR(math_to_i32(load_remainder(span), Q6_V_vsplat_R(exponent)), shift);
    }
    return exponent >> 23;
}

/* ref_delta_exponent() on exponents in bits 23..30. */
HVX_INLINE HVX_Vector exponents(HVX_Vector vexponent, int32_t more) {
    HVX_Vector v = Q6_Vw_vadd_VwVw_sat(vexponent, Q6_V_vsplat_R(more * MATH_EXPONENT_ONE));
    return Q6_Vw_vmin_VwVw(v, Q6_V_vsplat_R(255 * MATH_EXPONENT_ONE));
}

HVX_INLINE HVX_Vector largest_of_rows(const struct columns *columns, uint32_t first, uint32_t n, bool full,
                                      HVX_Vector vlargest) {
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = columns->old + (first + i) * columns->old_step;
        HVX_Vector v = full ? hvx_load_u(p) : hvx_load_partial_u(p, columns->n_bytes);
        vlargest = Q6_Vw_vmax_VwVw(vlargest, math_exponent(v));
    }
    return vlargest;
}

HVX_INLINE HVX_Vector integers_of_row(const struct columns *columns, uint32_t row, bool full, HVX_Vector vexponent) {
    const uint8_t *p = columns->old + row * columns->old_step;
    return math_to_i32(full ? hvx_load_u(p) : hvx_load_partial_u(p, columns->n_bytes), vexponent);
}

HVX_INLINE HVX_Vector sum_rows(const struct columns *columns, const int32_t *k, int32_t headroom, uint32_t first,
                               uint32_t n, bool full, HVX_Vector vexponent, HVX_Vector vsum) {
    HVX_Vector v[UNROLL];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        v[i] = integers_of_row(columns, first + i, full, vexponent);
        vsum = Q6_Vw_vadd_VwVw(vsum, math_multiply_q31(v[i], Q6_V_vsplat_R(k[first + i] >> headroom)));
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        columns->integers[first + i] = v[i];
    }
    return vsum;
}

HVX_INLINE HVX_Vector update_rows(const struct columns *columns, const struct ref_delta_token *token,
                                  const struct update *update, uint32_t first, uint32_t n, bool full, bool delta_rule,
                                  HVX_VectorPred qnan, HVX_Vector vsum) {
    HVX_Vector v[UNROLL];
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        HVX_Vector vold = delta_rule ? columns->integers[first + i]
                                     : integers_of_row(columns, first + i, full, update->vexponent);
        HVX_Vector vkept = math_multiply_q31(vold, update->vdecay);
        HVX_Vector vadded = math_multiply_q31(Q6_V_vsplat_R(token->k[first + i]), update->vby);
        v[i] = Q6_Vw_vadd_VwVw(Q6_Vw_vasr_VwVw(vkept, update->vkept_shift),
                               Q6_Vw_vasr_VwVw(vadded, update->vadded_shift));
        vsum = Q6_Vw_vadd_VwVw(vsum, math_multiply_q31(v[i], Q6_V_vsplat_R(token->q[first + i])));
        v[i] = Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(MATH_NAN), math_pack(v[i], update->vunit));
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *p = columns->state + (first + i) * columns->step;
        if (full) {
            hvx_store_u(p, v[i]);
        } else {
            hvx_store_partial_u(p, v[i], columns->n_bytes);
        }
    }
    return vsum;
}

/* Accumulates the largest exponent of each lane, which detects NaN and infinity. */
HVX_INLINE HVX_Vector accumulate_exponent(HVX_Vector vseen, HVX_Vector v) {
    return Q6_Vw_vmax_VwVw(vseen, math_exponent(v));
}

/* Returns what the decayed state has for k. */
HVX_INLINE HVX_Vector known_of(const struct ref_delta_head *head, const struct ref_delta_token *token,
                               const struct columns *columns, bool full, HVX_Vector vexponent, HVX_Vector *vseen) {
    uint32_t n_keys = columns->n_keys, n_fours = n_keys / UNROLL * UNROLL;
    HVX_Vector vsum = Q6_V_vzero();
    for (uint32_t i = 0; i < n_fours; i += UNROLL) {
        vsum = sum_rows(columns, token->k, head->headroom, i, UNROLL, full, vexponent, vsum);
    }
    for (uint32_t i = n_fours; i < n_keys; i++) {
        vsum = sum_rows(columns, token->k, head->headroom, i, 1, full, vexponent, vsum);
    }
    HVX_Vector vknown = math_pack(vsum, exponents(vexponent, token->k_exponent + head->headroom - 156));
    *vseen = accumulate_exponent(*vseen, vknown);
    vknown = math_multiply_f32(Q6_V_vsplat_R((int32_t)token->decay), vknown);
    *vseen = accumulate_exponent(*vseen, vknown);
    return vknown;
}

HVX_INLINE void step(const struct ref_delta_head *head, const struct ref_delta_token *token,
                     const struct columns *columns, const uint8_t *v_row, uint8_t *results, bool full,
                     bool delta_rule) {
    uint32_t n_keys = columns->n_keys, n_fours = n_keys / UNROLL * UNROLL;
    HVX_Vector vexponent = Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN);
    for (uint32_t i = 0; i < n_fours; i += UNROLL) {
        vexponent = largest_of_rows(columns, i, UNROLL, full, vexponent);
    }
    for (uint32_t i = n_fours; i < n_keys; i++) {
        vexponent = largest_of_rows(columns, i, 1, full, vexponent);
    }
    HVX_Vector vdelta = hvx_load_some_u(v_row, columns->n_bytes);
    HVX_Vector vseen = accumulate_exponent(vexponent, vdelta);
    if (delta_rule) {
        HVX_Vector vknown = known_of(head, token, columns, full, vexponent, &vseen);
        vdelta = math_add_f32(vdelta, Q6_V_vxor_VV(vknown, Q6_V_vsplat_R((int32_t)MATH_SIGN)));
        vseen = accumulate_exponent(vseen, vdelta);
    }
    vdelta = math_multiply_f32(vdelta, Q6_V_vsplat_R((int32_t)token->beta));
    vseen = accumulate_exponent(vseen, vdelta);
    HVX_Vector vinfinity = Q6_V_vsplat_R(token->state_is_nan ? 0 : MATH_INFINITY);
    HVX_VectorPred qnan = Q6_Q_vcmp_gt_VwVw(vseen, math_add_constant_i32(vinfinity, -1));

    HVX_Vector vdelta_exponent = math_exponent(vdelta), vzero = Q6_V_vzero();
    HVX_Vector vkept = math_add_constant_i32(Q6_Vuw_vlsr_VuwR(vexponent, 23),
                                             (int32_t)(token->decay >> 23 & 255) - 126);
    HVX_Vector vadded = math_add_constant_i32(Q6_Vuw_vlsr_VuwR(vdelta_exponent, 23), token->k_exponent - 126);
    HVX_Vector vunit = math_add_constant_i32(Q6_Vw_vmax_VwVw(vkept, vadded), 1);
    HVX_Vector vby = math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(vzero, vdelta), math_mantissa_q30(vdelta));
    HVX_Vector vmost = Q6_V_vsplat_R(31), vlast = Q6_V_vsplat_R(255);
    struct update update = {.vdecay = Q6_V_vsplat_R((token->decay & MATH_INFINITY)
                                                        ? (int32_t)((token->decay << 7 & 0x3fffff80) | 0x40000000)
                                                        : 0),
                            .vkept_shift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(vunit, vkept), vmost),
                            .vby = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(vdelta_exponent, vzero), vzero, vby),
                            .vadded_shift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(vunit, vadded), vmost),
                            .vunit = Q6_Vw_vasl_VwR(Q6_Vw_vmin_VwVw(math_add_constant_i32(vunit, -30), vlast), 23),
                            .vexponent = vexponent};
    HVX_Vector vsum = vzero;
    for (uint32_t i = 0; i < n_fours; i += UNROLL) {
        vsum = update_rows(columns, token, &update, i, UNROLL, full, delta_rule, qnan, vsum);
    }
    for (uint32_t i = n_fours; i < n_keys; i++) {
        vsum = update_rows(columns, token, &update, i, 1, full, delta_rule, qnan, vsum);
    }
    HVX_Vector vof_sum = Q6_Vw_vmin_VwVw(math_add_constant_i32(vunit, token->q_exponent + head->headroom - 156), vlast);
    HVX_Vector vresult = math_pack(vsum, Q6_Vw_vasl_VwR(vof_sum, 23));
    HVX_VectorPred qtoo_large = Q6_Q_vcmp_eq_VwVw(math_exponent(vresult), Q6_V_vsplat_R(MATH_INFINITY));
    vresult = Q6_V_vmux_QVV(qtoo_large, vresult, math_multiply_f32(vresult, Q6_V_vsplat_R((int32_t)head->scale)));
    vresult = Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(MATH_NAN), vresult);
    hvx_store_some_u(results, token->result_is_nan ? Q6_V_vsplat_R(MATH_NAN) : vresult, columns->n_bytes);
}

static __attribute__((noinline)) void step_full(const struct ref_delta_head *head, const struct ref_delta_token *token,
                                                const struct columns *columns, const uint8_t *v_row, uint8_t *results) {
    if (head->delta_rule) {
        step(head, token, columns, v_row, results, true, true);
    } else {
        step(head, token, columns, v_row, results, true, false);
    }
}

static __attribute__((noinline)) void step_partial(const struct ref_delta_head *head,
                                                   const struct ref_delta_token *token, const struct columns *columns,
                                                   const uint8_t *v_row, uint8_t *results) {
    if (head->delta_rule) {
        step(head, token, columns, v_row, results, false, true);
    } else {
        step(head, token, columns, v_row, results, false, false);
    }
}

/* Prefetches 32 columns of a head's state: 16 KB for 128 keys, so that what four threads use and prefetch takes 128 KB
 * of the L2 cache. A whole state would take 64 KB per thread. */
HVX_INLINE void fetch_columns(const struct ref_delta_head *head, const uint8_t *columns, bool is_fetching) {
    if (is_fetching) {
        phx_fetch_box(columns, HVX_BYTES, head->n_keys, head->old_step);
    }
}

/* Returns whether the head's state consists of whole vectors, at a distance that a box can have. */
static bool can_fetch(const struct ref_delta_head *head) {
    return head->old_state && head->n_values % HVX_LANES_I32 == 0 && head->old_step > 0 &&
           head->old_step <= PHX_FETCH_MAX;
}

/* Prefetches the head's next columns while it computes some; with the last ones, the first ones of `next`, which may be
 * the head itself. Later tokens read what the first one has written. */
static void run_head(const struct ref_delta_head *head, const struct ref_delta_head *next, uint8_t *work) {
    uint32_t key_bytes = ref_delta_key_bytes(head->n_keys), row_bytes = head->n_values * (uint32_t)sizeof(float);
    struct ref_delta_token token = {.k = (int32_t *)work, .q = (int32_t *)(work + key_bytes)};
    bool is_fetching = can_fetch(head), is_fetching_next = can_fetch(next);
    if (!head->old_state) {
        fetch_columns(next, next->old_state, is_fetching_next);
        return;
    }
    for (uint32_t t = 0; t < head->n_tokens; t++) {
        ref_delta_token_of(head, t, &token);
        token.q_exponent = to_integers(token.q, ref_delta_row(head, 1, t), head->n_keys, head->headroom);
        token.k_exponent = to_integers(token.k, ref_delta_row(head, 2, t), head->n_keys, 0);
        token.state_is_nan |= token.k_exponent == 255;
        token.result_is_nan = token.state_is_nan || token.q_exponent == 255;
        for (uint32_t at = 0; at < row_bytes; at += HVX_BYTES) {
            if (t == 0) {
                bool is_last = at + HVX_BYTES >= row_bytes;
                fetch_columns(head, is_last ? next->old_state : head->old_state + at + HVX_BYTES,
                              is_last ? is_fetching_next : is_fetching);
            }
            struct columns columns = {.old = (t ? head->state : head->old_state) + at,
                                      .old_step = t ? row_bytes : head->old_step,
                                      .state = head->state + at,
                                      .step = row_bytes,
                                      .integers = (HVX_Vector *)(work + 2 * key_bytes),
                                      .n_keys = head->n_keys,
                                      .n_bytes = row_bytes - at};
            if (columns.n_bytes >= HVX_BYTES) {
                step_full(head, &token, &columns, token.v + at, head->results + t * row_bytes + at);
            } else {
                step_partial(head, &token, &columns, token.v + at, head->results + t * row_bytes + at);
            }
        }
    }
}

uint32_t phx_gated_delta_net_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    if (slice->first_row == slice->end_row) {
        return PHX_OK;
    }
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    struct ref_delta_head heads[2], *head = &heads[0], *next = &heads[1];
    uint32_t status = ref_delta_head_of(call, at, head);
    if (status) {
        return status;
    }
    fetch_columns(head, head->old_state, can_fetch(head));
    for (uint32_t row = slice->first_row + 1; row < slice->end_row; row++) {
        phx_next(&call->dst[0]->view, &at);
        status = ref_delta_head_of(call, at, next);
        if (status) {
            return status;
        }
        run_head(head, next, work);
        struct ref_delta_head *done = head;
        head = next;
        next = done;
    }
    run_head(head, head, work);
    return PHX_OK;
}
