/* SPDX-License-Identifier: MIT
 *
 * ROPE: rotates pairs of elements by an angle proportional to a position: docs/math.md, ROPE.
 */
#include "rope.h"

#include "math/ref/float32.h"
#include "math/ref/sine_cosine.h"
#include "runtime/libc.h"

PHX_DECLARE_KERNELS(rope)

struct ref_rope ref_rope_of(const struct phx_call *call) {
    const struct phx_rope_params *params = call->params;
    uint32_t n_pairs = call->src[2]->view.ne[0], scale;
    bool is_neox = params->mode == PHX_ROPE_NEOX;
    memcpy(&scale, &params->scale, sizeof scale);
    int64_t limit = (int64_t)(252 + 127) * MATH_EXPONENT_ONE - math_exponent(scale);
    return (struct ref_rope){
        .positions = call->src[1],
        .turns = call->src[2],
        .n_positions = call->src[1]->view.ne[0],
        .n_pairs = n_pairs,
        .second = is_neox ? n_pairs : 1,
        .next = is_neox ? 1 : 2,
        .scale = math_mantissa_q30(scale),
        .limit = (int32_t)(limit < MATH_INFINITY ? limit : MATH_INFINITY),
        .unit = math_exponent(scale) - (127 + 28) * MATH_EXPONENT_ONE, /* numbers at a row exponent are Q28 */
    };
}

/* Returns a word of the table of turns. */
static uint32_t turns_at(const struct ref_rope *rope, uint32_t row, uint32_t pair) {
    return ((const uint32_t *)(rope->turns->data + row * rope->turns->view.nb[1]))[pair];
}

/* Computes sine and cosine of a pair, times the scale's mantissa, in Q29. */
static void rotation_of(const struct ref_rope *rope, const uint8_t *positions, uint32_t pair, int32_t *sine,
                        int32_t *cosine) {
    uint32_t phase = 0;
    for (uint32_t i = 0; i < rope->n_positions; i++) {
        uint32_t high = turns_at(rope, 2 * i, pair), low = turns_at(rope, 2 * i + 1, pair) & MATH_MAGNITUDE;
        int32_t position = *(const int32_t *)(positions + i * rope->positions->view.nb[0]);
        phase += high * (uint32_t)position + (uint32_t)math_multiply_q31((int32_t)low, position);
    }
    math_sine_cosine_q30(phase, sine, cosine);
    *sine = math_multiply_q31(*sine, rope->scale);
    *cosine = math_multiply_q31(*cosine, rope->scale);
}

/* Returns x * factor if the pair has NaN or infinity; finite products count as 0. */
static uint32_t special_product(uint32_t x, int32_t factor) {
    uint32_t one = factor == 0 ? 0 : ((uint32_t)factor & MATH_SIGN) | 0x3f800000;
    return math_is_special(x) ? math_multiply_special(x, one) : 0;
}

static void rotate_special(uint32_t *dst, const uint32_t *x, uint32_t second, int32_t sine, int32_t cosine) {
    uint32_t a = x[0], b = x[second];
    dst[0] = math_add_special(special_product(a, cosine), special_product(b, -sine));
    dst[second] = math_add_special(special_product(a, sine), special_product(b, cosine));
}

static void rotate(uint32_t *dst, const uint32_t *x, const struct ref_rope *rope, int32_t sine, int32_t cosine) {
    uint32_t a = x[0], b = x[rope->second];
    int32_t exponent = math_exponent(a) > math_exponent(b) ? math_exponent(a) : math_exponent(b);
    exponent = exponent > REF_ROPE_EXPONENT_MIN ? exponent : REF_ROPE_EXPONENT_MIN;
    int32_t ia = math_to_i32(a, exponent), ib = math_to_i32(b, exponent);
    dst[0] = math_pack(math_multiply_q31(ia, cosine) - math_multiply_q31(ib, sine), exponent + rope->unit);
    dst[rope->second] = math_pack(math_multiply_q31(ia, sine) + math_multiply_q31(ib, cosine), exponent + rope->unit);
}

void ref_rope_row(const struct ref_rope *rope, uint32_t *dst, const uint32_t *x, const uint8_t *positions) {
    for (uint32_t pair = 0; pair < rope->n_pairs; pair++) {
        uint32_t first = pair * rope->next;
        int32_t sine, cosine;
        rotation_of(rope, positions, pair, &sine, &cosine);
        if (math_is_special(x[first]) || math_is_special(x[first + rope->second])) {
            rotate_special(dst + first, x + first, rope->second, sine, cosine);
        } else {
            rotate(dst + first, x + first, rope, sine, cosine);
        }
    }
}

uint32_t phx_rope_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0];
    struct ref_rope rope = ref_rope_of(call);
    uint32_t n_rotated = 2 * rope.n_pairs;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *x = (const uint32_t *)phx_row(call->src[0], at);
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        ref_rope_row(&rope, to, x, phx_row(rope.positions, at));
        if (to != x) {
            memcpy(to + n_rotated, x + n_rotated, (dst->view.ne[0] - n_rotated) * sizeof(float));
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
