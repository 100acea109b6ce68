/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/get_rows.c in HVX. A row's codes are gathered from its tile word by word, four blocks of 32 to a vector: of
 * the 64 rows of a tile, each vector there holds 4 bytes of this one. From then on a vector is a block.
 *
 * Reads whole vectors within a row; at its end those aligned vectors which hold elements of it.
 */
#include "convert.h"
#include "hvx.h"
#include "math/hvx/float32.h"
#include "matmul/tables.h"
#include "ops/matmul/tiles.h"
#include "ops/op.h"
#include "ref/get_rows.h"

#define BLOCKS 4 /* to a vector of codes */
_Static_assert(BLOCKS == PHX_BLOCKS_OF_GROUP, "a group at a time");
#define LANES HVX_LANES_I32

static void store(uint8_t *to, HVX_Vector v, uint32_t n_elements) {
    if (n_elements >= LANES) {
        hvx_store_u(to, v);
    } else {
        hvx_store_partial_u(to, v, n_elements * sizeof(float));
    }
}

/* --- Codes of one row and block: byte c of word j is k = 4*j + c. `from` is the row's word of the block's first
 * vector, half says whether the row is one of 32..63. docs/arithmetic.md, 4 has the layouts. --- */

#define EACH_BYTE(x) ((x) * 0x01010101u)

HVX_INLINE uint32_t word(const uint8_t *from, uint32_t vector) {
    return *(const uint32_t *)(from + vector * HVX_BYTES);
}

/* The row's words of n vectors, each `step` after the one before, as they are. */
HVX_INLINE void gather_words(uint32_t *to, const uint8_t *from, uint32_t n, uint32_t step) {
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j += 2) {
        *(uint64_t *)(to + j) = word(from, step * j) | (uint64_t)word(from, step * (j + 1)) << 32;
    }
}

HVX_INLINE void gather_pairs(uint32_t *to, const uint8_t *from, uint32_t half) {
    HVX_UNROLL
    for (uint32_t v = 0; v < 4; v++) {
        uint32_t pairs = word(from, v) >> 2 * half;
        to[2 * v] = pairs & EACH_BYTE(3);
        to[2 * v + 1] = pairs >> 4 & EACH_BYTE(3);
    }
}

HVX_INLINE void gather_threes(uint32_t *to, const uint8_t *from, uint32_t half) {
    HVX_UNROLL
    for (uint32_t part = 0; part < 2; part++) {
        uint32_t words[3];
        HVX_UNROLL
        for (uint32_t v = 0; v < 3; v++) {
            words[v] = word(from, 3 * part + v);
            to[4 * part + v] = words[v] >> 3 * half & EACH_BYTE(7);
        }
        uint32_t low = (half ? words[1] : words[0]) >> 6 & EACH_BYTE(3);
        to[4 * part + 3] = low | (words[2] >> (6 + half) & EACH_BYTE(1)) << 2;
    }
}

/* Codes of 5 or 6 bits: rows 32..63 have their low `rest` bits behind the eight vectors. */
HVX_INLINE void gather_wide(uint32_t *to, const uint8_t *from, uint32_t half, uint32_t bits) {
    uint32_t rest = 2 * bits - 8, in_byte = 8 / rest;
    HVX_UNROLL
    for (uint32_t j = 0; j < 8; j++) {
        if (half) {
            uint32_t low = word(from, 8 + j / in_byte) >> rest * (j % in_byte) & EACH_BYTE((1u << rest) - 1);
            to[j] = (word(from, j) >> bits & EACH_BYTE((1u << (8 - bits)) - 1)) << rest | low;
        } else {
            to[j] = word(from, j) & EACH_BYTE((1u << bits) - 1);
        }
    }
}

HVX_INLINE void gather(uint32_t dtype, uint32_t *to, const uint8_t *from, uint32_t half) {
    switch (dtype) {
    case PHX_Q8_0:
        gather_words(to, from + half * HVX_BYTES, 8, 2);
        break;
    case PHX_Q2_K:
        gather_pairs(to, from, half);
        break;
    case PHX_Q3_K:
        gather_threes(to, from, half);
        break;
    case PHX_Q5_0:
    case PHX_Q5_1:
    case PHX_Q5_K:
        gather_wide(to, from, half, 5);
        break;
    case PHX_Q6_K:
        gather_wide(to, from, half, 6);
        break;
    default:
        gather_words(to, from, 8, 1);
    }
}

/* Codes of four blocks, of what gather() has left to be done for all of them at once. */
HVX_INLINE HVX_Vector codes(uint32_t dtype, HVX_Vector v, uint32_t half) {
    switch (dtype) {
    case PHX_Q8_0:
    case PHX_Q2_K:
    case PHX_Q3_K:
    case PHX_Q5_0:
    case PHX_Q5_1:
    case PHX_Q5_K:
    case PHX_Q6_K:
        return v;
    default:
        return Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, (int32_t)(4 * half)), Q6_V_vsplat_R((int32_t)EACH_BYTE(15)));
    }
}

static const hvx_table iq4_values = HVX_TABLE(1, 0, PHX_IQ4_VALUES);
static const hvx_table mxfp4_values = HVX_TABLE(1, 0, PHX_MXFP4_VALUES);

/* Codes to the signed factors of the block sum. */
HVX_INLINE HVX_Vector factors_i8(uint32_t dtype, HVX_Vector vcodes) {
    uint32_t centre = phx_weight_types[dtype].centre;
    switch (dtype) {
    case PHX_IQ4_NL:
    case PHX_IQ4_XS:
        return Q6_Vb_vlut32_VbVbR_nomatch(vcodes, *(const HVX_Vector *)iq4_values, 0);
    case PHX_MXFP4:
        return Q6_Vb_vlut32_VbVbR_nomatch(vcodes, *(const HVX_Vector *)mxfp4_values, 0);
    default:
        return Q6_Vb_vsub_VbVb(vcodes, Q6_V_vsplat_R((int32_t)EACH_BYTE(centre)));
    }
}

/* What a block adds to the codes of a row, by halves of 16 k. */
struct scales {
    int32_t scale[2];
    int32_t added[2];
};

/* A row on its way through a tile. */
struct walk {
    struct ref_tile_row row;
    uint32_t half;
    uint32_t block_bytes, super_bytes; /* of a block; of what lies before and behind the blocks of 256 k */
    const uint8_t *block;              /* the row's word in the first vector of the next block */
    uint32_t i_block;                  /* of its super-block */
    uint32_t powers;                   /* nibbles of the blocks that are left of a group */
};

/* The row's int16 of a vector of scales. */
HVX_INLINE int32_t scale_of(const uint8_t *vector, uint32_t half) {
    return ((const int16_t *)vector)[half];
}

HVX_INLINE int32_t multiply_i16(int32_t a, int32_t b) {
    int32_t product = (a * b + 0x4000) >> 15;
    return product > INT16_MAX ? INT16_MAX : product;
}

HVX_INLINE int32_t minimum_of(const struct walk *walk, uint32_t minimum, int32_t dm) {
    return -((int32_t)(minimum * (uint32_t)dm << 9) >> walk->row.minimum_shift);
}

/* Whether scales are powers of two, in front of 4 blocks. */
HVX_INLINE bool in_groups(uint32_t dtype) {
    return dtype == PHX_F32 || dtype == PHX_MXFP4;
}

/* At the scales of the next 4 blocks, which lie in front of them. */
HVX_INLINE void begin_group(struct walk *walk) {
    walk->powers = (uint16_t)scale_of(walk->block, walk->half);
    walk->block += HVX_BYTES;
}

HVX_INLINE struct scales scales_of(struct walk *walk, uint32_t dtype) {
    const uint8_t *block = walk->block, *scales = block + walk->block_bytes - HVX_BYTES;
    uint32_t half = walk->half, i = walk->i_block;
    if (dtype == PHX_Q2_K || dtype == PHX_Q3_K) {
        const uint8_t *lead = block - i * walk->block_bytes - walk->super_bytes;
        int32_t d = scale_of(lead, half), bytes[2] = {scales[2 * half], scales[2 * half + 1]};
        struct scales found = {{0, 0}, {0, 0}};
        HVX_UNROLL
        for (int part = 0; part < 2; part++) {
            if (dtype == PHX_Q3_K) {
                found.scale[part] = multiply_i16(d, (((bytes[part] & 63) ^ 32) - 32) * 1024);
            } else {
                found.scale[part] = multiply_i16(d, (bytes[part] & 15) * 2048);
                found.added[part] = minimum_of(walk, (uint32_t)bytes[part] >> 4, scale_of(lead + HVX_BYTES, half));
            }
        }
        return found;
    }
    if (in_groups(dtype)) {
        struct scales found; /* of which the rest is not read */
        found.scale[0] = 1 << 14 >> (walk->powers & 15);
        walk->powers >>= 4;
        return found;
    }
    if (dtype == PHX_Q6_K) {
        return (struct scales){{scale_of(scales - HVX_BYTES, half), scale_of(scales, half)}, {0, 0}};
    }
    int32_t scale = scale_of(scales, half), added = 0;
    if (dtype == PHX_Q4_1 || dtype == PHX_Q5_1) {
        added = scale * (1 << walk->row.block_minimum_shift);
        scale = scale_of(scales - HVX_BYTES, half);
    }
    if (dtype == PHX_Q4_K || dtype == PHX_Q5_K) {
        const uint8_t *minimums = block + (PHX_SUPER_BLOCK / PHX_BLOCK - i) * walk->block_bytes;
        added = minimum_of(walk, minimums[(2 * half + i / 4) * HVX_BYTES + i % 4],
                           scale_of(minimums + 4 * HVX_BYTES, half));
    }
    return (struct scales){{scale, scale}, {added, added}};
}

/* One number for the first 16 lanes, one for the others. */
HVX_INLINE HVX_Vector splat_halves(int32_t first, int32_t second) {
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R(HVX_BYTES / 2), Q6_V_vsplat_R(first), Q6_V_vsplat_R(second));
}

/* The 32 numbers of a block: factors times scale and what is added, in floats. */
HVX_INLINE HVX_Vector block_to_f32(const struct walk *walk, struct scales scales, HVX_Vector vfactors, uint32_t dtype) {
    bool one_scale = dtype != PHX_Q2_K && dtype != PHX_Q3_K && dtype != PHX_Q6_K;
    bool has_added = dtype == PHX_Q2_K || dtype == PHX_Q4_K || dtype == PHX_Q5_K || dtype == PHX_Q4_1 ||
                     dtype == PHX_Q5_1;
    HVX_Vector v;
    if (one_scale) {
        v = Q6_Vw_vmpyi_VwRh(vfactors, (int32_t)((uint32_t)scales.scale[0] << 16 | (scales.scale[0] & 0xffff)));
    } else {
        HVX_Vector vscale = splat_halves(scales.scale[0] * 65536, scales.scale[1] * 65536);
        v = Q6_Vw_vmpyio_VwVh(vfactors, vscale);
    }
    if (dtype == PHX_Q2_K || dtype == PHX_Q4_K || dtype == PHX_Q5_K) {
        v = Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(v, 9), (int32_t)walk->row.shift);
    }
    if (has_added) {
        HVX_Vector vadded = one_scale ? Q6_V_vsplat_R(scales.added[0]) : splat_halves(scales.added[0], scales.added[1]);
        v = Q6_Vw_vadd_VwVw(v, vadded);
    }
    return math_pack(v, Q6_V_vsplat_R(walk->row.unit));
}

HVX_INLINE void next_block(struct walk *walk) {
    walk->block += walk->block_bytes;
    if (++walk->i_block == PHX_SUPER_BLOCK / PHX_BLOCK) {
        walk->i_block = 0;
        walk->block += walk->super_bytes;
    }
}

/* n blocks side by side: BLOCKS, or what is left of the row. */
HVX_INLINE void unpack_group(struct walk *walk, uint8_t *to, uint32_t n, uint32_t dtype) {
    uint32_t words[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    struct scales scales[BLOCKS];
    if (in_groups(dtype)) {
        begin_group(walk);
    }
    for (uint32_t i = 0; i < n; i++) {
        gather(dtype, words + 8 * i, walk->block, walk->half);
        scales[i] = scales_of(walk, dtype);
        next_block(walk);
    }
    HVX_Vector vcodes = codes(dtype, *(const HVX_Vector *)words, walk->half);
    HVX_VectorPair wfactors = Q6_Wh_vunpack_Vb(factors_i8(dtype, vcodes));
    HVX_VectorPair wlow = Q6_Ww_vunpack_Vh(Q6_V_lo_W(wfactors)), whigh = Q6_Ww_vunpack_Vh(Q6_V_hi_W(wfactors));
    HVX_Vector v[BLOCKS] = {Q6_V_lo_W(wlow), Q6_V_hi_W(wlow), Q6_V_lo_W(whigh), Q6_V_hi_W(whigh)};
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        v[i] = block_to_f32(walk, scales[i < n ? i : 0], v[i], dtype);
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (i < n) {
            hvx_store_u(to + i * HVX_BYTES, v[i]);
        }
    }
}

/* Whole blocks: all quantised types have them. */
HVX_INLINE void unpack_blocks(struct walk *walk, uint8_t *to, uint32_t n_blocks, uint32_t dtype) {
    for (; n_blocks >= BLOCKS; n_blocks -= BLOCKS) {
        unpack_group(walk, to, BLOCKS, dtype);
        to += BLOCKS * HVX_BYTES;
    }
    if (n_blocks) {
        unpack_group(walk, to, n_blocks, dtype);
    }
}

/* Float weights: int16 numbers, and any number of them. */
static __attribute__((noinline)) void unpack_floats(struct walk *walk, uint8_t *to, uint32_t n) {
    for (uint32_t k = 0; k < n; k += PHX_BLOCK) {
        uint32_t words[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
        if (walk->i_block % PHX_BLOCKS_OF_GROUP == 0) {
            begin_group(walk);
        }
        HVX_UNROLL
        for (uint32_t j = 0; j < PHX_BLOCK / 2; j++) {
            words[j] = word(walk->block + walk->half * HVX_BYTES, 2 * j);
        }
        HVX_Vector vfactors = Q6_V_lo_W(Q6_Ww_vunpack_Vh(*(const HVX_Vector *)words));
        store(to, block_to_f32(walk, scales_of(walk, PHX_F32), vfactors, PHX_F32), n - k);
        walk->block += walk->block_bytes;
        walk->i_block++;
        to += HVX_BYTES;
    }
}

/* One function for each row of idl/types.h, in which all that depends on the type is known. */
#define TYPE(name, ...)                                                                                                \
    static __attribute__((noinline)) void unpack_##name(struct walk *walk, uint8_t *to, uint32_t n) {                  \
        if ((struct phx_weight_type){__VA_ARGS__}.is_float) {                                                          \
            unpack_floats(walk, to, n);                                                                                \
        } else {                                                                                                       \
            unpack_blocks(walk, to, n / PHX_BLOCK, PHX_##name);                                                        \
        }                                                                                                              \
    }
#include "../../idl/types.h"
#undef TYPE

#define TYPE(name, ...) [PHX_##name] = unpack_##name,
static void (*const unpackers[])(struct walk *walk, uint8_t *to, uint32_t n) = {
#include "../../idl/types.h"
};
#undef TYPE

static void unpack_row(uint32_t dtype, struct ref_tile_row row, uint8_t *to, uint32_t n) {
    const struct phx_weight_type *type = phx_weight_type(dtype);
    uint32_t half = row.row / 32;
    struct walk walk = {.row = row,
                        .half = half,
                        .block_bytes = type->vectors_per_block * HVX_BYTES,
                        .super_bytes = (type->lead_vectors + type->trail_vectors) * HVX_BYTES,
                        .block = row.tile + PHX_TABLE_BYTES + type->lead_vectors * HVX_BYTES + 4 * (row.row % 32)};
    unpackers[dtype](&walk, to, n);
}

static void fill_nan(uint8_t *to, uint32_t n) {
    for (uint32_t i = 0; i < n; i += LANES) {
        store(to + i * sizeof(float), Q6_V_vsplat_R(MATH_NAN), n - i);
    }
}

uint32_t phx_get_rows_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_tensor *from = &call->src[0]->view;
    const struct phx_operand *dst = call->dst[0];
    uint32_t n = dst->view.ne[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    (void)work;
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
                unpack_row(from->dtype, row, to, n);
            }
        } else {
            hvx_convert(from->dtype, source.data, PHX_F32, to, n);
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
