/* SPDX-License-Identifier: MIT
 *
 * Tables of 16 bytes for vlut32.
 */
#ifndef PHX_HVX_TABLES_H
#define PHX_HVX_TABLES_H

#include "math/hvx/hvx.h"

/* Numbers i, 16 + i, 32 + i and 48 + i hold entry i in both bytes, so that any 5 bits find it. */
typedef uint16_t hvx_table[64] __attribute__((aligned(HVX_BYTES)));

/* HVX_TABLE(factor, offset, PHX_IQ4_VALUES): value * factor + offset of each of 16 values. */
#define HVX_TABLE(...)                                                                                                 \
    {HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__), HVX_TABLE_16(__VA_ARGS__)}
#define HVX_TABLE_16(x, y, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                             \
    HVX_ENTRY(x, y, a), HVX_ENTRY(x, y, b), HVX_ENTRY(x, y, c), HVX_ENTRY(x, y, d), HVX_ENTRY(x, y, e),                \
        HVX_ENTRY(x, y, f), HVX_ENTRY(x, y, g), HVX_ENTRY(x, y, h), HVX_ENTRY(x, y, i), HVX_ENTRY(x, y, j),            \
        HVX_ENTRY(x, y, k), HVX_ENTRY(x, y, l), HVX_ENTRY(x, y, m), HVX_ENTRY(x, y, n), HVX_ENTRY(x, y, o),            \
        HVX_ENTRY(x, y, p)
#define HVX_ENTRY(factor, offset, value) (((value) * (factor) + (offset)) & 255) * 257

#endif
