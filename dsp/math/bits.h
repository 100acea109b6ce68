/* SPDX-License-Identifier: MIT
 *
 * The fields of a float32, for dsp/math/ref and dsp/math/hvx.
 *
 * An exponent is what stands in bits 23..30, biased, and stays in that place: 127 << 23 for 1.0.
 */
#ifndef PHX_MATH_BITS_H
#define PHX_MATH_BITS_H

#define MATH_SIGN 0x80000000u
#define MATH_MAGNITUDE 0x7fffffff
#define MATH_INFINITY 0x7f800000     /* and the mask of an exponent */
#define MATH_NAN 0x7fc00000          /* what an op gives */
#define MATH_ONE 0x3f800000          /* 1.0 */
#define MATH_LOG2E 0x3fb8aa3b        /* log2(e) */
#define MATH_EXPONENT_ONE 0x00800000 /* a step of the exponent, and the smallest normal number */

/* The smallest exponent that a row's numbers may be relative to: zeros come out as 0 then. */
#define MATH_ROW_EXPONENT_MIN (31 * MATH_EXPONENT_ONE)

#endif
