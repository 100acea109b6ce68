/* SPDX-License-Identifier: MIT */
#include "attention.h"

#include "math/ref/exp2.h"
#include "math/ref/float32.h"
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

/* A sum is of (q * scale * 2^(E - 141) / 127) * (k * scale * 2^(e - 140) / 127), and was shifted to the right by 4 + 15
 * bits: times log2(e) / 127^2 = 1573541463 / 2^44, that is 2^(E + e - 262) powers of two. Logits are Q16. */
void phx_attention_set_scale(struct phx_attention *op, float scale) {
    uint32_t bits;
    memcpy(&bits, &scale, sizeof(bits));
    int32_t product = math_multiply_q31(math_mantissa_q30(bits), 1573541463); /* Q29, 1 up to 4 */
    int32_t more = product >= 1 << 30 ? 16 : 15, exponent = math_exponent(bits) >> 23;
    int32_t multiplier = (product + (1 << (more - 1))) >> more; /* 15 bits */
    op->multiplier = exponent == 0 ? 0 : multiplier < INT16_MAX ? multiplier : INT16_MAX;
    op->logit_shift = 246 - (exponent - 154 + more) - (op->cache.n_blocks > 4 ? 1 : 0);
}

int32_t phx_logit_of(uint32_t bits) {
    const int32_t limit = 1 << 29;
    int32_t product = math_multiply_q31(math_mantissa_q30(bits), 1549082005); /* log2(e) times the mantissa, Q29 */
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
