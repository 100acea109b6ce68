/* SPDX-License-Identifier: MIT
 *
 * What IQ4 and MXFP4 share: nibbles that index a table of values, then scales. Defines the TYPE_ names of expand.h but
 * the loops; included after `values`, the table.
 */
#define TYPE_VECTORS 9
#define TYPE_LEAD 0
#define TYPE_TRAIL 0
#define TYPE_SCALES 1
#define TYPE_MINIMUMS 0
#define TYPE_EXPANDED 17
#define TYPE_TABLE values

#include "expand.h"

HVX_INLINE void expand_block(const HVX_Vector *w, const HVX_Vector *lead, HVX_Vector *restrict to) {
    (void)lead;
    hvx_expand_looked_up(w, *(const HVX_Vector *)values, to);
    to[16] = w[8];
}

HVX_INLINE void clear_block(HVX_Vector *restrict to) {
    to[16] = Q6_V_vzero();
}
