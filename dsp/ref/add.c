/* SPDX-License-Identifier: MIT
 *
 * dst = a + b, element by element: math_add_f32() of docs/math.md, 3. b's nb[0] is 4, or 0: one element, repeated.
 */
#include "add.h"

#include "math/ref/float32.h"

static uint32_t add_rows(const struct phx_call *call, const struct phx_slice *slice, bool specials_only) {
    const struct phx_operand *dst = call->dst[0];
    uint32_t b_step = call->src[1]->view.nb[0] == 0 ? 0 : 1;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *a = (const uint32_t *)phx_row(call->src[0], at);
        const uint32_t *b = (const uint32_t *)phx_row(call->src[1], at);
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        for (uint32_t i = slice->first; i < slice->end; i++) {
            if (!specials_only || math_is_special(a[i]) || math_is_special(b[i * b_step])) {
                to[i] = math_add_f32(a[i], b[i * b_step]);
            }
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}

uint32_t phx_add_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    (void)work;
    return add_rows(call, slice, false);
}

uint32_t ref_add_specials(const struct phx_call *call, const struct phx_slice *slice) {
    return add_rows(call, slice, true);
}
