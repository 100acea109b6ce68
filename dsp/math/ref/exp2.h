/* SPDX-License-Identifier: MIT
 *
 * 2^-f: docs/math.md, 5.
 */
#ifndef PHX_MATH_REF_EXP2_H
#define PHX_MATH_REF_EXP2_H

#include "fixed.h"

/* Returns 2^-f in Q15, 16384..32767, for f = 0..32767 in Q15. Relative error: at most 1.12e-4, 3.3e-5 RMS. */
static inline int32_t math_exp2_negative_q15(int32_t f) {
    int32_t y = 1744 - math_multiply_q15(f, 224);
    y = 7847 - math_multiply_q15(f, y);
    y = 22710 - math_multiply_q15(f, y);
    return INT16_MAX - math_multiply_q15(f, y);
}

#endif
