/* An int8 matrix times an int8 vector with an activation of its own: y[i] = act(sum over k of w[i][k] * x[k]), where act
 * is a leaky ReLU in integers. w (N, K), x (K,), y (N, 1) int32. */
#include <pyhexagon_kernel.h>

static int32_t dot(const int8_t *restrict w, const int8_t *restrict x, int n) {
    int32_t sum = 0;
    for (int k = 0; k < n; k++) {
        sum += w[k] * x[k];
    }
    return sum;
}

PHX_KERNEL(gemv, .n_src = 2, .n_dst = 1, .n_params = 1, .flags = PHX_KERNEL_LOADS) {
    int n = (int)call->src[0].ne[0], shift = PHX_PARAM(int32_t, 0);
    uint32_t n_rows = call->src[0].ne[1], n_vectors = call->src[1].ne[1];
    if (call->src[1].ne[0] != call->src[0].ne[0] || call->dst[0].ne[0] != 1 || call->dst[0].ne[1] != n_rows ||
        (n_vectors != 1 && n_vectors != n_rows)) {
        return phx_fail(call, "expected w (N, K), x (K,) or (N, K), and a result (N, 1)");
    }
    for (uint32_t row = call->first; row < call->end; row++) {
        const uint8_t *const *rows = phx_load_rows(call, row);
        int32_t sum = dot((const int8_t *)rows[0], (const int8_t *)rows[1], n);
        *PHX_ROW(int32_t, call->dst[0], row) = sum < 0 ? sum >> shift : sum;
    }
    return 0;
}
