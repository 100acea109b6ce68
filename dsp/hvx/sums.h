/* SPDX-License-Identifier: MIT
 *
 * Sums of up to 2^20 signed words, in two parts so that neither overflows.
 */
#ifndef HVX_SUMS_H
#define HVX_SUMS_H

#include "rows.h"

#define SUMS_LOW_BITS 18 /* low bits of a word, which have an accumulator of their own */

struct sums {
    HVX_Vector vhigh, vlow;
};

HVX_INLINE void add_words(struct sums *sums, HVX_Vector v) {
    sums->vhigh = Q6_Vw_vadd_VwVw(sums->vhigh, Q6_Vw_vasr_VwR(v, SUMS_LOW_BITS));
    sums->vlow = Q6_Vw_vadd_VwVw(sums->vlow, math_mask(v, (1 << SUMS_LOW_BITS) - 1));
}

static inline int64_t join_words(struct sums sums) {
    HVX_Vector vhigh = Q6_Vw_vadd_VwVw(sums.vhigh, Q6_Vuw_vlsr_VuwR(sums.vlow, SUMS_LOW_BITS));
    HVX_Vector vlow = math_mask(sums.vlow, (1 << SUMS_LOW_BITS) - 1);
    HVX_Vector v = hvx_add_neighbours_i32(vlow, vhigh); /* lanes 0..15: low, 16..31: high */
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vadd_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return (int64_t)Q6_R_vextract_VR(v, HVX_BYTES / 2) * (1 << SUMS_LOW_BITS) + Q6_R_vextract_VR(v, 0);
}

#endif
