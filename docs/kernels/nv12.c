/* NV12, as cameras deliver it, to three planes of RGB: BT.601, full range, in 16-bit fixed point of 6 bits. Sources: the
 * plane of Y (H, W), and that of U and V by turns (H / 2, W), W even. Results: R, G and B, each (H, W). */
#include <pyhexagon_kernel.h>

static inline uint8_t clamped(int v) {
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static void split_uv(const uint8_t *restrict uv, int16_t *restrict u, int16_t *restrict v, int n) {
    for (int i = 0; i < n; i++) {
        u[i] = (int16_t)(uv[2 * i] - 128);
        v[i] = (int16_t)(uv[2 * i + 1] - 128);
    }
}

static void convert_row(const uint8_t *restrict y, const int16_t *restrict u, const int16_t *restrict v,
                        uint8_t *restrict r, uint8_t *restrict g, uint8_t *restrict b, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 2; j++) {
            int at = 2 * i + j, luma = 64 * y[at] + 32;
            r[at] = clamped((luma + 90 * v[i]) >> 6);
            g[at] = clamped((luma - 22 * u[i] - 46 * v[i]) >> 6);
            b[at] = clamped((luma + 113 * u[i]) >> 6);
        }
    }
}

#define MOST 4096 /* pixels of a row */

PHX_KERNEL(nv12, .n_src = 2, .n_dst = 3, .work_bytes = 2 * MOST) {
    uint32_t n = call->dst[0].ne[0];
    int16_t *u = call->work, *v = u + MOST / 2;
    if (n % 2 || n > MOST || call->src[1].ne[0] != n || call->src[1].ne[1] * 2 < call->src[0].ne[1]) {
        return phx_fail(call, "expected Y (H, W) and UV (H / 2, W), W even and at most 4096");
    }
    for (uint32_t row = call->first; row < call->end; row++) {
        split_uv(PHX_ROW(uint8_t, call->src[1], row / 2), u, v, (int)n / 2);
        convert_row(PHX_ROW(uint8_t, call->src[0], row), u, v, PHX_ROW(uint8_t, call->dst[0], row),
                    PHX_ROW(uint8_t, call->dst[1], row), PHX_ROW(uint8_t, call->dst[2], row), (int)n / 2);
    }
    return 0;
}
