/* SPDX-License-Identifier: MIT
 *
 * ARGSORT: indices of a row's elements in the order of their values, stable: docs/math.md, 17.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(argsort)

#define N_BYTES 4u
#define N_VALUES 256u

/* Radix sort by bytes, the least significant first. */
void ref_sort(struct phx_pick *picks, uint32_t n) {
    struct phx_pick *from = picks, *to = picks + n;
    /* an even number of passes, so that the result is in the first half */
    for (uint32_t byte = 0; byte < N_BYTES; byte++) {
        uint32_t places[N_VALUES] = {0}, place = 0;
        for (uint32_t i = 0; i < n; i++) {
            places[from[i].word >> 8 * byte & 255]++;
        }
        for (uint32_t value = 0; value < N_VALUES; value++) {
            uint32_t count = places[value];
            places[value] = place;
            place += count;
        }
        for (uint32_t i = 0; i < n; i++) {
            to[places[from[i].word >> 8 * byte & 255]++] = from[i];
        }
        struct phx_pick *sorted = to;
        to = from;
        from = sorted;
    }
}

uint32_t phx_argsort_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *src = call->src[0], *dst = call->dst[0];
    const struct phx_argsort_params *params = call->params;
    uint32_t n = dst->view.ne[0], flip = params->descending ? 0x7fffffff : 0x80000000;
    struct phx_pick *picks = work;
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *from = (const uint32_t *)phx_row(src, at);
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        for (uint32_t i = 0; i < n; i++) {
            picks[i] = (struct phx_pick){(uint32_t)ref_key(from[i]) ^ flip, i};
        }
        ref_sort(picks, n);
        for (uint32_t i = 0; i < n; i++) {
            to[i] = picks[i].index;
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
