/* Alpha blending of uint8 with HVX intrinsics: (a * w + b * (256 - w) + 128) >> 8, w from 0 to 255. */
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <pyhexagon_kernel.h>

typedef HVX_Vector unaligned __attribute__((aligned(1)));

/* 16-bit sums of products of the even or the odd bytes; the blended byte is the high byte of each. */
static inline HVX_Vector rounded(HVX_Vector a, HVX_Vector b, HVX_Vector half) {
    return Q6_Vuh_vlsr_VuhR(Q6_Vh_vadd_VhVh(Q6_Vh_vadd_VhVh(a, b), half), 8);
}

static void blend_row(uint8_t *out, const uint8_t *a, const uint8_t *b, int n, int w) {
    HVX_Vector half = Q6_Vh_vsplat_R(128);
    uint32_t wa = (uint32_t)w * 0x01010101u, wb = (uint32_t)(256 - w) * 0x01010101u; /* in each byte: w is not 0 */
    int i = 0;
    for (; i + 128 <= n; i += 128) {
        HVX_VectorPair pa = Q6_Wuh_vmpy_VubRub(*(const unaligned *)(a + i), wa);
        HVX_VectorPair pb = Q6_Wuh_vmpy_VubRub(*(const unaligned *)(b + i), wb);
        HVX_Vector even = rounded(Q6_V_lo_W(pa), Q6_V_lo_W(pb), half);
        HVX_Vector odd = rounded(Q6_V_hi_W(pa), Q6_V_hi_W(pb), half);
        *(unaligned *)(out + i) = Q6_Vb_vshuffe_VbVb(odd, even);
    }
    for (; i < n; i++) {
        out[i] = (uint8_t)((a[i] * w + b[i] * (256 - w) + 128) >> 8);
    }
}

static void copy_row(uint8_t *out, const uint8_t *b, int n) {
    for (int i = 0; i < n; i++) {
        out[i] = b[i];
    }
}

PHX_KERNEL(blend, .n_src = 2, .n_dst = 1, .n_params = 1, .in_place = 3) {
    int w = PHX_PARAM(int32_t, 0);
    if (w < 0 || w > 255) {
        return phx_fail(call, "w is outside of 0 to 255");
    }
    for (uint32_t row = call->first; row < call->end; row++) {
        const uint8_t *a = PHX_ROW(const uint8_t, call->src[0], row), *b = PHX_ROW(const uint8_t, call->src[1], row);
        uint8_t *out = PHX_ROW(uint8_t, call->dst[0], row);
        if (w) {
            blend_row(out, a, b, (int)call->dst[0].ne[0], w);
        } else {
            copy_row(out, b, (int)call->dst[0].ne[0]);
        }
    }
    return 0;
}
