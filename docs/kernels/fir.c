/* A FIR filter of 16-bit audio: y[i] = (sum over k of taps[k] * x[i + k] + 2^14) >> 15, saturated. x (channels, n + taps -
 * 1), taps (1, taps) in Q15, y (channels, n). */
#include <pyhexagon_kernel.h>

#define BLOCK 256 /* samples */

static void add_tap(const int16_t *restrict x, int32_t *restrict sum, int16_t tap, int n) {
    for (int i = 0; i < n; i++) {
        sum[i] += x[i] * tap;
    }
}

static void round_off(const int32_t *restrict sum, int16_t *restrict y, int n) {
    for (int i = 0; i < n; i++) {
        int32_t v = (sum[i] + (1 << 14)) >> 15;
        v = v > 32767 ? 32767 : v;
        y[i] = (int16_t)(v < -32768 ? -32768 : v);
    }
}

PHX_KERNEL(fir, .n_src = 2, .n_dst = 1, .work_bytes = 4 * BLOCK) {
    int n = (int)call->dst[0].ne[0], n_taps = (int)call->src[1].ne[0];
    int32_t *sum = call->work;
    if ((int)call->src[0].ne[0] < n + n_taps - 1) {
        return phx_fail(call, "x has taps - 1 samples more than the result");
    }
    const int16_t *taps = PHX_ROW(const int16_t, call->src[1], 0);
    for (uint32_t row = call->first; row < call->end; row++) {
        const int16_t *x = PHX_ROW(const int16_t, call->src[0], row);
        int16_t *y = PHX_ROW(int16_t, call->dst[0], row);
        for (int first = 0; first < n; first += BLOCK) {
            int part = n - first < BLOCK ? n - first : BLOCK;
            for (int i = 0; i < part; i++) {
                sum[i] = 0;
            }
            for (int k = 0; k < n_taps; k++) {
                add_tap(x + first + k, sum, taps[k], part);
            }
            round_off(sum, y + first, part);
        }
    }
    return 0;
}
