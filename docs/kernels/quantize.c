/* A quantization of your own: each row of float32 becomes int8 with a power of two as its scale. Results: q (N, K) int8 and
 * the exponents e (N, 1) int32; x is about q * 2^e. */
#include <pyhexagon_kernel.h>

static int32_t most_bits(const int32_t *restrict bits, int n) {
    int32_t most = 0;
    for (int i = 0; i < n; i++) {
        int32_t magnitude = bits[i] & 0x7fffffff; /* of floats, in the order of their values */
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

static void quantize_row(const float *restrict x, int8_t *restrict q, float factor, int n) {
    for (int i = 0; i < n; i++) {
        float scaled = x[i] * factor;
        q[i] = (int8_t)(int32_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
    }
}

PHX_KERNEL(quantize, .n_src = 1, .n_dst = 2, .row_cost = 20000) {
    int n = (int)call->dst[0].ne[0];
    for (uint32_t row = call->first; row < call->end; row++) {
        const float *x = PHX_ROW(const float, call->src[0], row);
        int32_t exponent = (most_bits(PHX_ROW(const int32_t, call->src[0], row), n) >> 23) - 127 - 5;
        if (exponent < -100 || exponent > 100) {
            return phx_fail(call, "a row is zero, too large, or no number");
        }
        union {
            int32_t bits;
            float value;
        } factor = {(127 - exponent) << 23};
        quantize_row(x, PHX_ROW(int8_t, call->dst[0], row), factor.value, n);
        *PHX_ROW(int32_t, call->dst[1], row) = exponent;
    }
    return 0;
}
