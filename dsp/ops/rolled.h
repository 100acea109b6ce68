/* SPDX-License-Identifier: MIT
 *
 * A loop of a few rounds, which would be unrolled to eight or made one of vectors: it is left as it is.
 */
#ifndef PHX_ROLLED_H
#define PHX_ROLLED_H

#ifdef __clang__
#define PHX_KEEP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define PHX_KEEP_ROLLED
#endif

#endif
