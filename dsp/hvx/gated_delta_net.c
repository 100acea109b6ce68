/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET in HVX (reference: dsp/ref/gated_delta_net.c): 64 columns of the state at a time, two vectors, so that
 * they share the splats of k and q; 32 where there are fewer, or where they are not aligned. Lanes are independent.
 */
#include "ref/gated_delta_net.h"

#include "delta_rows.h"
#include "rows.h"
#include "runtime/fetch.h"

PHX_DECLARE_KERNELS(gated_delta_net)

HVX_INLINE HVX_Vector to_integer(HVX_Vector v, HVX_Vector vexponent, int32_t shift) {
    return Q6_Vw_vasr_VwR(math_to_i32(v, vexponent), shift);
}

static int32_t to_integers(int32_t *to, const uint8_t *from, uint32_t n, int32_t shift) {
    struct span span = span_of(from, n);
    HVX_Vector *v = (HVX_Vector *)to;
    int32_t largest = find_largest(span), exponent = row_exponent(largest);
    if (largest >= MATH_INFINITY) {
        return 255;
    }
    HVX_Vector vexponent = Q6_V_vsplat_R(exponent);
    uint32_t at = 0;
    for (; at + UNROLL <= span.n_vectors; at += UNROLL) {
        HVX_Vector all[UNROLL];
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLL; i++) {
            all[i] = to_integer(hvx_load_u(from + (at + i) * HVX_BYTES), vexponent, shift);
        }
        HVX_UNROLL
        for (uint32_t i = 0; i < UNROLL; i++) {
            v[at + i] = all[i];
        }
    }
    PHX_KEEP_ROLLED
    for (; at < span.n_vectors; at++) {
        v[at] = to_integer(hvx_load_u(from + at * HVX_BYTES), vexponent, shift);
    }
    if (span.n_bytes) {
        v[at] = to_integer(load_remainder(span), vexponent, shift);
    }
    return exponent >> 23;
}

/* ref_delta_exponent() on exponents in bits 23..30. */
HVX_INLINE HVX_Vector exponents(HVX_Vector vexponent, int32_t more) {
    HVX_Vector v = Q6_Vw_vadd_VwVw_sat(vexponent, Q6_V_vsplat_R(more * MATH_EXPONENT_ONE));
    return Q6_Vw_vmin_VwVw(v, Q6_V_vsplat_R(255 * MATH_EXPONENT_ONE));
}

/* --- A state that is in no table --- */

static __attribute__((noinline)) void from_floats(const struct columns *columns, const uint8_t *floats,
                                                  uint32_t floats_step) {
    HVX_Vector vexponent = Q6_V_vsplat_R(MATH_ROW_EXPONENT_MIN), vinfinity = Q6_V_vsplat_R(MATH_INFINITY);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < columns->n_keys; i++) {
        HVX_Vector v = hvx_load_some_u(floats + i * floats_step, columns->n_bytes);
        vexponent = Q6_Vw_vmax_VwVw(vexponent, math_exponent(v));
    }
    HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(vexponent, vinfinity);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < columns->n_keys; i++) {
        HVX_Vector v = math_to_i32(hvx_load_some_u(floats + i * floats_step, columns->n_bytes), vexponent);
        v = Q6_V_vmux_QVV(qspecial, Q6_V_vzero(), v);
        hvx_store_some_u(columns->state + i * columns->step, v, columns->n_bytes);
    }
    hvx_store_some_u(columns->scales, Q6_Vuw_vlsr_VuwR(vexponent, 23), columns->n_bytes);
    hvx_store_some_u(columns->scales + columns->step, Q6_V_vzero(), columns->n_bytes);
}

static void to_floats(const struct columns *columns) {
    HVX_Vector vexponent = hvx_load_some_u(columns->scales, columns->n_bytes);
    HVX_Vector vshift = hvx_load_some_u(columns->scales + columns->step, columns->n_bytes);
    HVX_VectorPred qnan = Q6_Q_vcmp_eq_VwVw(vexponent, Q6_V_vsplat_R(255));
    HVX_Vector vunit = Q6_Vw_vasl_VwR(math_add_constant_i32(vexponent, -30), 23);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < columns->n_keys; i++) {
        uint8_t *p = columns->state + i * columns->step;
        HVX_Vector v = math_pack(Q6_Vw_vasl_VwVw(hvx_load_some_u(p, columns->n_bytes), vshift), vunit);
        hvx_store_some_u(p, Q6_V_vmux_QVV(qnan, Q6_V_vsplat_R(MATH_NAN), v), columns->n_bytes);
    }
}

/* --- A token. Each function processes n vectors of columns, a compile-time constant. --- */

HVX_INLINE void see(struct vector *one, HVX_Vector v) {
    one->vseen = Q6_Vw_vmax_VwVw(one->vseen, math_exponent(v));
}

/* Subtracts from v what the decayed state has for k. */
HVX_INLINE void subtract_known(const struct ref_delta_head *head, const struct ref_delta_token *token,
                               const struct columns *columns, const struct keys *keys, struct vector *vectors,
                               uint32_t n) {
    for_all_rows(columns, keys, vectors, n, false);
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j++) {
        struct vector *one = &vectors[j];
        HVX_Vector vexponent = Q6_Vw_vasl_VwR(one->vexponent, 23);
        HVX_Vector vknown = math_pack(one->vsum, exponents(vexponent, token->k_exponent + head->headroom - 156));
        see(one, vknown);
        vknown = math_multiply_f32(Q6_V_vsplat_R((int32_t)token->decay), vknown);
        see(one, vknown);
        one->vdelta = math_add_f32(one->vdelta, Q6_V_vxor_VV(vknown, Q6_V_vsplat_R((int32_t)MATH_SIGN)));
        see(one, one->vdelta);
    }
}

HVX_INLINE void load_vector(const struct columns *columns, const uint8_t *v_row, uint32_t j, struct vector *one,
                            uint32_t n) {
    const uint8_t *scales = columns->old_scales + j * HVX_BYTES;
    HVX_Vector vexponent = load_numbers(scales, columns->n_bytes, n);
    HVX_Vector vshift = load_numbers(scales + columns->step, columns->n_bytes, n);
    one->vexponent = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(vexponent, Q6_V_vzero()), Q6_V_vsplat_R(255));
    one->vshift = Q6_V_vand_VV(vshift, Q6_V_vsplat_R(31));
    one->vdelta = hvx_load_some_u(v_row + j * HVX_BYTES, columns->n_bytes);
    one->vseen = Q6_Vw_vasl_VwR(one->vexponent, 23);
    one->vsum = one->vmost = Q6_V_vzero();
    see(one, one->vdelta);
}

/* Computes what the rows are updated with from v, or v less what is known. */
HVX_INLINE void prepare_update(const struct ref_delta_token *token, struct vector *one) {
    HVX_Vector vzero = Q6_V_vzero(), vlimit = Q6_V_vsplat_R(31);
    HVX_Vector vdelta = math_multiply_f32(one->vdelta, Q6_V_vsplat_R((int32_t)token->beta));
    HVX_Vector vdelta_exponent = math_exponent(vdelta);
    see(one, vdelta);
    HVX_Vector vinfinity = Q6_V_vsplat_R(token->state_is_nan ? 0 : MATH_INFINITY);
    one->qnan = Q6_Q_vcmp_gt_VwVw(one->vseen, math_add_constant_i32(vinfinity, -1));
    HVX_Vector vkept = math_add_constant_i32(one->vexponent, (int32_t)(token->decay >> 23 & 255) - 126);
    HVX_Vector vadded = math_add_constant_i32(Q6_Vuw_vlsr_VuwR(vdelta_exponent, 23), token->k_exponent - 126);
    HVX_Vector vunit = math_add_constant_i32(Q6_Vw_vmax_VwVw(vkept, vadded), 1);
    vunit = Q6_Vw_vmax_VwVw(vunit, Q6_V_vsplat_R(REF_DELTA_MIN_EXPONENT));
    HVX_Vector vby = math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(vzero, vdelta), math_mantissa_q30(vdelta));
    vby = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(vdelta_exponent, vzero), vzero, vby);
    HVX_Vector vdecay = Q6_V_vsplat_R(
        (token->decay & MATH_INFINITY) ? (int32_t)((token->decay << 7 & 0x3fffff80) | 0x40000000) : 0);
    HVX_Vector vkept_shift = Q6_Vw_vsub_VwVw(Q6_Vw_vsub_VwVw(vunit, vkept), one->vshift);
    one->vunit = vunit;
    one->vdecay = Q6_V_vmux_QVV(one->qnan, vzero, vdecay);
    one->vkept_shift = Q6_Vw_vmin_VwVw(vkept_shift, vlimit);
    one->vby = Q6_V_vmux_QVV(one->qnan, vzero, vby);
    one->vadded_shift = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(vunit, vadded), vlimit);
    one->vsum = vzero;
}

HVX_INLINE void store_scales(const struct columns *columns, uint32_t j, const struct vector *one, uint32_t n) {
    HVX_Vector vlast = Q6_V_vsplat_R(255), vleast = Q6_V_vsplat_R(REF_DELTA_MIN_EXPONENT);
    HVX_Vector vshift = math_add_constant_i32(Q6_Vuw_vcl0_Vuw(one->vmost), -1);
    vshift = Q6_Vw_vmin_VwVw(vshift, Q6_Vw_vsub_VwVw(one->vunit, vleast));
    HVX_Vector vexponent = Q6_Vw_vmin_VwVw(Q6_Vw_vsub_VwVw(one->vunit, vshift), vlast);
    uint8_t *scales = columns->scales + j * HVX_BYTES;
    store_numbers(scales, Q6_V_vmux_QVV(one->qnan, vlast, vexponent), columns->n_bytes, n);
    store_numbers(scales + columns->step, Q6_V_vmux_QVV(one->qnan, Q6_V_vzero(), vshift), columns->n_bytes, n);
}

HVX_INLINE HVX_Vector result_of(const struct ref_delta_head *head, const struct ref_delta_token *token,
                                const struct vector *one) {
    HVX_Vector vof_sum = math_add_constant_i32(one->vunit, token->q_exponent + head->headroom - 156);
    vof_sum = Q6_Vw_vmin_VwVw(vof_sum, Q6_V_vsplat_R(255));
    HVX_Vector v = math_pack(one->vsum, Q6_Vw_vasl_VwR(vof_sum, 23)), vnan = Q6_V_vsplat_R(MATH_NAN);
    HVX_VectorPred qtoo_large = Q6_Q_vcmp_eq_VwVw(math_exponent(v), Q6_V_vsplat_R(MATH_INFINITY));
    v = Q6_V_vmux_QVV(qtoo_large, v, math_multiply_f32(v, Q6_V_vsplat_R((int32_t)head->scale)));
    return token->result_is_nan ? vnan : Q6_V_vmux_QVV(one->qnan, vnan, v);
}

HVX_INLINE void step(const struct ref_delta_head *head, const struct ref_delta_token *token,
                     const struct columns *all_columns, const struct keys *all_keys, const uint8_t *v_row,
                     uint8_t *results, uint32_t n, bool delta_rule) {
    const struct columns own_columns = *all_columns,
                         *columns = &own_columns; /* in registers: stores cannot change it */
    const struct keys own_keys = *all_keys, *keys = &own_keys;
    struct vector vectors[PAIR];
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j++) {
        load_vector(columns, v_row, j, &vectors[j], n);
    }
    if (delta_rule) {
        subtract_known(head, token, columns, keys, vectors, n);
    }
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j++) {
        prepare_update(token, &vectors[j]);
    }
    for_all_rows(columns, keys, vectors, n, true);
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j++) {
        store_scales(columns, j, &vectors[j], n);
        hvx_store_some_u(results + j * HVX_BYTES, result_of(head, token, &vectors[j]), columns->n_bytes);
    }
}

static __attribute__((noinline)) void step_pair(const struct ref_delta_head *head, const struct ref_delta_token *token,
                                                const struct columns *columns, const struct keys *keys,
                                                const uint8_t *v_row, uint8_t *results) {
    if (head->delta_rule) { /* one function for both takes two packets more for each row */
        step(head, token, columns, keys, v_row, results, PAIR, true);
    } else {
        step(head, token, columns, keys, v_row, results, PAIR, false);
    }
}

static __attribute__((noinline)) void step_single(const struct ref_delta_head *head,
                                                  const struct ref_delta_token *token, const struct columns *columns,
                                                  const struct keys *keys, const uint8_t *v_row, uint8_t *results) {
    step(head, token, columns, keys, v_row, results, 1, head->delta_rule);
}

/* --- A head --- */

/* Returns whether rows of the state consist of whole vectors, at distances that a box can have. */
static bool has_vectors(const struct ref_delta_head *head) {
    return head->old && head->n_values % HVX_LANES_I32 == 0 && head->n_values * sizeof(float) <= PHX_FETCH_MAX &&
           head->floats_step <= PHX_FETCH_MAX;
}

/* Prefetches columns of the old state: 32 KB for 64 columns and 128 keys, so that what four threads use and prefetch
 * takes 256 KB of the L2 cache. A whole state would take 64 KB per thread. */
static void fetch_columns(const struct ref_delta_head *head, uint32_t at) {
    uint32_t row_bytes = head->n_values * (uint32_t)sizeof(float);
    if (at < row_bytes && has_vectors(head)) {
        phx_fetch_box((head->floats ? head->floats : (const uint8_t *)head->old) + at,
                      row_bytes - at < PAIR * HVX_BYTES ? HVX_BYTES : PAIR * HVX_BYTES,
                      head->n_keys + (head->floats ? 0 : REF_DELTA_SCALE_ROWS),
                      head->floats ? head->floats_step : row_bytes);
    }
}

/* Returns the columns from byte `at` of each row on, as token number t finds them. */
static struct columns columns_of(const struct ref_delta_head *head, uint32_t t, uint32_t at) {
    uint32_t row_bytes = head->n_values * (uint32_t)sizeof(float);
    return (struct columns){.old = (const uint8_t *)(t ? head->state : head->old) + at,
                            .old_scales = (const uint8_t *)(t ? head->scales : head->old_scales) + at,
                            .state = (uint8_t *)head->state + at,
                            .scales = (uint8_t *)head->scales + at,
                            .step = row_bytes,
                            .n_keys = head->n_keys,
                            .n_bytes = row_bytes - at};
}

/* Reads token number t. */
static void read_token(const struct ref_delta_head *head, uint32_t t, struct ref_delta_token *token,
                       const struct keys *keys) {
    ref_delta_token_of(head, t, token);
    token->q_exponent = to_integers(token->q, ref_delta_row(head, 1, t), head->n_keys, head->headroom);
    token->k_exponent = to_integers(token->k, ref_delta_row(head, 2, t), head->n_keys, 0);
    token->state_is_nan |= token->k_exponent == 255;
    token->result_is_nan = token->state_is_nan || token->q_exponent == 255;
    const HVX_Vector *from = (const HVX_Vector *)token->k;
    HVX_Vector *to = (HVX_Vector *)keys->shifted_k;
    for (uint32_t i = 0; i < ref_delta_key_bytes(head->n_keys) / HVX_BYTES; i++) {
        to[i] = Q6_Vw_vasr_VwR(from[i], head->headroom);
    }
}

/* Prefetches the head's next columns while it computes some; with the last ones, the first ones of `next`, which may be
 * the head itself. Later tokens read what the first one has written. */
static void run_tokens(const struct ref_delta_head *head, const struct ref_delta_head *next, uint8_t *work) {
    uint32_t key_bytes = ref_delta_key_bytes(head->n_keys), row_bytes = head->n_values * (uint32_t)sizeof(float);
    struct ref_delta_token token = {.k = (int32_t *)work, .q = (int32_t *)(work + key_bytes)};
    struct keys keys = {token.k, (int32_t *)(work + 2 * key_bytes), token.q};
    bool is_aligned_state = has_vectors(head) && is_aligned(head->old) && is_aligned(head->state);
    for (uint32_t t = 0; t < head->n_tokens; t++) {
        read_token(head, t, &token, &keys);
        for (uint32_t at = 0, n_bytes; at < row_bytes; at += n_bytes) {
            bool is_pair = is_aligned_state && row_bytes - at >= PAIR * HVX_BYTES;
            n_bytes = is_pair ? PAIR * HVX_BYTES : HVX_BYTES;
            if (t == 0 && at + n_bytes >= row_bytes) {
                fetch_columns(next, 0);
            } else if (t == 0 && !head->floats) {
                fetch_columns(head, at + n_bytes);
            }
            struct columns columns = columns_of(head, t, at);
            (is_pair ? step_pair : step_single)(head, &token, &columns, &keys, token.v + at,
                                                head->results + t * row_bytes + at);
        }
    }
}

static void run_head(const struct ref_delta_head *head, const struct ref_delta_head *next, uint8_t *work) {
    uint32_t row_bytes = head->n_values * (uint32_t)sizeof(float);
    if (!head->old) {
        fetch_columns(next, 0);
        return;
    }
    for (uint32_t at = 0; head->floats && at < row_bytes; at += HVX_BYTES) {
        struct columns columns = columns_of(head, 0, at);
        if (at % (PAIR * HVX_BYTES) == 0) {
            fetch_columns(head, at + PAIR * HVX_BYTES);
        }
        from_floats(&columns, head->floats + at, head->floats_step);
    }
    run_tokens(head, next, work);
    for (uint32_t at = 0; head->floats && at < row_bytes; at += HVX_BYTES) {
        struct columns columns = columns_of(head, 0, at);
        to_floats(&columns);
    }
}

uint32_t phx_gated_delta_net_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    if (slice->first_row == slice->end_row) {
        return PHX_OK;
    }
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    struct ref_delta_head heads[2], *head = &heads[0], *next = &heads[1];
    uint32_t status = ref_delta_head_of(call, at, work, head);
    if (status) {
        return status;
    }
    fetch_columns(head, 0);
    for (uint32_t row = slice->first_row + 1; row < slice->end_row; row++) {
        phx_next(&call->dst[0]->view, &at);
        status = ref_delta_head_of(call, at, work, next);
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
