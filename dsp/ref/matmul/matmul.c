/* SPDX-License-Identifier: MIT
 *
 * The reference matmul: docs/arithmetic.md, 2 and 3, for every weight type. dsp/hvx computes the same bits.
 *
 * Why no sum overflows int32. The bounds of integer types hold for any bytes in a tile; those with "valid" only for
 * tiles that a repacker writes, and other tiles wrap around, as in HVX.
 *
 *   quantity        bound                        why                                          types
 *   P16             32512                        table of the page                            integer
 *                   8128                         table of the page                            Q2_K, Q3_K
 *   e               16512                        mpyr(-32768, largest da)                     integer
 *   Q16             32512                        2 * 32512 * 128 >> 8                         Q6_K
 *   PA              2147352576 < 2^31            4 * 32512 * 16512                            integer
 *                   1073676288 < 2^30            2 * 32512 * 16512                            Q6_K
 *                   2047743936 < 2^31            8 * 31496 * 8127                             Q4_K, Q5_K
 *                   2^29                         4 * 8128 * 16512                             Q2_K, Q3_K
 *                   valid: 2^31                  the repacker bounds a row's weights, minimum Q4_1, Q5_1
 *                                                included; single terms and sums on the way may wrap
 * *   PA >> DS        -2^(31 - DS)..2^(31 - DS)-1  any PA                                       all
 *   T               2^31                         at most 2^DS groups                          all
 *                   2^31                         PA < 2^29, at most 2^(DS + 2) groups         Q2_K, Q3_K
 *                   2^31                         PA < 2^30, at most 2^(DS + 1) groups         Q6_K
 *                   valid: 2^31                  PA * d16 >> 15, B16 * dm: 1023871968 and      Q4_K, Q5_K
 *                                                1056997376 at most; 2^DS super-blocks
 *   TM              2^30                         |B16| <= 32767, |dm| <= 32768, 2^DM terms    minimums of super-blocks
 *   T'              wraps                        both shifts can be 0                         tiles no repacker writes
 */
#include "runtime/libc.h"
#include "activations.h"
#include "fixed.h"
#include "tiles.h"

#define ROWS_AT_ONCE 16 /* activation rows that share one unpacked tile */
#define NAN_BITS 0x7fc00000u
#define INFINITY_BITS 0x7f800000u

/* Sums of an activation row and 64 weight rows: PA, T and TM of the page. */
struct sums {
    int32_t group[PHX_TILE_ROWS];
    int32_t total[PHX_TILE_ROWS];
    int32_t minimums[PHX_TILE_ROWS];
};

struct work {
    struct sums sums[ROWS_AT_ONCE];
    struct ref_block block;
};

/* Computes P of n_k consecutive k for 64 rows: the hot loop. */
static void block_sums(int32_t p[restrict PHX_TILE_ROWS], const int16_t w[restrict][PHX_TILE_ROWS],
                       const int16_t *restrict q, uint32_t n_k) {
    memset(p, 0, PHX_TILE_ROWS * sizeof(int32_t));
    for (uint32_t k = 0; k < n_k; k++) {
        for (int r = 0; r < PHX_TILE_ROWS; r++) {
            p[r] = add_wrapping(p[r], w[k][r] * q[k]);
        }
    }
}

/* Adds P16 * e of one scale block to PA; `half` is the rounding constant added to P before the shift. */
static void scale_sums(int32_t group[restrict PHX_TILE_ROWS], const int32_t p[restrict PHX_TILE_ROWS],
                       const int16_t scale[restrict PHX_TILE_ROWS], int32_t da, int32_t half, uint32_t ps) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        int32_t p16 = sat16((int32_t)(((int64_t)p[r] + half) >> ps));
        group[r] = add_wrapping(group[r], p16 * mpyr(scale[r], da));
    }
}

/* Adds P of one block of floats to T, shifted to the common unit; shift: of the activations. */
static void add_shifted(int32_t total[restrict PHX_TILE_ROWS], const int32_t p[restrict PHX_TILE_ROWS],
                        const int8_t power[restrict PHX_TILE_ROWS], int32_t shift) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        total[r] = add_wrapping(total[r], p[r] >> (power[r] + shift));
    }
}

/* Adds 32 k of a type with product_shift to PA; p: of both scale blocks. */
static void scale_products(const struct phx_weight_type *type, int32_t group[restrict PHX_TILE_ROWS],
                           int32_t p[restrict 2][PHX_TILE_ROWS], const struct ref_block *block, int32_t da) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        int32_t sum = (p[0][r] >> type->sum_shift) * block->sc[0][r] + (p[1][r] >> type->sum_shift) * block->sc[1][r];
        group[r] += sat16(rsh(sum, type->product_shift)) * mpyr(block->d[r], da);
    }
}

/* Adds P16 * e of one block of a type with PHX_MINIMUMS_IN_SUMS to PA. */
static void scale_small_sums(int32_t group[restrict PHX_TILE_ROWS], const int32_t p[restrict PHX_TILE_ROWS],
                             const int8_t sc[restrict PHX_TILE_ROWS], int32_t da, int32_t half, uint32_t ps) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        group[r] += ((p[r] + half) >> ps) * mpyr(sc[r] * 256, da);
    }
}

/* Adds m16 * t of one block to PA. */
static void add_block_minimums(int32_t group[restrict PHX_TILE_ROWS], const int16_t minimum[restrict PHX_TILE_ROWS],
                               int32_t t) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        group[r] = add_wrapping(group[r], minimum[r] * t);
    }
}

/* Adds PA of a finished group of four scale blocks to T. */
static void drain(struct sums *sums, uint32_t ds) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        sums->total[r] = add_wrapping(sums->total[r], sums->group[r] >> ds);
        sums->group[r] = 0;
    }
}

/* Returns B16 of a super-block; t: of its scale blocks. */
static int32_t minimums_i16(const struct phx_weight_type *type, const struct ref_block *block, const int16_t *t,
                            int r) {
    int32_t b = 0;
    for (uint32_t j = 0; j < PHX_BLOCKS_OF_SUPER * type->scales_per_block; j++) {
        b += block->minimums[j][r] * t[j];
    }
    return sat16(rsh(b, type->minimum_shift));
}

/* Adds a super-block of a type with PHX_MINIMUMS_IN_SUMS to T. */
static void drain_super_block(const struct phx_weight_type *type, struct sums *sums, const struct ref_block *block,
                              const int16_t *t, uint32_t ds) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        int32_t scaled = (int32_t)((((int64_t)sums->group[r] * block->d[r] >> 14) + 1) >> 1);
        int32_t sum = add_wrapping(scaled, minimums_i16(type, block, t, r) * block->dm[r]);
        sums->total[r] = add_wrapping(sums->total[r], sum >> ds);
        sums->group[r] = 0;
    }
}

/* Adds the minimums of a super-block to TM; t: of its scale blocks. */
static void add_super_minimums(const struct phx_weight_type *type, struct sums *sums, const struct ref_block *block,
                               const int16_t *t, uint32_t dm_shift) {
    for (int r = 0; r < PHX_TILE_ROWS; r++) {
        sums->minimums[r] += (minimums_i16(type, block, t, r) * block->dm[r]) >> dm_shift;
    }
}

/* Returns T' * 2^(exponent - 127) as float bits, rounded half up in magnitude: docs/arithmetic.md, 3. */
static uint32_t to_float_bits(int32_t value, int32_t exponent) {
    if (value == 0) {
        return 0;
    }
    uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    int leading = __builtin_clz(magnitude);
    int32_t biased = 158 - leading + exponent;
    if (biased < 1) {
        return 0;
    }
    uint32_t sign = value < 0 ? 0x80000000u : 0;
    uint32_t mantissa = (((magnitude << leading) >> 1) + 64) >> 7; /* 2^23..2^24: may carry into the exponent */
    uint32_t bits = biased > 254 ? INFINITY_BITS : ((uint32_t)biased << 23) + (mantissa - 0x800000);
    return sign | (bits < INFINITY_BITS ? bits : INFINITY_BITS);
}

/* Multiplies one tile by at most ROWS_AT_ONCE rows, into work->sums. */
static void accumulate(const struct phx_matmul *mm, const uint8_t *tile, const struct ref_row *const *rows,
                       uint32_t n_rows, struct work *work) {
    const struct phx_weight_type *type = &phx_weight_types[mm->dtype];
    const uint8_t *from = tile + PHX_TABLE_BYTES;
    uint32_t k_per_scale = PHX_BLOCK / type->scales_per_block;
    uint32_t blocks_per_group = 4 / type->scales_per_block;
    int32_t half = (1 << type->sum_shift) >> 1;

    memset(work->sums, 0, n_rows * sizeof(struct sums));
    for (uint32_t block = 0; block < mm->n_blocks; block++) {
        from = ref_unpack(mm->dtype, from, block % PHX_BLOCKS_OF_SUPER, &work->block);
        bool ends_group = ((block + 1) % blocks_per_group == 0 || block + 1 == mm->n_blocks) &&
                          type->minimums != PHX_MINIMUMS_IN_SUMS && !type->is_float;
        bool rounds_down = type->is_unbiased && !phx_has_codebook(type) && (block + 1) % (1u << type->sum_shift) == 0;
        bool ends_super_block = (block + 1) % PHX_BLOCKS_OF_SUPER == 0;
        for (uint32_t m = 0; m < n_rows; m++) {
            const struct ref_row *row = rows[m];
            struct sums *sums = &work->sums[m];
            if (row->is_nan) {
                continue;
            }
            int32_t p[2][PHX_TILE_ROWS], da = ref_row_da(row)[block];
            for (uint32_t part = 0; part < type->scales_per_block; part++) {
                uint32_t k = part * k_per_scale;
                block_sums(p[part], work->block.w + k, ref_row_q(mm, row) + (size_t)block * PHX_BLOCK + k, k_per_scale);
                int32_t added = rounds_down ? 0 : half - (int32_t)(type->is_unbiased * part);
                if (type->is_float) {
                    add_shifted(sums->total, p[0], work->block.sc[0], da);
                } else if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
                    scale_small_sums(sums->group, p[0], work->block.sc[0], da, added, type->sum_shift);
                } else if (type->product_shift == 0) {
                    scale_sums(sums->group, p[part], work->block.scale[part], da, added, type->sum_shift);
                }
            }
            if (type->product_shift > 0) {
                scale_products(type, sums->group, p, &work->block, da);
            }
            if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
                add_block_minimums(sums->group, work->block.minimum, ref_row_t(mm, row)[block]);
            }
            if (ends_group) {
                drain(sums, mm->ds);
            }
            if (ends_super_block && type->minimums >= PHX_MINIMUMS_OF_SUPER_BLOCKS) {
                const int16_t *t = ref_row_t(mm, row) + (block + 1 - PHX_BLOCKS_OF_SUPER) * type->scales_per_block;
                if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
                    drain_super_block(type, sums, &work->block, t, mm->ds);
                } else {
                    add_super_minimums(type, sums, &work->block, t, mm->dm);
                }
            }
        }
    }
}

static void store_row(const struct phx_matmul *mm, const uint8_t *tile, const struct ref_row *row,
                      const struct sums *sums, uint8_t *dst, uint32_t n_columns) {
    bool has_minimums = phx_weight_types[mm->dtype].minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS;
    for (uint32_t r = 0; r < n_columns; r++) {
        struct ref_row_entry entry = ref_row_entry(tile, r);
        uint32_t bits = NAN_BITS;
        if (!row->is_nan && entry.exponent != PHX_ROW_NAN) {
            int32_t value = sums->total[r];
            if (has_minimums) {
                value = add_wrapping(value >> entry.shift_t, -(sums->minimums[r] >> entry.shift_m));
            }
            bits = to_float_bits(value, entry.exponent + row->exponent);
        }
        memcpy(dst + r * sizeof(bits), &bits, sizeof(bits));
    }
}

static void multiply(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                     void *work_memory) {
    struct work *work = work_memory;
    for (uint32_t tile_index = first; tile_index < last; tile_index++) {
        const uint8_t *tile = mm->tiles + (size_t)tile_index * mm->tile_bytes;
        uint32_t column = tile_index * PHX_TILE_ROWS;
        uint32_t n_columns = mm->n - column < PHX_TILE_ROWS ? mm->n - column : PHX_TILE_ROWS;
        for (uint32_t m = 0; m < rows->n; m += ROWS_AT_ONCE) {
            uint32_t n_at_once = rows->n - m < ROWS_AT_ONCE ? rows->n - m : ROWS_AT_ONCE;
            const struct ref_row *some_rows[ROWS_AT_ONCE];
            for (uint32_t i = 0; i < n_at_once; i++) {
                some_rows[i] = (const void *)(rows->x + rows->x_offsets[m + i]);
            }
            accumulate(mm, tile, some_rows, n_at_once, work);
            for (uint32_t i = 0; i < n_at_once; i++) {
                uint8_t *dst = rows->dst + rows->dst_offsets[m + i] + column * sizeof(float);
                store_row(mm, tile, some_rows[i], &work->sums[i], dst, n_columns);
            }
        }
    }
}

const struct phx_matmul_kernel *phx_matmul_ref(uint32_t dtype) {
#define KERNEL(form)                                                                                                   \
    {                                                                                                                  \
        PHX_KERNELS_REF, form, false, 1, sizeof(struct work), 0, 0, REF_PART_BYTES, ref_quantise, NULL, NULL,          \
            multiply, NULL                                                                                             \
    }
    static const struct phx_matmul_kernel kernels[REF_ROW_FORMS] = {KERNEL(0), KERNEL(1), KERNEL(2), KERNEL(3)};
    const struct phx_weight_type *type = phx_weight_type(dtype);
    return type ? &kernels[ref_row_form(type)] : NULL;
}
