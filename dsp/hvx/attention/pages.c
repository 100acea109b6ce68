/* SPDX-License-Identifier: MIT
 *
 * Translates page numbers to offsets, 32 at a time.
 */
#include "attention.h"

/* Returns x * y modulo 2^32. */
HVX_INLINE HVX_Vector multiply_u32(HVX_Vector vx, uint32_t y) {
    HVX_Vector vlow = Q6_V_vsplat_R((int32_t)Q6_R_combine_RlRl(y, y)),
               vhigh = Q6_V_vsplat_R((int32_t)Q6_R_combine_RhRh(y, y));
    HVX_VectorPair wlow = Q6_Wuw_vmpy_VuhVuh(vx, vlow); /* low and high halves of x */
    HVX_Vector v = Q6_Vw_vadd_VwVw(Q6_V_hi_W(wlow), Q6_V_lo_W(Q6_Wuw_vmpy_VuhVuh(vx, vhigh)));
    return Q6_Vw_vaslacc_VwVwR(Q6_V_lo_W(wlow), v, 16);
}

bool hvx_translate_pages(const struct phx_cache *cache, const uint8_t *numbers, uint32_t n, uint32_t *offsets) {
    HVX_Vector vn_pages = Q6_V_vsplat_R((int32_t)cache->n_pages), vgaps = Q6_V_vzero();
    for (uint32_t i = 0; i < n; i += HVX_LANES_I32) {
        uint32_t n_bytes = (n - i) * sizeof(uint32_t);
        n_bytes = n_bytes < HVX_BYTES ? n_bytes : HVX_BYTES;
        HVX_Vector vpages = hvx_load_some_u(numbers + i * sizeof(uint32_t), n_bytes);
        HVX_OPAQUE(vpages); /* read once: the CPU may write to it */
        HVX_VectorPred qthere = Q6_Q_vcmp_gt_VuwVuw(vn_pages, vpages);
        HVX_Vector v = Q6_V_vmux_QVV(qthere, multiply_u32(vpages, cache->page_bytes),
                                     Q6_V_vsplat_R((int32_t)PHX_NO_PAGE));
        vgaps = Q6_V_vandor_VQR(vgaps, Q6_Q_and_QQn(Q6_Q_vsetq2_R((int32_t)n_bytes), qthere), -1);
        hvx_store_some_u((uint8_t *)(offsets + i), v, n_bytes);
    }
    return hvx_any(Q6_Q_vcmp_gt_VuwVuw(vgaps, Q6_V_vzero()));
}
