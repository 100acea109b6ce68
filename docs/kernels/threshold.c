/* x where it is above a limit, else 0: the first kernel of the tutorial. */
#include <pyhexagon_kernel.h>

static void threshold_row(const float *restrict x, float *restrict y, float limit, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i] > limit ? x[i] : 0;
    }
}

PHX_KERNEL(threshold, .n_src = 1, .n_dst = 1, .n_params = 1) {
    for (uint32_t row = call->first; row < call->end; row++) {
        threshold_row(PHX_ROW(const float, call->src[0], row), PHX_ROW(float, call->dst[0], row), PHX_PARAM(float, 0),
                      (int)call->dst[0].ne[0]);
    }
    return 0;
}
