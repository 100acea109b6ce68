/* SPDX-License-Identifier: MIT
 *
 * Sine and cosine of an angle in turns: docs/math.md, 7.
 */
#ifndef PHX_MATH_REF_SINE_COSINE_H
#define PHX_MATH_REF_SINE_COSINE_H

#include "fixed.h"

/* Computes sin and cos of 2 pi * phase / 2^32 in Q30, with an error of at most 3e-9. Subtracts the nearest quarter
 * turn; a polynomial in the rest, -1/8..1/8 turn, gives both, and the quarter selects which is which and its sign. */
static inline void math_sine_cosine_q30(uint32_t phase, int32_t *sine, int32_t *cosine) {
    uint32_t quarter = phase + 0x20000000;
    int32_t rest = (int32_t)((phase - (quarter & 0xc0000000)) << 2);
    int32_t square = math_multiply_q31(rest, rest);
    int32_t s = 2673480 + math_multiply_q31(square, -38523);
    s = -86699678 + math_multiply_q31(square, s);
    s = 843314845 + math_multiply_q31(square, s);
    s = math_multiply_q31(rest, s);
    int32_t c = -349978 + math_multiply_q31(square, 3792);
    c = 17023455 + math_multiply_q31(square, c);
    c = -331168968 + math_multiply_q31(square, c);
    c = 0x40000000 + math_multiply_q31(square, c);
    switch (quarter >> 30) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
    }
}

#endif
