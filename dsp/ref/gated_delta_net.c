/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET. For each head, token by token: state *= decay; state += k * (beta * (v - state . k)); result = state
 * . q * scale. Without the delta rule: state += k * (beta * v). docs/math.md, 20.
 */
#include "gated_delta_net.h"

#include "elementwise.h"
#include "math/ref/float32.h"
#include "runtime/libc.h"
#include "slots.h"

REF_DECLARE(exp)
PHX_DECLARE_KERNELS(gated_delta_net)

/* Three calls share its code. */
static __attribute__((noinline)) uint32_t multiply(uint32_t a, uint32_t b) {
    return math_multiply_f32(a, b);
}

/* Sets the states of a head in a table. */
static uint32_t find_states(const struct phx_call *call, struct ref_delta_head *head) {
    const struct phx_operand *table = call->dst[1];
    struct ref_slots slots;
    uint32_t status = ref_slots_of(call->src[0], call->src[6], table->view.ne[2], head->at.i2, &slots);
    if (status) {
        return status;
    }
    if (slots.is_skipped) {
        head->old = NULL;
        memset(head->results, 0, head->n_tokens * head->n_values * sizeof(float));
        return PHX_OK;
    }
    head->old = (const int32_t *)phx_row(table, (struct phx_at){head->at.i1, slots.from, 0});
    head->state = (int32_t *)phx_row(table, (struct phx_at){head->at.i1, slots.to, 0});
    head->old_scales = head->old + head->n_keys * head->n_values;
    head->scales = head->state + head->n_keys * head->n_values;
    return PHX_OK;
}

uint32_t ref_delta_head_of(const struct phx_call *call, struct phx_at at, void *work, struct ref_delta_head *head) {
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
    if (call->dst[1]) {
        return find_states(call, head);
    }
    head->floats = phx_row(state, (struct phx_at){0, at.i1, at.i2});
    head->floats_step = state->view.nb[1];
    head->old = head->state = (int32_t *)head->results + head->n_tokens * head->n_values;
    head->old_scales = head->scales = (int32_t *)((uint8_t *)work + 3 * ref_delta_key_bytes(head->n_keys));
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

/* --- One column of a state --- */

/* How the integers of a column are to be read. */
struct scale {
    int32_t exponent, shift;
};

/* Converts the float32 state of a head to integers. */
static void from_floats(const struct ref_delta_head *head, uint32_t column) {
    int32_t exponent = MATH_ROW_EXPONENT_MIN;
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t of_this = math_exponent(((const uint32_t *)(head->floats + i * head->floats_step))[column]);
        exponent = of_this > exponent ? of_this : exponent;
    }
    for (uint32_t i = 0; i < head->n_keys; i++) {
        uint32_t x = ((const uint32_t *)(head->floats + i * head->floats_step))[column];
        head->state[i * head->n_values + column] = exponent == MATH_INFINITY ? 0 : math_to_i32(x, exponent);
    }
    head->scales[column] = exponent >> 23;
    head->scales[head->n_values + column] = 0;
}

/* A table may have any content. */
static struct scale scale_of(const struct ref_delta_head *head, const int32_t *scales, uint32_t column) {
    int32_t exponent = scales[column];
    return (struct scale){exponent < 0 ? 0 : exponent > 255 ? 255 : exponent, scales[head->n_values + column] & 31};
}

static int32_t shifted(int32_t number, int32_t shift) {
    return shift < 0 ? (int32_t)((uint32_t)number << -shift) : number >> shift;
}

static void to_floats(const struct ref_delta_head *head, uint32_t column) {
    struct scale scale = scale_of(head, head->scales, column);
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t *number = &head->state[i * head->n_values + column];
        uint32_t x = math_pack(shifted(*number, -scale.shift), (scale.exponent - 30) * MATH_EXPONENT_ONE);
        *(uint32_t *)number = scale.exponent == 255 ? MATH_NAN : x;
    }
}

/* Returns what the decayed state has for k. */
static uint32_t known_of(const struct ref_delta_head *head, const struct ref_delta_token *token, const int32_t *old,
                         struct scale scale) {
    uint32_t sum = 0; /* wraps if the column is NaN or the table has no state, as on the DSP */
    for (uint32_t i = 0; i < head->n_keys; i++) {
        int32_t number = shifted(old[i * head->n_values], -scale.shift);
        sum += (uint32_t)math_multiply_q31(number, token->k[i] >> head->headroom);
    }
    int32_t of_sum = ref_delta_exponent(scale.exponent + token->k_exponent + head->headroom - 156);
    return multiply(token->decay, math_pack((int32_t)sum, of_sum * MATH_EXPONENT_ONE));
}

/* Returns what k is multiplied with, beta * (v - known), or NaN or infinity if the column becomes NaN. */
static uint32_t delta_of(const struct ref_delta_head *head, const struct ref_delta_token *token, const int32_t *old,
                         struct scale scale, uint32_t v) {
    if (scale.exponent == 255 || token->state_is_nan) {
        return MATH_NAN;
    }
    if (head->delta_rule) {
        v = math_add_f32(v, known_of(head, token, old, scale) ^ MATH_SIGN);
    }
    return multiply(v, token->beta);
}

/* Updates one column of the state and returns its result. */
static uint32_t step_column(const struct ref_delta_head *head, const struct ref_delta_token *token, const int32_t *old,
                            const int32_t *old_scales, uint32_t column) {
    struct scale scale = scale_of(head, old_scales, column);
    old += column;
    uint32_t delta = delta_of(head, token, old, scale, ((const uint32_t *)token->v)[column]);
    bool is_nan = math_is_special(delta);
    int32_t kept = scale.exponent + (math_exponent(token->decay) >> 23) - 126;
    int32_t added = token->k_exponent + (math_exponent(delta) >> 23) - 126;
    int32_t unit = (kept > added ? kept : added) + 1;
    unit = unit > REF_DELTA_MIN_EXPONENT ? unit : REF_DELTA_MIN_EXPONENT;
    int32_t kept_shift = unit - kept - scale.shift, added_shift = unit - added < 31 ? unit - added : 31;
    kept_shift = kept_shift < 31 ? kept_shift : 31;
    int32_t decay = math_exponent(token->decay) ? math_mantissa_q30(token->decay) : 0;
    int32_t by = math_exponent(delta) ? math_mantissa_q30(delta) : 0;
    by = delta & MATH_SIGN ? -by : by;
    uint32_t result = 0, most = 0; /* the result wraps if q has a NaN or an infinity, and is unused then */
    for (uint32_t i = 0; i < head->n_keys; i++) {
        uint32_t number = 0;
        if (!is_nan) {
            number = (uint32_t)shifted(math_multiply_q31(old[i * head->n_values], decay), kept_shift) +
                     (uint32_t)(math_multiply_q31(token->k[i], by) >> added_shift);
        }
        uint32_t magnitude = number & MATH_SIGN ? -number : number;
        most |= magnitude < MATH_SIGN ? magnitude : MATH_MAGNITUDE;
        head->state[i * head->n_values + column] = (int32_t)number;
        result += (uint32_t)math_multiply_q31((int32_t)number, token->q[i]);
    }
    int32_t shift = most ? __builtin_clz(most) - 1 : 31;
    shift = shift < unit - REF_DELTA_MIN_EXPONENT ? shift : unit - REF_DELTA_MIN_EXPONENT;
    head->scales[column] = is_nan ? 255 : ref_delta_exponent(unit - shift);
    head->scales[head->n_values + column] = is_nan ? 0 : shift;
    if (is_nan) {
        return MATH_NAN;
    }
    int32_t of_sum = ref_delta_exponent(unit + token->q_exponent + head->headroom - 156);
    return multiply(math_pack((int32_t)result, of_sum * MATH_EXPONENT_ONE), head->scale);
}

static void step(const struct ref_delta_head *head, uint32_t number, struct ref_delta_token *token) {
    uint32_t *results = (uint32_t *)head->results + number * head->n_values;
    ref_delta_token_of(head, number, token);
    token->q_exponent = to_integers(token->q, (const uint32_t *)ref_delta_row(head, 1, number), head->n_keys);
    token->k_exponent = to_integers(token->k, (const uint32_t *)ref_delta_row(head, 2, number), head->n_keys);
    token->state_is_nan |= token->k_exponent == 255;
    token->result_is_nan = token->state_is_nan || token->q_exponent == 255;
    for (uint32_t i = 0; i < head->n_keys && !token->result_is_nan; i++) {
        token->q[i] >>= head->headroom;
    }
    for (uint32_t i = 0; i < head->n_values; i++) {
        uint32_t result = step_column(head, token, number ? head->state : head->old,
                                      number ? head->scales : head->old_scales, i);
        results[i] = token->result_is_nan ? MATH_NAN : result;
    }
}

uint32_t phx_gated_delta_net_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_delta_head head;
        uint32_t status = ref_delta_head_of(call, at, work, &head);
        if (status) {
            return status;
        }
        struct ref_delta_token token = {.k = work,
                                        .q = (int32_t *)((uint8_t *)work + ref_delta_key_bytes(head.n_keys))};
        for (uint32_t i = 0; head.floats && i < head.n_values; i++) {
            from_floats(&head, i);
        }
        for (uint32_t t = 0; head.old && t < head.n_tokens; t++) {
            step(&head, t, &token);
        }
        for (uint32_t i = 0; head.floats && i < head.n_values; i++) {
            to_floats(&head, i);
        }
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
