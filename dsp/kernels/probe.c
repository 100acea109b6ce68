/* SPDX-License-Identifier: MIT
 *
 * A user kernel that comes compiled: `pyhexagon doctor` and `bench silicon` load it as they would load any other. Each
 * int32 becomes (x ^ mask) + row; HVX computes whole vectors on the DSP. The row passes through work memory by memcpy(),
 * an import that the loader must resolve.
 */
#ifdef __hexagon__
#include <hexagon_types.h>

#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#endif

#include "../../idl/pyhexagon_kernel.h"

#define MOST 1024u /* elements of a row */

void *memcpy(void *to, const void *from, size_t n_bytes);

static uint32_t whole_vectors(uint32_t *x, uint32_t n, uint32_t mask, uint32_t row) {
    uint32_t i = 0;
#ifdef __hexagon__
    for (; i + 32 <= n; i += 32) { /* x is aligned to a vector */
        HVX_Vector *v = (HVX_Vector *)(void *)(x + i);
        *v = Q6_Vw_vadd_VwVw(Q6_V_vxor_VV(*v, Q6_V_vsplat_R((int32_t)mask)), Q6_V_vsplat_R((int32_t)row));
    }
#else
    (void)x, (void)n, (void)mask, (void)row;
#endif
    return i;
}

PHX_KERNEL(probe, .n_src = 1, .n_dst = 1, .n_params = 1, .work_bytes = 4 * MOST) {
    uint32_t n = call->dst[0].ne[0], mask = PHX_PARAM(uint32_t, 0), *x = call->work;
    if (n > MOST || call->dst[0].dtype != PHX_KERNEL_I32) {
        return phx_fail(call, "expected rows of at most 1024 int32");
    }
    for (uint32_t row = call->first; row < call->end; row++) {
        memcpy(x, phx_kernel_row(&call->src[0], row), n * sizeof(*x));
        for (uint32_t i = whole_vectors(x, n, mask, row); i < n; i++) {
            x[i] = (x[i] ^ mask) + row;
        }
        memcpy(phx_kernel_row(&call->dst[0], row), x, n * sizeof(*x));
    }
    return 0;
}
