/* SPDX-License-Identifier: MIT
 *
 * Reads the scales and minimums of a tile: dsp/ref/matmul/tiles.c for a register of rows.
 */
#ifndef PHX_CPU_SCALES_H
#define PHX_CPU_SCALES_H

#include <stdbool.h>

#include "cpu/matmul/registers.h"
#include "hvx/matmul/activations.h"
#include "formats/tiles.h"

/* phx_weight_types, known to the compiler. */
static const struct phx_weight_type CPU_WEIGHT_TYPES[PHX_N_WEIGHT_TYPES] = {
#define TYPE(name, ...) [PHX_##name] = {__VA_ARGS__},
#include "../../../idl/types.h"
#undef TYPE
};

/* Scales and minimums that a super-block shares. Half words: of rows i and 32 + i. */
struct super {
    reg_i32 d, dm;
    reg_i32 minimums[2][2]; /* of rows i, and of rows 32 + i: of four blocks a byte each, and of the other four */
};

/* log2 of the blocks that n_groups of struct hvx_groups counts. */
CPU_INLINE uint32_t cpu_lying_shift(const struct phx_weight_type *type) {
    return 3u - type->scales_per_block +
           (type->minimums == PHX_MINIMUMS_IN_SUMS || phx_has_threes(type) || phx_leads_with_scales(type));
}

/* Blocks whose sum is added to T at once. */
CPU_INLINE uint32_t cpu_group_blocks(const struct phx_weight_type *type) {
    return type->minimums == PHX_MINIMUMS_IN_SUMS ? PHX_BLOCKS_OF_SUPER : 4u / type->scales_per_block;
}

/* A span is the blocks that share scales: a group, or a super-block. */
CPU_INLINE uint32_t cpu_span_blocks(const struct phx_weight_type *type) {
    return type->k_step == PHX_SUPER_BLOCK && !phx_has_codebook(type) ? PHX_BLOCKS_OF_SUPER : cpu_group_blocks(type);
}

CPU_INLINE uint32_t cpu_span_vectors(const struct phx_weight_type *type) {
    uint32_t n = cpu_span_blocks(type);
    return n == PHX_BLOCKS_OF_SUPER ? phx_super_vectors(type) : type->group_vectors + n * type->vectors_per_block;
}

/* Offset of a block's codes from the start of its span. */
CPU_INLINE uint32_t cpu_block_vectors(const struct phx_weight_type *type, uint32_t number) {
    if (phx_has_threes(type)) {
        return phx_block_of_threes(type, number);
    }
    return type->lead_vectors + number * type->vectors_per_block +
           (number / PHX_BLOCKS_OF_GROUP + 1) * type->group_vectors;
}

CPU_INLINE reg_i32 cpu_spread(const uint8_t *from, const uint8_t *more) {
    reg_i16 v0 = (reg_i16)reg_load(from), v1 = (reg_i16)reg_load(from + PHX_VECTOR);
    reg_i16 v2 = (reg_i16)reg_load(more), v3 = (reg_i16)reg_load(more + PHX_VECTOR);
    return (reg_i32)(v0 + (v1 >> 2) + (v2 >> 4) + (v3 >> 6));
}

CPU_INLINE struct super cpu_super(const uint32_t dtype, const struct phx_weight_type *type, const uint8_t *span,
                                  uint32_t word) {
    struct super super = {.d = reg_splat(0)};
    span += word;
    if (phx_leads_with_scales(type)) {
        super.d = cpu_spread(span, span + 2 * PHX_VECTOR);
    } else if (type->lead_vectors > 0) {
        super.d = reg_load(span);
    }
    if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
        uint32_t group = type->group_vectors + PHX_BLOCKS_OF_GROUP * type->vectors_per_block;
        const uint8_t *minimums = span + (phx_super_vectors(type) - PHX_SPREAD_VECTORS) * PHX_VECTOR;
        super.d = cpu_spread(span, span + group * PHX_VECTOR);
        super.dm = cpu_spread(minimums, minimums + 2 * PHX_VECTOR);
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < 2; i++) {
                super.minimums[half][i] = reg_load(minimums + (2 * half + i) * PHX_VECTOR);
            }
        }
    }
    (void)dtype;
    return super;
}

/* Small scale number i of eight, 6 bits with a sign, in the upper bits of halves. */
CPU_INLINE reg_i32 cpu_scale_of_three(const uint8_t *three, uint32_t i) {
    reg_i16 v0 = (reg_i16)reg_load(three), v1 = (reg_i16)reg_load(three + PHX_VECTOR),
            v2 = (reg_i16)reg_load(three + 2 * PHX_VECTOR), number;
    switch (i) {
    case 0:
        number = v0;
        break;
    case 1:
        number = v0 << 10;
        break;
    case 2:
        number = (v0 << 6) + (v1 << 2);
        break;
    case 3:
        number = v1;
        break;
    case 4:
        number = v1 << 10;
        break;
    case 5:
        number = (v2 << 6) + (v1 << 4);
        break;
    case 6:
        number = v2;
        break;
    default:
        number = v2 << 10;
    }
    return (reg_i32)(number & (int16_t)0xfc00);
}

/* How far 2^14 is shifted to the right for the scale of block number i of four, in half words. */
CPU_INLINE reg_i32 cpu_power(const uint8_t *group, uint32_t i) {
    return (reg_i32)((reg_u16)reg_load(group) >> (uint16_t)(4 * i) & 15);
}

/* The scales of a block's part in half words; behind: the end of its codes. */
CPU_INLINE reg_i32 cpu_scale(const uint32_t dtype, const struct phx_weight_type *type, const uint8_t *span,
                             const uint8_t *behind, uint32_t number, uint32_t part, uint32_t word,
                             const struct super *super) {
    uint32_t in_group = number % PHX_BLOCKS_OF_GROUP;
    if (type->minimums == PHX_MINIMUMS_IN_SUMS) { /* 6 bits of each byte, without a sign */
        const uint8_t *group = span + number / PHX_BLOCKS_OF_GROUP *
                                          (type->group_vectors + PHX_BLOCKS_OF_GROUP * type->vectors_per_block) *
                                          PHX_VECTOR;
        reg_i16 v = (reg_i16)reg_load(group + in_group / 2 * PHX_VECTOR + word);
        return (reg_i32)((in_group % 2 ? v : v << 8) & 0x3f00);
    }
    if (phx_leads_with_scales(type)) { /* with a sign */
        reg_i16 v = (reg_i16)reg_load(span + number / 2 * PHX_VECTOR + word);
        return reg_mpyr(super->d, (reg_i32)((number % 2 ? v << 2 : v << 10) & (int16_t)0xfc00));
    }
    if (phx_has_threes(type)) {
        const uint8_t *p = span + phx_block_of_threes(type, number) * PHX_VECTOR + word;
        const uint8_t *three = p + phx_scales_of_threes(type, number) * PHX_VECTOR;
        return reg_mpyr(super->d, cpu_scale_of_three(three, in_group * 2 + part));
    }
    if (dtype == PHX_Q2_K) { /* 4 bits of each byte */
        reg_i16 v = (reg_i16)reg_load(behind);
        return reg_mpyr(super->d, (reg_i32)(part ? (v & 0xf00) << 3 : (v & 15) << 11));
    }
    if (type->group_vectors > 0) {
        return (reg_i32)(((reg_u16){0} + (1 << 14)) >> (reg_u16)cpu_power(span + word, in_group)); /* 15 makes 0 */
    }
    return type->product_shift ? reg_splat(0) : reg_load(behind + part * PHX_VECTOR);
}

/* B16 of a super-block; t lies in the biases of its blocks: bits 8 to 15 of four blocks, of four more, then bits 0 to
 * 7. */
CPU_INLINE reg_i32 cpu_minimums_sum(const struct super *super, const struct hvx_block *blocks, const int half) {
    reg_i32 sum = reg_splat(1 << 8);
    for (int i = 0; i < 2; i++) {
        uint32_t upper = (uint32_t)blocks[4 + i].bias, lower = (uint32_t)blocks[6 + i].bias;
        uint32_t even = (upper & 0xff00ff) << 8 | (lower & 0xff00ff),
                 odd = (upper & 0xff00ff00) | (lower >> 8 & 0xff00ff);
        reg_i32 minimums = super->minimums[half][i];
        sum += reg_madd_i16(minimums & 0x3f003f, reg_splat((int32_t)even));
        sum += reg_madd_i16((reg_i32)((reg_u32)minimums >> 8) & 0x3f003f, reg_splat((int32_t)odd));
    }
    return reg_clamp_i16(sum >> 9);
}

#endif
