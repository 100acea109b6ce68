/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

#include "math/ref/float32.h"

void ref_elements(const struct phx_call *call, const struct phx_slice *slice, ref_function function,
                  bool specials_only) {
    const struct phx_operand *dst = call->dst[0], *a = call->src[0], *b = call->src[1] ? call->src[1] : a;
    uint32_t a_step = ref_step(&a->view) / 4, b_step = ref_step(&b->view) / 4;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *from_a = (const uint32_t *)phx_row(a, at), *from_b = (const uint32_t *)phx_row(b, at);
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        for (uint32_t i = slice->first; i < slice->end; i++) {
            uint32_t x = from_a[i * a_step], y = from_b[i * b_step];
            if (!specials_only || math_is_special(x) || math_is_special(y)) {
                to[i] = function(x, y, call->params);
            }
        }
        phx_next(&dst->view, &at);
    }
}
