/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include "ops/executor.h"

static bool is_row_of(const struct phx_operand *operand, uint32_t n) {
    const uint32_t *ne = operand->view.ne;
    return ne[0] == n && ne[1] == 1 && ne[2] == 1 && ne[3] == 1;
}

struct phx_mismatch phx_paged_check(const struct phx_paged *paged, uint32_t n_rows) {
    const struct phx_operand *all[] = {paged->table, paged->positions, paged->sequences};
    for (int i = 0; i < 3; i++) {
        if (!all[i]) {
            continue;
        }
        struct phx_mismatch mismatch = phx_require_rows(all[i], PHX_I32);
        if (mismatch.status) {
            return mismatch;
        }
        if (i > 0 && !is_row_of(all[i], n_rows)) {
            return (struct phx_mismatch){PHX_E_SHAPE, all[i]};
        }
    }
    const uint32_t *ne = paged->table->view.ne;
    if (ne[0] == 0 || ne[0] > PHX_CACHE_MAX_TILES || ne[1] == 0 || ne[2] != 1 || ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, paged->table};
    }
    return PHX_MATCH;
}

struct phx_mismatch phx_require_cache(const struct phx_operand *operand) {
    return (struct phx_mismatch){operand->view.layout == PHX_LAYOUT_CACHE ? PHX_OK : PHX_E_LAYOUT, operand};
}
