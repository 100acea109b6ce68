/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET. For each head, token by token: state *= decay; state += k * (beta * (v - state . k)); result = state
 * . q * scale. Without the delta rule: state += k * (beta * v). docs/math.md, 20.
 */
#include "gated_delta_net.h"

#include "elementwise.h"
#include "math/ref/float32.h"
#include "runtime/libc.h"

/* The host may change ids at any time. */
static int32_t slot_of(const struct phx_operand *slots, uint32_t sequence) {
    return *(const volatile int32_t *)(slots->data + sequence * slots->view.nb[0]);
}

/* Sets the states of a head in a table. */
static uint32_t find_states(const struct phx_call *call, struct ref_delta_head *head) {
    const struct phx_operand *reads = call->src[0], *writes = call->src[6], *table = call->dst[1];
    uint32_t sequence = head->at.i2, n_slots = table->view.ne[2];
    int32_t from = slot_of(reads, sequence), to = slot_of(writes, sequence);
    if (from < 0 || to < 0) {
        head->old_state = NULL;
        memset(head->results, 0, head->n_tokens * head->old_step);
        return PHX_OK;
    }
    bool is_shared = false;
    for (uint32_t i = 0; i < reads->view.ne[0]; i++) {
        is_shared |= i != sequence && (slot_of(reads, i) == to || slot_of(writes, i) == to);
    }
    if (is_shared || (uint32_t)from >= n_slots || (uint32_t)to >= n_slots) {
        return PHX_E_INDEX;
    }
    head->old_state = phx_row(table, (struct phx_at){head->at.i1, (uint32_t)from, 0});
    head->state = phx_row(table, (struct phx_at){head->at.i1, (uint32_t)to, 0});
    return PHX_OK;
}

uint32_t ref_delta_head_of(const struct phx_call *call, struct phx_at at, struct ref_delta_head *head) {
    const struct phx_operand *state = call->src[0];
    /* Rows of dst are heads: at.i1 is the head, at.i2 the sequence. */
    *head = (struct ref_delta_head){.n_values = call->src[3]->view.ne[0],
                                    .n_keys = call->src[2]->view.ne[0],
                                    .n_tokens = call->src[3]->view.ne[1],
                                    .scale = *(const uint32_t *)call->params,
                                    .delta_rule = ((const struct phx_gated_delta_net_params *)call->params)->delta_rule,
                                    .call = call,
                                    .at = at,
                                    .results = phx_row(call->dst[0], at)};
    head->headroom = head->n_keys > 1 ? 32 - __builtin_clz(head->n_keys - 1) : 0;
    head->old_step = head->n_values * (uint32_t)sizeof(float);
    if (call->dst[1]) {
        return find_states(call, head);
    }
    head->old_state = phx_row(state, (struct phx_at){0, at.i1, at.i2});
    head->state = head->results + head->n_tokens * head->old_step;
    head->old_step = state->view.nb[1];
    return PHX_OK;
}

void ref_delta_token_of(const struct ref_delta_head *head, uint32_t number, struct ref_delta_token *token) {
    token->decay = ref_exp(*(const uint32_t *)ref_delta_row(head, 4, number), 0, NULL);
    token->beta = *(const uint32_t *)ref_delta_row(head, 5, number);
    token->v = ref_delta_row(head, 3, number);
    token->state_is_nan = math_is_special(token->decay) || math_is_special(token->beta);
    token->result_is_nan = token->state_is_nan;
}

/* Converts to integers relative to the largest magnitude. Returns its exponent, or that of infinity if there is a NaN
 * or an infinity. */
static int32_t to_integers(int32_t *to, const uint32_t *from, uint32_t n) {
    int32_t exponent = MATH_ROW_EXPONENT_MIN;
    for (uint32_t i = 0; i < n; i++) {
        exponent = math_exponent(from[i]) > exponent ? math_exponent(from[i]) : exponent;
    }
    for (uint32_t i = 0; i < n && exponent < MATH_INFINITY; i++) {
        to[i] = math_to_i32(from[i], exponent);
    }
    return exponent >> 23;
}

/* Returns what the decayed state has for k, in one column. */
static uint32_t known_of(const struct ref_delta_head *head, const struct ref_delta_token *token, const uint8_t *old,
                         uint32_t step, uint32_t column, int32_t exponent) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t number = math_to_i32(((const uint32_t *)(old + i * step))[column], exponent);
        sum += math_multiply_q31(number, token->k[i] >> head->headroom);
    }
    int32_t of_sum = ref_delta_exponent((exponent >> 23) + token->k_exponent + head->headroom - 156);
    return math_multiply_f32(token->decay, math_pack(sum, of_sum * MATH_EXPONENT_ONE));
}

static void fill_nan(const struct ref_delta_head *head, uint32_t column) {
    for (uint32_t i = 0; i < head->n_keys; i++) {
        ((uint32_t *)head->state)[i * head->n_values + column] = MATH_NAN;
    }
}

/* Updates one column of the state and returns its result. The rows of the old state are `step` bytes apart. */
static uint32_t step_column(const struct ref_delta_head *head, const struct ref_delta_token *token, const uint8_t *old,
                            uint32_t step, uint32_t column) {
    int32_t exponent = MATH_ROW_EXPONENT_MIN;
    uint32_t *state = (uint32_t *)head->state + column, v = ((const uint32_t *)token->v)[column];
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t of_this = math_exponent(((const uint32_t *)(old + i * step))[column]);
        exponent = of_this > exponent ? of_this : exponent;
    }
    if (exponent == MATH_INFINITY || token->state_is_nan) {
        fill_nan(head, column);
        return MATH_NAN;
    }
    if (head->delta_rule) {
        v = math_add_f32(v, known_of(head, token, old, step, column, exponent) ^ MATH_SIGN);
    }
    uint32_t delta = math_multiply_f32(v, token->beta);
    if (math_is_special(delta)) {
        fill_nan(head, column);
        return MATH_NAN;
    }
    int32_t kept = (exponent >> 23) + (math_exponent(token->decay) >> 23) - 126;
    int32_t added = token->k_exponent + (math_exponent(delta) >> 23) - 126;
    int32_t unit = (kept > added ? kept : added) + 1;
    int32_t kept_shift = unit - kept < 31 ? unit - kept : 31, added_shift = unit - added < 31 ? unit - added : 31;
    int32_t decay = math_exponent(token->decay) ? math_mantissa_q30(token->decay) : 0;
    int32_t by = math_exponent(delta) ? math_mantissa_q30(delta) : 0;
    by = delta & MATH_SIGN ? -by : by;
    uint32_t result = 0; /* wraps if q has a NaN or an infinity, and is unused then */
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t number = math_to_i32(((const uint32_t *)(old + i * step))[column], exponent);
        number = (math_multiply_q31(number, decay) >> kept_shift) + (math_multiply_q31(token->k[i], by) >> added_shift);
        state[i * head->n_values] = math_pack(number, ref_delta_exponent(unit - 30) * MATH_EXPONENT_ONE);
        result += (uint32_t)math_multiply_q31(number, token->q[i]);
    }
    int32_t of_sum = ref_delta_exponent(unit + token->q_exponent + head->headroom - 156);
    return math_multiply_f32(math_pack((int32_t)result, of_sum * MATH_EXPONENT_ONE), head->scale);
}

uint32_t phx_gated_delta_net_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_delta_head head;
        struct ref_delta_token token = {.k = work};
        uint32_t status = ref_delta_head_of(call, at, &head);
        if (status) {
            return status;
        }
        token.q = (int32_t *)((uint8_t *)work + ref_delta_key_bytes(head.n_keys));
        for (uint32_t t = 0; head.old_state && t < head.n_tokens; t++) {
            const uint8_t *old = t ? head.state : head.old_state;
            uint32_t step = t ? head.n_values * (uint32_t)sizeof(float) : head.old_step;
            uint32_t *results = (uint32_t *)head.results + t * head.n_values;
            ref_delta_token_of(&head, t, &token);
            token.q_exponent = to_integers(token.q, (const uint32_t *)ref_delta_row(&head, 1, t), head.n_keys);
            token.k_exponent = to_integers(token.k, (const uint32_t *)ref_delta_row(&head, 2, t), head.n_keys);
            token.state_is_nan |= token.k_exponent == 255;
            token.result_is_nan = token.state_is_nan || token.q_exponent == 255;
            for (uint32_t i = 0; i < head.n_keys && !token.result_is_nan; i++) {
                token.q[i] >>= head.headroom;
            }
            for (uint32_t i = 0; i < head.n_values; i++) {
                uint32_t result = step_column(&head, &token, old, step, i);
                results[i] = token.result_is_nan ? MATH_NAN : result;
            }
        }
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
