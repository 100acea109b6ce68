/* out = saturate(round(a * x) + y) of 16-bit samples, a in Q15. Plain C, which the compiler vectorizes. */
#include <pyhexagon_kernel.h>

static void saxpy_row(const int16_t *restrict x, const int16_t *restrict y, int16_t *restrict out, int a, int n) {
    for (int i = 0; i < n; i++) {
        int v = ((x[i] * a + (1 << 14)) >> 15) + y[i];
        v = v > 32767 ? 32767 : v;
        out[i] = (int16_t)(v < -32768 ? -32768 : v);
    }
}

PHX_KERNEL(saxpy, .n_src = 2, .n_dst = 1, .n_params = 1) {
    for (uint32_t row = call->first; row < call->end; row++) {
        saxpy_row(PHX_ROW(const int16_t, call->src[0], row), PHX_ROW(const int16_t, call->src[1], row),
                  PHX_ROW(int16_t, call->dst[0], row), PHX_PARAM(int32_t, 0), (int)call->dst[0].ne[0]);
    }
    return 0;
}
