/* SPDX-License-Identifier: MIT
 *
 * The micro-kernels of dsp/hvx/matmul/groups.h for a CPU, with the same bits (docs/arithmetic.md, 2): they accumulate
 * whole groups of blocks of one tile and up to four rows. The CPU reads the DSP's tiles; a register holds some of the
 * 32 words of a vector, and each word belongs to rows i and 32 + i of a tile.
 */
#include "loops.h"

#include "cpu/matmul/registers.h"
#include "cpu/matmul/scales.h"
#include "formats/tiles.h"

static const int8_t iq4_values[16] = {PHX_IQ4_VALUES}, mxfp4_values[16] = {PHX_MXFP4_VALUES},
                    iq3_values[16] = {PHX_IQ3_VALUES}, iq2_values[16] = {PHX_IQ2_VALUES};

#define CACHE_LINE 64

enum codes {
    NIBBLES,
    FIVES,
    SIXES,
    PAIRS_OF_BITS,
    THREES,
    BYTES,
    LOOKED_UP,    /* bytes of any value */
    LOOKED_UP_24, /* codes up to this one, with centre_of() added to their values */
    LOOKED_UP_62,
    LOOKED_UP_86,
    WORDS, /* weights of 16 bits */
};

CPU_INLINE enum codes codes_of(const uint32_t dtype) {
    switch (dtype) {
    case PHX_Q5_0:
    case PHX_Q5_1:
    case PHX_Q5_K:
        return FIVES;
    case PHX_Q6_K:
        return SIXES;
    case PHX_Q2_K:
        return PAIRS_OF_BITS;
    case PHX_Q3_K:
        return THREES;
    case PHX_Q8_0:
        return BYTES;
    case PHX_IQ4_NL:
    case PHX_IQ4_XS:
        return LOOKED_UP;
    case PHX_MXFP4:
    case PHX_NVFP4:
        return LOOKED_UP_24;
    case PHX_IQ3_XXS:
        return LOOKED_UP_62;
    case PHX_IQ2_S:
        return LOOKED_UP_86;
    case PHX_F32:
    case PHX_F16:
    case PHX_BF16:
        return WORDS;
    default:
        return NIBBLES;
    }
}

CPU_INLINE int code_vectors(const enum codes codes) {
    switch (codes) {
    case FIVES:
        return 10;
    case SIXES:
        return 12;
    case PAIRS_OF_BITS:
        return 4;
    case THREES:
        return 6;
    case BYTES:
        return 16;
    case WORDS:
        return 32;
    default:
        return 8;
    }
}

CPU_INLINE bool are_wide(const enum codes codes) {
    return codes == BYTES || codes == LOOKED_UP;
}

/* Four k of a block, from step j on; p: at this register's words. */
CPU_INLINE struct both unpack(const enum codes codes, const uint8_t *p, const int j, const reg_i32 table) {
    reg_i32 v = reg_load(p + j * PHX_VECTOR);
    switch (codes) {
    case FIVES: {
        reg_i32 rest = reg_load(p + (8 + j / 4) * PHX_VECTOR);
        return (struct both){reg_bits(v, 0, 31), reg_bits(v, 3, 28) | reg_bits(rest, 2 * (j % 4), 3)};
    }
    case SIXES: {
        reg_i32 rest = reg_load(p + (8 + j / 2) * PHX_VECTOR);
        return (struct both){reg_bits(v, 0, 63), reg_bits(v, 2, 48) | reg_bits(rest, 4 * (j % 2), 15)};
    }
    case PAIRS_OF_BITS:
        v = reg_load(p + j / 2 * PHX_VECTOR);
        return (struct both){reg_bits(v, 4 * (j % 2), 3), reg_bits(v, 4 * (j % 2) + 2, 3)};
    case THREES: {
        const uint8_t *three = p + j / 4 * 3 * PHX_VECTOR;
        if (j % 4 < 3) {
            v = reg_load(three + j % 4 * PHX_VECTOR);
            return (struct both){reg_bits(v, 0, 7), reg_bits(v, 3, 7)};
        }
        reg_i32 top = reg_load(three + 2 * PHX_VECTOR);
        return (struct both){reg_bits(reg_load(three), 6, 3) | reg_bits(top, 4, 4),
                             reg_bits(reg_load(three + PHX_VECTOR), 6, 3) | reg_bits(top, 5, 4)};
    }
    case BYTES: { /* weights + 128 */
        const reg_i32 added = reg_splat(WIDE_CENTRE ? 0 : (int32_t)0x80808080);
        return (struct both){reg_load(p + 2 * j * PHX_VECTOR) ^ added, reg_load(p + (2 * j + 1) * PHX_VECTOR) ^ added};
    }
    case LOOKED_UP:
    case LOOKED_UP_24:
    case LOOKED_UP_62:
    case LOOKED_UP_86:
        return (struct both){reg_look_up(table, reg_bits(v, 0, 15)), reg_look_up(table, reg_bits(v, 4, 15))};
    default:
        return (struct both){reg_bits(v, 0, 15), reg_bits(v, 4, 15)};
    }
}

/* The power of two that codes are below, except for bytes and words. */
CPU_INLINE int limit_of(const enum codes codes) {
    switch (codes) {
    case FIVES:
    case LOOKED_UP_24:
        return 32;
    case SIXES:
    case LOOKED_UP_62:
        return 64;
    case LOOKED_UP_86:
        return 128;
    default:
        return 16;
    }
}

/* Sums of steps first..end-1 of a block times each row's activations at q. */
CPU_INLINE void sum_block(const enum codes codes, const int R, const uint8_t *p, const int32_t *const *q,
                          const int first, const int end, const reg_i32 table, struct both *sums) {
    const int steps = CODES_STEPS(limit_of(codes));
    struct both part[CPU_ROWS];
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
        sums[r] = part[r] = (struct both){reg_splat(0), reg_splat(0)};
    }
#pragma clang loop unroll(full)
    for (int j = first; j < end; j++) {
        struct both w = unpack(codes, p, j, table);
#pragma clang loop unroll(full)
        for (int r = 0; r < R; r++) {
            reg_i32 four = reg_splat_of(q[r], j);
            if (are_wide(codes)) {
                sums[r].low = reg_add_wide(sums[r].low, w.low, four);
                sums[r].high = reg_add_wide(sums[r].high, w.high, four);
                continue;
            }
            part[r].low = reg_add_codes(part[r].low, w.low, four);
            part[r].high = reg_add_codes(part[r].high, w.high, four);
            if ((j + 1 - first) % steps == 0 || j + 1 == end) {
                sums[r].low += reg_sum(part[r].low);
                sums[r].high += reg_sum(part[r].high);
                part[r] = (struct both){reg_splat(0), reg_splat(0)};
            }
        }
    }
}

/* The sums of 16-bit weights: two k a step. */
CPU_INLINE void sum_words(const int R, const uint8_t *p, const int32_t *const *q, struct both *sums) {
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
        sums[r] = (struct both){reg_splat(0), reg_splat(0)};
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < PHX_BLOCK / 2; j++) {
        struct both w = {reg_load(p + 2 * j * PHX_VECTOR), reg_load(p + (2 * j + 1) * PHX_VECTOR)};
#pragma clang loop unroll(full)
        for (int r = 0; r < R; r++) {
            reg_add_words(&sums[r], w, q[r], j);
        }
    }
}

/* What is added to the values that are looked up: they are unsigned codes then, or what reg_add_wide() takes. */
CPU_INLINE int32_t centre_of(const enum codes codes) {
    return codes == LOOKED_UP_24 ? 12 : codes == LOOKED_UP_62 ? 31 : codes == LOOKED_UP_86 ? 43 : WIDE_CENTRE;
}

/* The factor of the bias, which holds the sum of the activations, that subtracts the codes' centre: in eighths of S, in
 * forms with halves in sixteenths or quarters. */
CPU_INLINE int32_t centred(const uint32_t dtype, int32_t bias) {
    const enum codes codes = codes_of(dtype);
    switch (dtype) {
    case PHX_Q4_0:
    case PHX_Q3_K:
        return (int16_t)bias;
    case PHX_Q4_1:
        return bias >> 16;
    case PHX_Q5_0:
    case PHX_Q6_K:
        return 2 * (int16_t)bias;
    case PHX_Q5_1:
        return 2 * (bias >> 16);
    case PHX_MXFP4:
        return (int16_t)bias / 8 * centre_of(codes);
    case PHX_NVFP4:
    case PHX_IQ3_XXS:
    case PHX_IQ2_S:
        return (int16_t)bias / 16 * centre_of(codes);
    default:
        return are_wide(codes) ? (int16_t)bias / 8 * WIDE_CENTRE : 0;
    }
}

CPU_INLINE struct both shifted(struct both sum, int32_t added, const int shift) {
    return (struct both){(sum.low + added) >> shift, (sum.high + added) >> shift};
}

/* P16 of Q6_K's halves, times their small scales, in 16 bits. */
CPU_INLINE struct both times_small_scales(struct both p0, struct both p1, reg_i32 sc) {
    struct both p = shifted(reg_times_bytes(p0, p1, sc), 128, 8);
    return (struct both){reg_clamp_i16(p.low), reg_clamp_i16(p.high)};
}

CPU_INLINE reg_i32 table_of(const enum codes codes) {
    const int8_t *values = codes == LOOKED_UP_24   ? mxfp4_values
                           : codes == LOOKED_UP_62 ? iq3_values
                           : codes == LOOKED_UP_86 ? iq2_values
                                                   : iq4_values;
    return reg_table(values, centre_of(codes));
}

/* Bytes of a vector that are accumulated side by side: all of them for a GEMV, which then reads memory in the order of
 * addresses, if there are enough registers. */
CPU_INLINE uint32_t bytes_beside(const int R) {
    return R == 1 && REGISTER_BYTES == PHX_VECTOR / 2 ? PHX_VECTOR : REGISTER_BYTES;
}

/* Prefetches a block's share of the next span for a GEMV that reads each second line, or fewer, of a span in one pass: the
 * CPU's own prefetcher is slow to follow such steps, and stops at the end of a page. Once for each cache line; the address
 * may lie behind the weight, because a prefetch never faults. */
CPU_INLINE void prefetch_next_span(const struct phx_weight_type *type, const uint8_t *span, uint32_t number,
                                   uint32_t word) {
    const uint32_t n_blocks = cpu_span_blocks(type), n = cpu_span_vectors(type), share = (n + n_blocks - 1) / n_blocks;
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < share && word % CACHE_LINE == 0; i++) {
        reg_prefetch(span + (n + number * share + i) * PHX_VECTOR + word);
    }
}

/* Adds block `number` of 16-bit weights to the T of each row, shifted to the common unit. */
CPU_INLINE void add_words(const uint32_t dtype, const int R, const struct hvx_groups *groups, const uint8_t *span,
                          uint32_t number, uint32_t at, uint32_t word, struct both *total) {
    const struct phx_weight_type type = CPU_WEIGHT_TYPES[dtype];
    const reg_i32 power = cpu_power(span + word, number);
    const int32_t *q[CPU_ROWS];
    struct both sums[CPU_ROWS];
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
        q[r] = groups->q[r] + at * (PHX_BLOCK / 2);
    }
    sum_words(R, span + cpu_block_vectors(&type, number) * PHX_VECTOR + word, q, sums);
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
        const reg_i32 shift = power + reg_splat(groups->blocks[r][at].da);
        total[r].low += sums[r].low >> (shift & 0xffff);
        total[r].high += sums[r].high >> (shift >> 16);
    }
}

/* Accumulates block `number` of a span into the PA of each row, for the words at `word` of each vector. */
CPU_INLINE void add_block(const uint32_t dtype, const int R, const struct hvx_groups *groups, const uint8_t *span,
                          uint32_t number, uint32_t at, uint32_t word, const struct super *super, const reg_i32 table,
                          struct both *group) {
    const struct phx_weight_type type = CPU_WEIGHT_TYPES[dtype];
    const enum codes codes = codes_of(dtype);
    const int halves = type.scales_per_block, steps = 8 / halves;
    const uint8_t *p = span + cpu_block_vectors(&type, number) * PHX_VECTOR + word;
    const uint8_t *behind = p + code_vectors(codes) * PHX_VECTOR;
    const bool rounds_down = type.is_unbiased && !phx_has_codebook(&type) && (number + 1) % (1u << type.sum_shift) == 0;
    const int32_t half = rounds_down || type.product_shift ? 0 : (1 << type.sum_shift) >> 1;
    const int32_t *q[CPU_ROWS];
    struct both sums[2][CPU_ROWS];
    if (R == 1 && bytes_beside(R) < PHX_VECTOR) {
        prefetch_next_span(&type, span, number, word);
    }
    if (codes == WORDS) {
        add_words(dtype, R, groups, span, number, at, word, group);
        return;
    }
#pragma clang loop unroll(full)
    for (int r = 0; r < R; r++) {
        q[r] = groups->q[r] + at * (PHX_BLOCK / 4);
    }
#pragma clang loop unroll(full)
    for (int part = 0; part < halves; part++) {
        reg_i32 scale = cpu_scale(dtype, &type, span, behind, number, (uint32_t)part, word, super);
        sum_block(codes, R, p, q, part * steps, (part + 1) * steps, table, sums[part]);
#pragma clang loop unroll(full)
        for (int r = 0; r < R; r++) {
            const struct hvx_block *block = groups->blocks[r] + at * halves + part;
            struct both *sum = &sums[part][r];
            const int32_t added = phx_has_codebook(&type) ? half - type.is_unbiased * part : half;
            *sum = shifted(*sum, added - centred(dtype, block->bias), type.sum_shift);
            if (type.product_shift == 0) {
                reg_add_scaled(&group[r], *sum, reg_mpyr(scale, reg_splat(block->da)));
            }
            if (type.minimums == PHX_MINIMUMS_OF_BLOCKS) {
                const reg_i32 t = reg_splat((int16_t)block->bias);
                reg_add_scaled(&group[r], (struct both){t, t}, reg_load(behind + PHX_VECTOR));
            }
        }
    }
    if (type.product_shift > 0) {
        reg_i32 sc = reg_load(behind);
#pragma clang loop unroll(full)
        for (int r = 0; r < R; r++) {
            const struct hvx_block *block = groups->blocks[r] + at * halves;
            reg_add_scaled(&group[r], times_small_scales(sums[0][r], sums[1][r], sc),
                           reg_mpyr(super->d, reg_splat(block->da)));
        }
    }
}

/* Adds the PA of a finished group, or the shifted sums of floats, to T; of a super-block with minimums in the sums also its
 * minimums. */
CPU_INLINE void drain(const uint32_t dtype, const struct hvx_groups *groups, const int r, uint32_t at, uint32_t word,
                      const struct super *super, struct both *group) {
    uint8_t *totals = (uint8_t *)(groups->totals + 2 * r) + word;
    if (CPU_WEIGHT_TYPES[dtype].minimums == PHX_MINIMUMS_IN_SUMS) {
        reg_i32 b = cpu_minimums_sum(super, groups->blocks[r] + at, 0);
        group->low = reg_rescaled(group->low, super->d << 16 >> 16) + reg_madd_i16(b, super->dm & 0xffff);
        b = cpu_minimums_sum(super, groups->blocks[r] + at, 1);
        group->high = reg_rescaled(group->high, super->d >> 16) + reg_madd_i16(b, (reg_i32)((reg_u32)super->dm >> 16));
    }
    const int32_t ds = CPU_WEIGHT_TYPES[dtype].is_float ? 0 : (int32_t)groups->ds;
    reg_store(totals, reg_load(totals) + (group->low >> ds));
    reg_store(totals + PHX_VECTOR, reg_load(totals + PHX_VECTOR) + (group->high >> ds));
    *group = (struct both){reg_splat(0), reg_splat(0)};
}

CPU_INLINE void sum_groups(const uint32_t dtype, const int R, const struct hvx_groups *groups) {
    const struct phx_weight_type type = CPU_WEIGHT_TYPES[dtype];
    const uint32_t in_group = cpu_group_blocks(&type), span_blocks = cpu_span_blocks(&type);
    const uint32_t span_vectors = cpu_span_vectors(&type), beside = bytes_beside(R), n_beside = beside / REGISTER_BYTES;
    const uint32_t n_blocks = groups->n_groups << cpu_lying_shift(&type);
    const reg_i32 table = table_of(codes_of(dtype));
    const uint8_t *span = (const uint8_t *)groups->w[0] - type.lead_vectors * PHX_VECTOR;
    for (uint32_t first = 0; first < n_blocks; first += span_blocks, span += span_vectors * PHX_VECTOR) {
        for (uint32_t word = 0; word < PHX_VECTOR; word += beside) {
            struct both group[2][CPU_ROWS];
            struct super super[2];
#pragma clang loop unroll(full)
            for (uint32_t i = 0; i < n_beside; i++) {
                if (type.minimums != PHX_MINIMUMS_IN_SUMS) {
                    super[i] = cpu_super(dtype, &type, span, word + i * REGISTER_BYTES);
                }
#pragma clang loop unroll(full)
                for (int r = 0; r < R; r++) {
                    group[i][r] = (struct both){reg_splat(0), reg_splat(0)};
                }
            }
#pragma clang loop unroll(disable)
            for (uint32_t number = 0; number < span_blocks; number++) {
#pragma clang loop unroll(full)
                for (uint32_t i = 0; i < n_beside; i++) {
                    const uint32_t at = word + i * REGISTER_BYTES;
                    add_block(dtype, R, groups, span, number, first + number, at, &super[i], table, group[i]);
                }
                if ((number + 1) % in_group != 0) {
                    continue;
                }
#pragma clang loop unroll(full)
                for (uint32_t i = 0; i < n_beside; i++) {
                    const uint32_t at = word + i * REGISTER_BYTES;
                    if (type.minimums == PHX_MINIMUMS_IN_SUMS) { /* not needed before, and many registers */
                        super[i] = cpu_super(dtype, &type, span, at);
                    }
#pragma clang loop unroll(full)
                    for (int r = 0; r < R; r++) {
                        drain(dtype, groups, r, first, at, &super[i], &group[i][r]);
                    }
                }
            }
        }
    }
}

/* Four tiles times one row: one after the other. */
#define LOOPS(name, dtype)                                                                                             \
    void cpu_sum_##name##_tile(const struct hvx_groups *groups) {                                                      \
        sum_groups(dtype, 1, groups);                                                                                  \
    }                                                                                                                  \
    void cpu_sum_##name##_tiles(const struct hvx_groups *groups) {                                                     \
        struct hvx_groups one = *groups;                                                                               \
        for (int i = 0; i < HVX_RESULTS; i++) {                                                                        \
            one.w[0] = groups->w[i];                                                                                   \
            cpu_sum_##name##_tile(&one);                                                                               \
            one.totals += 2;                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    void cpu_sum_##name##_rows2(const struct hvx_groups *groups) {                                                     \
        sum_groups(dtype, 2, groups);                                                                                  \
    }                                                                                                                  \
    void cpu_sum_##name##_rows3(const struct hvx_groups *groups) {                                                     \
        sum_groups(dtype, 3, groups);                                                                                  \
    }                                                                                                                  \
    void cpu_sum_##name##_rows(const struct hvx_groups *groups) {                                                      \
        sum_groups(dtype, CPU_ROWS, groups);                                                                           \
    }
CPU_LOOPS(LOOPS)
