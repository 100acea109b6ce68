/* SPDX-License-Identifier: MIT
 *
 * Prevents the compiler from unrolling or vectorizing a loop of few iterations.
 */
#ifndef PHX_ROLLED_H
#define PHX_ROLLED_H

#ifdef __clang__
#define PHX_KEEP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define PHX_KEEP_ROLLED
#endif

#endif
