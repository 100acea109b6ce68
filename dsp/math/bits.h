/* SPDX-License-Identifier: MIT
 *
 * The fields of a float32, for dsp/math/ref and dsp/math/hvx.
 *
 * An exponent is biased and stays in bits 23..30: 127 << 23 for 1.0.
 */
#ifndef PHX_MATH_BITS_H
#define PHX_MATH_BITS_H

#define MATH_SIGN 0x80000000u
#define MATH_MAGNITUDE 0x7fffffff
#define MATH_INFINITY 0x7f800000     /* also the mask of an exponent */
#define MATH_NAN 0x7fc00000          /* the NaN that ops return */
#define MATH_ONE 0x3f800000          /* 1.0 */
#define MATH_LOG2E 0x3fb8aa3b        /* log2(e) */
#define MATH_EXPONENT_ONE 0x00800000 /* one step of the exponent, and the smallest normal number */

/* Lower bound of the exponent to which a row's numbers are relative. Zeros then convert to 0. */
#define MATH_ROW_EXPONENT_MIN (31 * MATH_EXPONENT_ONE)

#endif
