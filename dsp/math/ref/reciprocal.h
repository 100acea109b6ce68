/* SPDX-License-Identifier: MIT
 *
 * 1/x and 1/sqrt(x) by Newton's iteration: docs/math.md, 6.
 */
#ifndef PHX_MATH_REF_RECIPROCAL_H
#define PHX_MATH_REF_RECIPROCAL_H

#include "fixed.h"

/* Returns 1/x in Q15, 16384..32767, for x = 16384..32767 in Q14. Relative error: at most 6.5e-5. */
static inline int32_t math_reciprocal_q15(int32_t x) {
    int32_t y = 23130 - math_multiply_q15(x - 24576, 30840);
    for (int step = 0; step < 2; step++) {
        y += math_multiply_q15(y, 2 * (16384 - math_multiply_q15(x, y)));
        y = y > INT16_MAX ? INT16_MAX : y;
    }
    return y;
}

/* Returns 1/x in Q31, 2^30..2^31 - 1, for x in Q30 from 2^30 up to 2^31. Relative error: at most 1.2e-9. */
static inline int32_t math_reciprocal_q31(int32_t x) {
    int32_t y = 1515870573 - math_multiply_q31(x - 0x60000000, 2021155625);
    for (int step = 0; step < 3; step++) {
        int32_t error = 0x40000000 - math_multiply_q31(x, y);
        y = math_add_saturating(y, math_multiply_q31(y, 2 * error));
    }
    return y;
}

/* Returns 1/sqrt(x) in Q31, 2^30..2^31 - 1, for x in Q29 from 2^29 up to 2^31 (1 up to 4). Relative error: at most
 * 2e-9. */
static inline int32_t math_reciprocal_square_root_q31(int32_t x) {
    int32_t from_middle = 2 * (x - 0x50000000);
    int32_t y = math_multiply_q31(from_middle, 439846382);
    y = math_multiply_q31(from_middle, y - 664188053);
    y = math_add_saturating(1350288255, y);
    for (int step = 0; step < 3; step++) {
        int32_t error = 0x20000000 - math_multiply_q31(x, math_multiply_q31(y, y));
        y = math_add_saturating(y, math_multiply_q31(y, 2 * error));
    }
    return y;
}

/* Like math_reciprocal_q31(), from 1/x in 16 bits and one iteration. Relative error: at most 1.7e-8. */
static inline int32_t math_reciprocal_short_q31(int32_t x) {
    int32_t y = (int32_t)((uint32_t)math_reciprocal_q15(x >> 16) << 16);
    int32_t error = 0x40000000 - math_multiply_q31(x, y);
    return math_add_saturating(y, math_multiply_q31(y, 2 * error));
}

#endif
