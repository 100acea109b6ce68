/* SPDX-License-Identifier: MIT
 *
 * GET_ROWS in HVX (reference: dsp/ref/get_rows.c). Gathers a row's codes from its tile word by word, four blocks of 32
 * to a vector, because each vector of a tile holds only 4 bytes of each row. After unpacking, a vector is one block.
 *
 * Reads whole vectors within a row, and at its end only aligned vectors that contain elements of it.
 */
#include "convert.h"
#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "matmul/tables.h"
#include "formats/tiles.h"
#include "ops/op.h"
#include "ops/rolled.h"
#include "ref/get_rows.h"

PHX_DECLARE_KERNELS(get_rows)

#define BLOCKS 4 /* maximum of a group */
#define LANES HVX_LANES_I32
_Static_assert(PHX_BLOCKS_OF_GROUP == BLOCKS && PHX_BLOCK == LANES, "four vectors of results");

#define EACH_BYTE(x) ((int32_t)((x) * 0x01010101u))

/* Position of a row in its tile. */
struct walk {
    struct ref_tile_row row;
    const uint8_t *first; /* the row's word in the first vector behind the table */
    uint32_t half;        /* 1 if the row is one of 32..63 */
    uint32_t n_blocks;
    const uint16_t *table; /* of types with codebooks */
};

/* --- Loads of a group of blocks, word by word: byte c of word j is k = 4*j + c; docs/arithmetic.md, 4 has the layouts.
 * The loads of the next group are interleaved with the vector instructions of this one. Groups of floats have two
 * blocks: these have as many words as four quantized blocks, and more would exceed the registers. --- */

/* In the caller's memory: the compiler would build a vector from a local array, word by word. */
struct words {
    uint32_t codes[LANES] __attribute__((aligned(HVX_BYTES))); /* block after block */
    uint32_t rest[LANES] __attribute__((aligned(HVX_BYTES)));  /* high bits of 5- and 6-bit codes */
};
_Static_assert(sizeof(struct words) <= REF_GET_ROWS_WORK, "lies there");

/* Scales, two blocks to a word, the even lanes' in the low half: blocks 0 and 2, then 1 and 3. Floats: blocks 0 and
 * 1. */
struct scales {
    int32_t last[2], before[2]; /* of a block's last two vectors; Q3_K: of 16 k and of the next 16 */
    int32_t d, dm;              /* of a super-block, twice in a word; types with PHX_MINIMUMS_IN_SUMS have both in d */
    uint32_t minimums;          /* of the four blocks */
};

HVX_INLINE uint32_t blocks_of(const struct phx_weight_type *type) {
    return type->is_float ? 2 : BLOCKS;
}

HVX_INLINE uint32_t word(const uint8_t *from, uint32_t vector) {
    return *(const uint32_t *)(from + vector * HVX_BYTES);
}

HVX_INLINE void put_two(uint32_t *to, uint32_t first, uint32_t second) {
    *(uint64_t *)to = first | (uint64_t)second << 32;
}

/* Loads the row's words of n vectors that are `step` vectors apart. */
HVX_INLINE void fetch_words(uint32_t *to, const uint8_t *from, uint32_t n, uint32_t step) {
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j += 2) {
        put_two(to + j, word(from, step * j), word(from, step * (j + 1)));
    }
}

HVX_INLINE void fetch_codes(struct words *words, uint32_t i, const uint8_t *from, uint32_t half, uint32_t dtype) {
    const uint8_t *from_half = from + half * HVX_BYTES;
    uint32_t *to = words->codes + 8 * i;
    switch (dtype) {
    case PHX_F32:
        fetch_words(words->codes + 16 * i, from_half, 16, 2);
        break;
    case PHX_Q8_0:
        fetch_words(to, from_half, 8, 2);
        break;
    case PHX_Q2_K:
        fetch_words(words->codes + 4 * i, from, 4, 1);
        break;
    case PHX_Q3_K: /* each fourth word consists of the upper bits of the three words before it */
        HVX_UNROLL
        for (uint32_t part = 0; part < 2; part++) {
            put_two(to + 4 * part, word(from, 3 * part), word(from, 3 * part + 1));
            put_two(to + 4 * part + 2, word(from, 3 * part + 2), word(from_half, 3 * part));
        }
        break;
    case PHX_Q5_0:
    case PHX_Q5_1:
    case PHX_Q5_K:
        fetch_words(to, from, 8, 1);
        fetch_words(words->rest + 2 * i, from + 8 * HVX_BYTES, 2, 1);
        break;
    case PHX_Q6_K:
        fetch_words(to, from, 8, 1);
        fetch_words(words->rest + 4 * i, from + 8 * HVX_BYTES, 4, 1);
        break;
    default:
        fetch_words(to, from, 8, 1);
    }
}

/* Returns the row's number in a vector of scales. */
HVX_INLINE uint32_t scale_of(const uint8_t *vector, uint32_t half) {
    return ((const uint16_t *)vector)[half];
}

HVX_INLINE int32_t two_scales(uint32_t even, uint32_t odd) {
    return (int32_t)(odd << 16 | even);
}

HVX_INLINE int32_t twice(uint32_t x) {
    return two_scales(x & 0xffff, x);
}

/* Expands power-of-two scales of two blocks, which are `odd` nibbles apart. */
HVX_INLINE int32_t two_powers(uint32_t powers, uint32_t odd) {
    return two_scales(1 << 14 >> (powers & 15), 1 << 14 >> (powers >> 4 * odd & 15));
}

/* Loads scales that are stored behind the codes of their blocks. */
HVX_INLINE struct scales fetch_scales(const uint8_t *const at[BLOCKS], uint32_t half,
                                      const struct phx_weight_type *type) {
    const uint32_t last = (type->vectors_per_block - 1) * HVX_BYTES, before = last - HVX_BYTES;
    struct scales scales = {{0, 0}, {0, 0}, 0, 0, 0};
    HVX_UNROLL
    for (uint32_t pair = 0; pair < 2 && !type->group_vectors; pair++) {
        scales.last[pair] = two_scales(scale_of(at[pair] + last, half), scale_of(at[pair + 2] + last, half));
        if (type->minimums == PHX_MINIMUMS_OF_BLOCKS || phx_has_codebook(type)) {
            scales.before[pair] = two_scales(scale_of(at[pair] + before, half), scale_of(at[pair + 2] + before, half));
        }
    }
    return scales;
}

/* The row's numbers of two vectors and of two more, and the scales computed from them. */
struct spread {
    int16_t v[4];
};

HVX_INLINE struct spread fetch_four(const uint8_t *two, const uint8_t *others, uint32_t half) {
    return (struct spread){{(int16_t)scale_of(two, half), (int16_t)scale_of(two + HVX_BYTES, half),
                            (int16_t)scale_of(others, half), (int16_t)scale_of(others + HVX_BYTES, half)}};
}

HVX_INLINE int32_t spread_number(const struct spread *of) {
    return phx_spread_number(of->v[0], of->v[1], of->v[2], of->v[3]);
}

/* Loads 6-bit scales of group i_group of two; the pointers are to the scales of both groups and to the minimums, if
 * any. */
HVX_INLINE struct scales fetch_spread(const uint8_t *first, const uint8_t *second, const uint8_t *trail, uint32_t half,
                                      uint32_t i_group, const struct phx_weight_type *type) {
    struct spread d = fetch_four(first, second, half);
    uint32_t both = (uint32_t)two_scales((uint16_t)(i_group ? d.v[2] : d.v[0]), (uint32_t)(i_group ? d.v[3] : d.v[1]));
    uint32_t number = (uint16_t)spread_number(&d);
    struct scales scales = {.last = {(int32_t)(both & 0x003f003f), (int32_t)(both >> 8 & 0x003f003f)},
                            .d = twice(number)};
    if (type->trail_vectors) {
        struct spread dm = fetch_four(trail, trail + 2 * HVX_BYTES, half);
        scales.d = two_scales(number, (uint32_t)spread_number(&dm));
        scales.minimums = word(trail, 2 * half + i_group);
    }
    return scales;
}

/* Loads group i of a Q3_K row: small scales in the upper 6 bits of 16. */
HVX_INLINE struct scales fetch_threes(struct words *words, const struct walk *walk, uint32_t i, uint32_t dtype,
                                      const struct phx_weight_type *type) {
    const uint32_t block_bytes = type->vectors_per_block * HVX_BYTES, three_bytes = type->group_vectors * HVX_BYTES;
    const uint8_t *lead = walk->first + i / 2 * phx_super_bytes(type);
    const uint8_t *at = lead + type->lead_vectors * HVX_BYTES + i % 2 * (BLOCKS * block_bytes + three_bytes);
    const uint8_t *three = at + 2 * block_bytes;
    uint32_t half = walk->half;
    HVX_UNROLL
    for (uint32_t block = 0; block < BLOCKS; block++) {
        fetch_codes(words, block, at + block * block_bytes + block / 2 * three_bytes, half, dtype);
    }
    uint32_t v0 = scale_of(three, half), v1 = scale_of(three + HVX_BYTES, half);
    uint32_t v2 = scale_of(three + 2 * HVX_BYTES, half);
    return (struct scales){.last = {two_scales(v0, v1 << 10), two_scales(((v0 << 6) + (v1 << 2)) & 0xffff, v2)},
                           .before = {two_scales((v0 << 10) & 0xffff, (v2 << 6) + (v1 << 4)), two_scales(v1, v2 << 10)},
                           .d = twice(scale_of(lead, half))};
}

/* Loads group i of the row. Blocks beyond the row repeat the last one. */
HVX_INLINE struct scales fetch(struct words *words, const struct walk *walk, uint32_t i, uint32_t dtype,
                               const struct phx_weight_type *type) {
    if (phx_has_threes(type)) {
        return fetch_threes(words, walk, i, dtype, type);
    }
    const uint32_t n = blocks_of(type), block_bytes = type->vectors_per_block * HVX_BYTES;
    const uint32_t lead_bytes = (type->lead_vectors + type->group_vectors) * HVX_BYTES;
    const uint32_t n_groups = type->is_float || type->k_step == PHX_SUPER_BLOCK ? 2 : 1; /* groups that share scales */
    const bool is_spread = type->minimums == PHX_MINIMUMS_IN_SUMS;
    const uint32_t bytes = is_spread ? phx_super_bytes(type) : lead_bytes + n_groups * n * block_bytes;
    uint32_t half = walk->half, i_group = i % n_groups;
    const uint8_t *lead = walk->first + i / n_groups * bytes, *at[BLOCKS];
    at[0] = lead + lead_bytes + i_group * n * block_bytes;
    if (is_spread) {
        at[0] += i_group * lead_bytes;
    }
    HVX_UNROLL
    for (uint32_t block = 0; block < n; block++) {
        if (block > 0) {
            bool is_there = type->k_step == PHX_SUPER_BLOCK || i * n + block < walk->n_blocks;
            at[block] = at[block - 1] + (is_there ? block_bytes : 0);
        }
        fetch_codes(words, block, at[block], half, dtype);
    }
    if (is_spread) {
        const uint8_t *second = lead + lead_bytes + n * block_bytes;
        return fetch_spread(lead, second, lead + 2 * (second - lead), half, i_group, type);
    }
    if (phx_leads_with_scales(type)) {
        return fetch_spread(lead, lead + 2 * HVX_BYTES, NULL, half, i_group, type);
    }
    struct scales scales = fetch_scales(at, half, type);
    if (type->group_vectors) {
        uint32_t powers = scale_of(lead, half) >> 8 * i_group;
        scales.last[0] = two_powers(powers, type->is_float ? 1 : 2);
        scales.last[1] = two_powers(powers >> 4, 2);
    }
    if (type->lead_vectors) {
        scales.d = twice(scale_of(lead, half));
        scales.dm = type->minimums ? twice(scale_of(lead + HVX_BYTES, half)) : 0;
    }
    return scales;
}

/* --- Unpacking codes of four blocks, one byte each, in order --- */

HVX_INLINE HVX_Vector cut(HVX_Vector v, uint32_t first_bit, uint32_t mask) {
    return Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, (int32_t)first_bit), Q6_V_vsplat_R(EACH_BYTE(mask)));
}

/* Returns each word followed by the same word shifted right by `bits`. */
HVX_INLINE HVX_Vector and_shifted(HVX_Vector v, uint32_t bits) {
    return Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_Vuw_vlsr_VuwR(v, (int32_t)bits), v, -4));
}

/* Unpacks 5- and 6-bit codes. Rows 32..63 have the high bits in v, above a code of another row, and the low bits in
 * vrest. */
HVX_INLINE HVX_Vector wide_codes(HVX_Vector v, HVX_Vector vrest, uint32_t half, uint32_t bits) {
    uint32_t rest = 2 * bits - 8, all = (1u << bits) - 1, low = (1u << rest) - 1;
    HVX_Vector vhigh = cut(v, half ? bits - rest : 0, half ? all - low : all);
    return Q6_V_vor_VV(vhigh, Q6_V_vand_VV(vrest, Q6_V_vsplat_R(half ? EACH_BYTE(low) : 0)));
}

/* Unpacks 3-bit codes: the fourth word of four has 2 bits here, its third bit is in the word before. */
HVX_INLINE HVX_Vector codes_of_threes(HVX_Vector v, uint32_t half) {
    HVX_Vector vzero = Q6_V_vzero();
    HVX_Vector vsecond = Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_vsplat_R(-1), vzero, -4));
    HVX_VectorPred qfourth = Q6_Q_vcmp_gt_VwVw(vzero, Q6_V_lo_W(Q6_W_vshuff_VVR(vsecond, vzero, -4)));
    HVX_Vector vlast = Q6_V_vor_VV(cut(v, 6, 3), cut(Q6_V_vror_VR(v, HVX_BYTES - 4), 4 + half, 4));
    return Q6_V_vmux_QVV(qfourth, vlast, cut(v, 3 * half, 7));
}

HVX_INLINE HVX_Vector codes(const struct words *words, uint32_t half, uint32_t dtype) {
    HVX_Vector v = *(const HVX_Vector *)words->codes, vrest = *(const HVX_Vector *)words->rest;
    switch (dtype) {
    case PHX_Q8_0:
        return v;
    case PHX_Q2_K:
        return cut(and_shifted(v, 4), 2 * half, 3);
    case PHX_Q3_K:
        return codes_of_threes(v, half);
    case PHX_Q5_0:
    case PHX_Q5_1:
    case PHX_Q5_K:
        return wide_codes(v, and_shifted(and_shifted(vrest, 4), 2), half, 5);
    case PHX_Q6_K:
        return wide_codes(v, and_shifted(vrest, 4), half, 6);
    default:
        return cut(v, 4 * half, 15);
    }
}

static const hvx_table iq4_values = HVX_TABLE(1, 0, PHX_IQ4_VALUES);
static const hvx_table mxfp4_values = HVX_TABLE(1, 0, PHX_MXFP4_VALUES);
static const hvx_table iq3_values = HVX_TABLE(1, 0, PHX_IQ3_VALUES);
static const hvx_table iq2_values = HVX_TABLE(1, 0, PHX_IQ2_VALUES);

/* The table of a type that has a codebook. */
static const uint16_t *codebook_of(uint32_t dtype) {
    return dtype == PHX_IQ3_XXS ? iq3_values : dtype == PHX_IQ2_S ? iq2_values : mxfp4_values;
}

/* Converts codes to the signed factors of the block sum. */
HVX_INLINE HVX_Vector factors_i8(HVX_Vector vcodes, uint32_t dtype, uint32_t centre, const uint16_t *table) {
    switch (dtype) {
    case PHX_NVFP4: /* and the other types with codebooks */
        return Q6_Vb_vlut32_VbVbR_nomatch(vcodes, *(const HVX_Vector *)table, 0);
    case PHX_IQ4_NL:
    case PHX_IQ4_XS:
        return Q6_Vb_vlut32_VbVbR_nomatch(vcodes, *(const HVX_Vector *)iq4_values, 0);
    case PHX_MXFP4:
        return Q6_Vb_vlut32_VbVbR_nomatch(vcodes, *(const HVX_Vector *)mxfp4_values, 0);
    default:
        return Q6_Vb_vsub_VbVb(vcodes, Q6_V_vsplat_R(EACH_BYTE(centre)));
    }
}

/* --- Dequantization. Two blocks share a vector of int16, in the even and the odd lanes: blocks 0 and 2, 1 and 3. int16
 * multiplications separate them. --- */

/* Returns the factors. For types with minimums of super-blocks they are multiplied by 2^9. */
HVX_INLINE HVX_VectorPair factors_i16(const struct words *words, const struct walk *walk, uint32_t dtype,
                                      const struct phx_weight_type *type) {
    uint32_t half = walk->half;
    if (type->is_float) {
        return Q6_W_vcombine_VV(Q6_V_vzero(), Q6_Vh_vshuff_Vh(*(const HVX_Vector *)words->codes));
    }
    HVX_Vector v = codes(words, half, dtype);
    if (type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) { /* 2-bit types */
        v = Q6_Vb_vshuff_Vb(Q6_Vb_vshuff_Vb(Q6_Vw_vasl_VwR(v, 2)));
        return Q6_Wuh_vmpy_VubRub(v, EACH_BYTE(1u << 7));
    }
    return Q6_Wh_vsxt_Vb(Q6_Vb_vshuff_Vb(Q6_Vb_vshuff_Vb(factors_i8(v, dtype, type->centre, walk->table))));
}

/* Returns a vector with one word in the first 16 lanes and another one in the last 16. */
HVX_INLINE HVX_Vector splat_halves(int32_t first, int32_t second) {
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R(HVX_BYTES / 2), Q6_V_vsplat_R(first), Q6_V_vsplat_R(second));
}

/* Extracts bits of two blocks' small scales: from the first bytes for the first 16 k, from the second bytes for the
 * other 16. */
HVX_INLINE HVX_Vector small(int32_t two, int32_t up, int32_t mask) {
    HVX_Vector vshift = splat_halves(twice((uint32_t)up), twice((uint32_t)(up - 8)));
    return Q6_V_vand_VV(Q6_Vh_vasl_VhVh(Q6_V_vsplat_R(two), vshift), hvx_splat_i16(mask));
}

HVX_INLINE HVX_Vector scales_i16(const struct scales *scales, uint32_t pair, uint32_t dtype) {
    switch (dtype) {
    case PHX_Q4_1:
    case PHX_Q5_1:
        return Q6_V_vsplat_R(scales->before[pair]);
    case PHX_Q6_K:
        return hvx_mpyr_scalar_i16(small(scales->last[pair], 8, 0xff00), scales->d);
    case PHX_Q2_K:
        return hvx_mpyr_scalar_i16(small(scales->last[pair], 11, 0x7800), scales->d);
    case PHX_Q3_K:
        return hvx_mpyr_scalar_i16(
            Q6_V_vand_VV(splat_halves(scales->last[pair], scales->before[pair]), hvx_splat_i16(0xfc00)), scales->d);
    case PHX_IQ4_XS:
        return hvx_mpyr_scalar_i16(Q6_V_vsplat_R(scales->last[pair] << 10), scales->d);
    case PHX_NVFP4:
        return splat_halves(scales->before[pair], scales->last[pair]);
    default:
        return Q6_V_vsplat_R(scales->last[pair]);
    }
}

HVX_INLINE HVX_VectorPair shifted(HVX_VectorPair w, uint32_t shift) {
    return Q6_W_vcombine_VV(Q6_Vw_vasr_VwR(Q6_V_hi_W(w), (int32_t)shift), Q6_Vw_vasr_VwR(Q6_V_lo_W(w), (int32_t)shift));
}

/* Returns the minimums of super-blocks as they are subtracted. */
HVX_INLINE HVX_VectorPair minimums(const struct scales *scales, uint32_t pair, uint32_t shift) {
    return shifted(Q6_Ww_vmpy_VhRh(small(scales->last[pair], 5, 15 << 9), scales->dm), shift);
}

/* Dequantizes two blocks to float32: factors times scales plus minimums. */
HVX_INLINE HVX_VectorPair two_blocks(const struct ref_tile_row *row, const struct scales *scales, uint32_t pair,
                                     HVX_Vector vfactors, uint32_t dtype, const struct phx_weight_type *type) {
    HVX_VectorPair w;
    if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
        w = Q6_Ww_vmpy_VhRh(Q6_Vh_vmpyi_VhVh(vfactors, Q6_V_vsplat_R(scales->last[pair])), twice((uint32_t)scales->d));
        int32_t times = (int32_t)((scales->minimums >> 8 * pair & 0x003f003f) << (2 + type->sum_shift));
        w = Q6_Ww_vmpyacc_WwVhRh_sat(w, Q6_V_vsplat_R(times), twice((uint32_t)scales->d >> 16));
    } else {
        w = Q6_Ww_vmpy_VhVh(vfactors, scales_i16(scales, pair, dtype));
    }
    if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
        HVX_Vector vminimums = Q6_V_vsplat_R(scales->last[pair]);
        w = Q6_Ww_vadd_WwWw(w, Q6_Ww_vmpy_VhRh(vminimums, twice(1u << row->block_minimum_shift)));
    }
    if (type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) {
        w = Q6_Ww_vsub_WwWw(shifted(w, row->shift), minimums(scales, pair, row->minimum_shift));
    }
    HVX_Vector vunit = Q6_V_vsplat_R(row->unit);
    return Q6_W_vcombine_VV(math_pack(Q6_V_hi_W(w), vunit), math_pack(Q6_V_lo_W(w), vunit));
}

/* Dequantizes n elements, a multiple of PHX_BLOCK for quantized types. */
HVX_INLINE void unpack(const struct walk *of_row, struct words *words, uint8_t *to, uint32_t n, uint32_t dtype,
                       const struct phx_weight_type *type) {
    const struct walk walk = *of_row; /* a copy in registers: stores to `to` cannot alias it */
    const uint32_t group_bytes = blocks_of(type) * HVX_BYTES, n_of_group = blocks_of(type) * PHX_BLOCK;
    uint8_t end[BLOCKS * HVX_BYTES] __attribute__((aligned(HVX_BYTES)));
    uint32_t n_whole = n / n_of_group, last = (n - 1) / n_of_group;
    struct scales next = fetch(words, &walk, 0, dtype, type);
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i <= last; i++) {
        struct scales scales = next;
        HVX_VectorPair wfactors = factors_i16(words, &walk, dtype, type);
        next = fetch(words, &walk, i < last ? i + 1 : last, dtype, type);
        uint8_t *group = i < n_whole ? to + i * group_bytes : end;
        HVX_UNROLL
        for (uint32_t pair = 0; pair < blocks_of(type) / 2; pair++) {
            HVX_Vector v = pair ? Q6_V_hi_W(wfactors) : Q6_V_lo_W(wfactors);
            HVX_VectorPair w = two_blocks(&walk.row, &scales, pair, v, dtype, type);
            hvx_store_u(group + pair * HVX_BYTES, Q6_V_lo_W(w));
            hvx_store_u(group + (pair + blocks_of(type) / 2) * HVX_BYTES, Q6_V_hi_W(w));
        }
    }
    if (n % n_of_group) {
        hvx_copy_bytes(to + n_whole * group_bytes, end, n % n_of_group * sizeof(float));
    }
}

/* One function per row of idl/types.h, in which the type's constants are known at compile time. Types with codebooks
 * differ in their table alone. */
static __attribute__((noinline)) void unpack_NVFP4(const struct walk *walk, struct words *restrict words, uint8_t *to,
                                                   uint32_t n);
#define TYPE(name, ...)                                                                                                \
    static __attribute__((noinline)) void unpack_##name(const struct walk *walk, struct words *restrict words,         \
                                                        uint8_t *to, uint32_t n) {                                     \
        static const struct phx_weight_type type = {__VA_ARGS__};                                                      \
        if (type.is_float && PHX_##name != PHX_F32) {                                                                  \
            unpack_F32(walk, words, to, n);                                                                            \
        } else if (phx_has_codebook(&type) && PHX_##name != PHX_NVFP4) {                                               \
            unpack_NVFP4(walk, words, to, n);                                                                          \
        } else {                                                                                                       \
            unpack(walk, words, to, n, PHX_##name, &type);                                                             \
        }                                                                                                              \
    }
#include "../../idl/types.h"
#undef TYPE

#define TYPE(name, ...) [PHX_##name] = unpack_##name,
static void (*const unpackers[])(const struct walk *walk, struct words *restrict words, uint8_t *to, uint32_t n) = {
#include "../../idl/types.h"
};
#undef TYPE

static void fill_nan(uint8_t *to, uint32_t n) {
    for (uint32_t i = 0; i < n; i += LANES) {
        hvx_store_some_u(to + i * sizeof(float), Q6_V_vsplat_R(MATH_NAN), (n - i) * sizeof(float));
    }
}

uint32_t phx_get_rows_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_tensor *from = &call->src[0]->view;
    const struct phx_operand *dst = call->dst[0];
    uint32_t n = dst->view.ne[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t i = slice->first_row; i < slice->end_row; i++) {
        struct ref_source_row source;
        uint8_t *to = phx_row(dst, at);
        if (!ref_find_source(call, at, &source)) {
            return PHX_E_INDEX;
        }
        if (from->layout == PHX_LAYOUT_TILES) {
            struct ref_tile_row row = ref_tile_row(from->dtype, n, source.data, source.row);
            if (row.is_nan) {
                fill_nan(to, n);
            } else {
                struct walk walk = {.row = row, .half = row.row / 32, .n_blocks = phx_n_blocks(n)};
                walk.table = codebook_of(from->dtype);
                walk.first = row.tile + PHX_TABLE_BYTES + 4 * (row.row % 32);
                unpackers[from->dtype](&walk, work, to, n);
            }
        } else {
            hvx_convert(from->dtype, source.data, PHX_F32, to, n);
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
