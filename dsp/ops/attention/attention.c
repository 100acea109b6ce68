/* SPDX-License-Identifier: MIT */
#include "attention.h"

#include "math/ref/exp2.h"
#include "math/ref/float32.h"
#include "math/ref/reciprocal.h"
#include "runtime/libc.h"

const struct phx_attention_kernel *phx_attention_kernel(uint32_t kernels) {
#ifdef PHX_HVX
    if (kernels >= PHX_KERNELS_HVX) {
        return &phx_attention_hvx;
    }
#else
    (void)kernels;
#endif
    return &phx_attention_ref;
}

/* The fixed-point units of a cache type. */
struct kind {
    int32_t unit;     /* log2(e) times the product of a key code's and q's unit, a mantissa in Q30 */
    int32_t exponent; /* of logits, before subtracting the exponent of the scale */
    int32_t tiles_log2, factor, result_exponent;
};

/* Returns the units of a cache's type.
 * Q8_0: a sum is of (q * scale * 2^(E - 141) / 127) * (k * scale * 2^(e - 140) / 127), and was shifted right by 4 + 15
 * bits: times log2(e) / 127^2 = 1573541463 / 2^44, that is 2^(E + e - 262) powers of two. Logits are Q16. Results are
 * 64 / 127 of sums.
 * Q4_0: likewise with (k * scale * 2^(e - 140) / 8), shifted by 15 bits: times log2(e) / (127 * 8) = 1561279501 / 2^40.
 * Results are 1 / 2 of sums.
 * F16: a sum is of (q * 2^(E - 140)) * (k * 2^(e - 141)), shifted right by 8 - up bits: times log2(e), that is 2^(E + e
 * - 273 - up). Results are 1 / 2 of sums. */
static struct kind kind_of(const struct phx_cache *cache) {
    if (cache->dtype == PHX_F16) {
        return (struct kind){PHX_LOG2E_Q30, 397 + phx_halves_up(cache->n_blocks), 2, 1 << 30, -34};
    }
    if (cache->dtype == PHX_Q4_0) {
        return (struct kind){1561279501, 400 - phx_codes_down(cache->n_blocks), 8, 1 << 30, 99};
    }
    return (struct kind){1573541463, 400 - phx_codes_down(cache->n_blocks), 8, 1082196484, 99};
}

void phx_attention_set_scale(struct phx_attention *op, float scale) {
    uint32_t bits;
    memcpy(&bits, &scale, sizeof(bits));
    struct kind kind = kind_of(&op->cache);
    int32_t product = math_multiply_q31(math_mantissa_q30(bits), kind.unit); /* Q29, 1 up to 4 */
    int32_t more = product >= 1 << 30 ? 16 : 15, exponent = math_exponent(bits) >> 23;
    int32_t multiplier = (product + (1 << (more - 1))) >> more; /* 15 bits */
    op->multiplier = exponent == 0 ? 0 : multiplier < INT16_MAX ? multiplier : INT16_MAX;
    op->logit_shift = kind.exponent - exponent - more;
    op->tiles_log2 = kind.tiles_log2;
    op->factor = kind.factor;
    op->exponent = kind.result_exponent;
}

void phx_attention_set_fetching(struct phx_attention *op, bool is_fetching) {
    /* behind the keys is what pass 2 reads: the sizes and scales of values */
    op->key_vectors = is_fetching ? op->cache.tile_bytes / PHX_VECTOR + 1 + op->cache.n_blocks : 0;
}

/* Sets the logit softcap. t = 2 * logit / cap in Q23 is (2 * logit) * (1 / cap) * 2^7. */
void phx_attention_set_softcap(struct phx_attention *op, float cap) {
    uint32_t bits;
    memcpy(&bits, &cap, sizeof(bits));
    int32_t exponent = (math_exponent(bits) >> 23) - 127, mantissa = math_mantissa_q30(bits);
    op->softcap = (struct phx_softcap){0};
    if (cap > 0) {
        op->softcap = (struct phx_softcap){.reciprocal = math_reciprocal_q31(mantissa),
                                           .shift = 7 - exponent,
                                           .factor = math_multiply_q31(mantissa, PHX_LOG2E_Q30),
                                           .down = 13 - exponent};
    }
}

int32_t phx_logit_of(uint32_t bits) {
    const int32_t limit = PHX_LOGIT_LIMIT;
    int32_t product = math_multiply_q31(math_mantissa_q30(bits), PHX_LOG2E_Q30); /* of the mantissa, Q29 */
    int32_t shift = 140 - (math_exponent(bits) >> 23), logit = shift > 31 ? 0 : shift < 2 ? limit : product >> shift;
    return bits & MATH_SIGN ? -logit : logit;
}

int32_t phx_sink_weight(int32_t sink, int32_t largest, uint32_t up) {
    int32_t below = largest - sink, k = below >> 16;
    return (math_exp2_negative_q15(below >> 1 & 0x7fff) << up) >> (k < 31 ? k : 31);
}

int32_t phx_larger_logit(int32_t sink, int32_t largest) {
    return ((sink > largest ? sink : largest) + 0xffff) & ~0xffff;
}
