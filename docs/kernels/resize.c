/* Halves an image of uint8 in both directions: each result is the mean of four, rounded. Rows are pixels; for more than
 * one channel, call it once per plane. */
#include <pyhexagon_kernel.h>

static void halve_row(const uint8_t *restrict top, const uint8_t *restrict bottom, uint8_t *restrict out, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = (uint8_t)((top[2 * i] + top[2 * i + 1] + bottom[2 * i] + bottom[2 * i + 1] + 2) >> 2);
    }
}

PHX_KERNEL(resize, .n_src = 1, .n_dst = 1) {
    const struct phx_kernel_tensor *x = &call->src[0], *y = &call->dst[0];
    if (x->ne[0] < 2 * y->ne[0] || x->ne[1] < 2 * y->ne[1] || x->ne[2] * x->ne[3] * y->ne[2] * y->ne[3] != 1) {
        return phx_fail(call, "the result has half the height and half the width of the image");
    }
    for (uint32_t row = call->first; row < call->end; row++) {
        halve_row(PHX_ROW(uint8_t, *x, 2 * row), PHX_ROW(uint8_t, *x, 2 * row + 1), PHX_ROW(uint8_t, *y, row),
                  (int)y->ne[0]);
    }
    return 0;
}
