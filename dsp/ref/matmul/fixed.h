/* SPDX-License-Identifier: MIT
 *
 * The fixed-point operations of docs/arithmetic.md, under their names there.
 */
#ifndef PHX_REF_FIXED_H
#define PHX_REF_FIXED_H

#include <stdint.h>

static inline int32_t sat16(int32_t x) {
    return x > 32767 ? 32767 : x < -32768 ? -32768 : x;
}

/* HVX's vmpy(Vu.h, Vv.h):<<1:rnd:sat. Arguments are 16-bit numbers; 2*a*b alone could need 33 bits. */
static inline int32_t mpyr(int32_t a, int32_t b) {
    return sat16((a * b + 0x4000) >> 15);
}

/* Adds modulo 2^32, as HVX does: sums that no valid tile can overflow wrap for tiles that no repacker writes. */
static inline int32_t add_wrapping(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t rsh(int32_t x, uint32_t shift) {
    return add_wrapping(x, (1 << shift) >> 1) >> shift;
}

#endif
