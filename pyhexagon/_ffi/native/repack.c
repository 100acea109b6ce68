/* SPDX-License-Identifier: MIT
 *
 * A tile at a time: first along each of its 64 rows for what the row table and the factors of its scales need, then along
 * k for all rows at once. docs/arithmetic.md, section 4, says what is computed. Doubles hold every number on the way
 * exactly, but for what is rounded where that page says so.
 */
#include "codes.h"
#include "recode.h"
#include "scales.h"

__attribute__((visibility("default")))
#include "repack.h"

#define UNIT_BLOCKS(type) ((type)->k_step > PHX_BLOCK ? (type)->k_step / PHX_BLOCK : 1)
/* Scales of a unit that the tile holds as they are; else the factor of its small scales. */
#define UNIT_SCALES(type) (phx_has_codebook(type) ? 2 * UNIT_BLOCKS(type) : 1)
#define MOST_SCALES (2 * PHX_BLOCKS_OF_SUPER)

/* The rows of a tile. */
struct source {
    const uint8_t *rows;
    uint64_t stride;
    uint32_t n_rows; /* 64, or less in the last tile */
    uint32_t n_units;
    uint32_t unit_bytes; /* of GGUF */
    uint32_t rest_bytes; /* of the last unit */
};

/* What a row's scales are multiplied with to be integers; 0 for a row with NaN or infinity. */
struct factors {
    double d[ROWS], m[ROWS];
    uint8_t is_finite[ROWS];
};

#define MOST_UNIT_BYTES 256
static const uint8_t zeros[MOST_UNIT_BYTES];

/* A unit of a row; room is for one that must be padded with zeros. */
UNIT_INLINE const uint8_t *unit_at(const struct source *source, uint32_t row, uint32_t unit, uint8_t *room) {
    if (row >= source->n_rows) {
        return zeros;
    }
    const uint8_t *at = source->rows + row * source->stride + (uint64_t)unit * source->unit_bytes;
    if (unit + 1 < source->n_units || source->rest_bytes == source->unit_bytes) {
        return at;
    }
    memset(room, 0, source->unit_bytes);
    memcpy(room, at, source->rest_bytes);
    return room;
}

/* The smallest exponent with which no scale of a row is above 32767, the largest being given. */
static int exponent_of(double largest) {
    int exponent = 0;
    double fraction = frexp(largest, &exponent);
    return exponent + (rounded(fraction * 32768) > 32767);
}

/* What is known of a row when all its scales were seen. */
struct row {
    double d, m;    /* largest magnitudes */
    double weight;  /* with minimums of blocks: the largest that there can be */
    double unknown; /* 0, or NaN if one of them is not finite */
};

/* The row's word of the table, and its factors. */
static uint32_t row_word(const struct phx_weight_type *type, uint32_t n_units, const struct row *row, double *factor_d,
                         double *factor_m) {
    int en = exponent_of(row->d), ds, unit, shift_t = 0, shift_m = 0;
    int is_empty = row->d == 0, has_no_minimums = row->m == 0;
    uint32_t groups = (UNIT_BLOCKS(type) * type->scales_per_block * n_units + 3) / 4;
    ds = (int)phx_clog2(groups) - type->spare_bits;
    ds = ds > 0 ? ds : 0;
    *factor_m = 0;
    if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
        int exponent = 0;
        double fraction = frexp(row->weight, &exponent);
        int needed = exponent - 3 - type->exponent + (fraction > 1 - 0x1p-12);
        en = row->weight == 0 ? 0 : is_empty || needed > en ? needed : en;
        *factor_m = ldexp(1.0, 15 - (en + 4 + type->exponent));
        is_empty = row->weight == 0;
    }
    if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
        int needed = exponent_of(row->m) - 3 - type->sum_shift;
        en = has_no_minimums || (!is_empty && en > needed) ? en : needed;
        *factor_m = ldexp(1.0, 12 - type->sum_shift - en);
        is_empty = is_empty && has_no_minimums;
    }
    unit = type->exponent + en + ds;
    if (type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) {
        int em = exponent_of(row->m), unit_m = type->minimum_shift - 4 + em + (int)phx_clog2(n_units);
        *factor_m = ldexp(1.0, 15 - em);
        unit = is_empty ? unit_m : unit;
        int delta = has_no_minimums ? 0 : unit_m - unit;
        shift_t = 1 + (delta > 0 ? delta : 0);
        shift_m = 1 + (delta < 0 ? -delta : 0);
        is_empty = is_empty && has_no_minimums;
    }
    *factor_d = ldexp(1.0, (type->minimums == PHX_MINIMUMS_IN_SUMS ? 14 : 15) - en);
    int exponent = unit - (type->is_float ? 153 : 147) + shift_t;
    shift_t = shift_t < 31 ? shift_t : 31;
    shift_m = shift_m < 31 ? shift_m : 31;
    return is_empty ? 0 : ((uint32_t)exponent & 0xffff) | (uint32_t)shift_t << 16 | (uint32_t)shift_m << 24;
}

UNIT_INLINE double larger(double a, double b) {
    return b > a ? b : a;
}

UNIT_INLINE void write_table(const struct phx_weight_type *type, const struct source *source, scales_function *scales,
                             struct factors *factors, uint32_t *table) {
    const int centre = type->centre;
    for (uint32_t r = 0; r < ROWS; r++) {
        struct row row = {0, 0, 0, 0};
        for (uint32_t unit = 0; unit < source->n_units; unit++) {
            uint8_t room[MOST_UNIT_BYTES];
            double d[MOST_SCALES], m = 0;
            scales(unit_at(source, r, unit, room), d, &m);
            for (uint32_t i = 0; i < UNIT_SCALES(type); i++) {
                row.d = larger(row.d, fabs(d[i]));
                row.unknown += d[i] * 0;
            }
            row.m = larger(row.m, fabs(m));
            row.unknown += m * 0;
            if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
                row.weight = larger(row.weight, larger(fabs(m - centre * d[0]), fabs(m + (centre - 1) * d[0])));
            }
        }
        factors->is_finite[r] = row.unknown == 0;
        if (factors->is_finite[r]) {
            table[r] = row_word(type, source->n_units, &row, &factors->d[r], &factors->m[r]);
        } else {
            table[r] = PHX_ROW_NAN;
        }
    }
}

/* Number 2 * i is row i, 2 * i + 1 row 32 + i. */
UNIT_INLINE void interleave(const int16_t *rows, vector *out) {
    for (uint32_t i = 0; i < LANES; i++) {
        (*out)[i] = (uint16_t)rows[i] | (uint32_t)(uint16_t)rows[LANES + i] << 16;
    }
}

/* The upper two bits of each byte of two vectors and of two others, which are 0 so far, so that phx_spread_number() of
 * them comes to the rows' numbers: bits 15, 14, 7 and 6 of each, of which bit 15 of all but the first counts negative. */
UNIT_INLINE void write_spread(const int16_t *rows, vector *two, vector *others) {
    const uint32_t negative = 1u << 13 | 1u << 11 | 1u << 9;
    vector numbers, *const to[] = {two, two + 1, others, others + 1};
    interleave(rows, &numbers);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t spread[4] = {0, 0, 0, 0};
        for (uint32_t half = 0; half < 32; half += 16) {
            int16_t had[4];
            for (uint32_t v = 0; v < 4; v++) {
                had[v] = (int16_t)((*to[v])[i] >> half);
            }
            uint32_t missing = (numbers[i] >> half) - (uint32_t)phx_spread_number(had[0], had[1], had[2], had[3]);
            uint32_t bits = (missing + negative) ^ negative;
            for (uint32_t v = 0; v < 4; v++) {
                spread[v] |= (bits << 2 * v & 0xc0c0) << half;
            }
        }
        for (uint32_t v = 0; v < 4; v++) {
            (*to[v])[i] |= spread[v];
        }
    }
}

/* Which vector of a unit has its scales. */
UNIT_INLINE uint32_t scale_vector(const struct phx_weight_type *type) {
    return type->lead_vectors ? 0 : type->vectors_per_block - 1u - (type->minimums == PHX_MINIMUMS_OF_BLOCKS);
}

/* Scales of block number i of four: how far 2^14 is shifted, where so far all bits are set, which makes it 0. */
UNIT_INLINE void write_powers(const int16_t *rows, uint32_t i, vector *out) {
    int16_t numbers[ROWS];
    vector both;
    for (uint32_t r = 0; r < ROWS; r++) {
        uint32_t bits = rows[r] > 0 ? 32u - (uint32_t)__builtin_clz((uint32_t)rows[r]) : 0; /* 15 less the shift */
        numbers[r] = (int16_t)(bits << 4 * i);
    }
    interleave(numbers, &both);
    for (uint32_t j = 0; j < LANES; j++) {
        (*out)[j] ^= both[j];
    }
}

UNIT_INLINE void repack_tile(const struct phx_weight_type *type, const struct source *source, scales_function *scales,
                             codes_function *codes, uint32_t *tile) {
    struct factors factors;
    write_table(type, source, scales, &factors, tile);
    const uint32_t n_vectors = UNIT_BLOCKS(type) == PHX_BLOCKS_OF_SUPER ? phx_super_vectors(type)
                                                                        : UNIT_BLOCKS(type) * type->vectors_per_block;
    vector *out = (vector *)(tile + PHX_TABLE_BYTES / 4), *group = out;
    for (uint32_t unit = 0; unit < source->n_units; unit++, out += n_vectors) {
        uint8_t room[ROWS][MOST_UNIT_BYTES];
        const uint8_t *blocks[ROWS];
        int16_t s[MOST_SCALES][ROWS], m16[ROWS];
        double of_floats[ROWS];
        for (uint32_t r = 0; r < ROWS; r++) {
            double d[MOST_SCALES], m = 0;
            blocks[r] = unit_at(source, r, unit, room[r]);
            scales(blocks[r], d, &m);
            if (type->is_float && factors.is_finite[r]) {
                d[0] = larger(d[0], 1 / factors.d[r]); /* a scale of 1: no shift makes a block's sums 0 */
            }
            for (uint32_t i = 0; i < UNIT_SCALES(type); i++) {
                s[i][r] = factors.is_finite[r] ? (int16_t)rounded(d[i] * factors.d[r]) : 0;
            }
            m16[r] = factors.is_finite[r] ? (int16_t)rounded(m * factors.m[r]) : 0;
            of_floats[r] = factors.is_finite[r] ? d[0] : 0;
        }
        if (type->group_vectors && UNIT_BLOCKS(type) == 1 && unit % PHX_BLOCKS_OF_GROUP == 0) {
            group = out++;
            memset(group, 0xff, sizeof(*group));
        }
        codes(blocks, of_floats, out);
        if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
            vector *second = out + type->group_vectors + PHX_BLOCKS_OF_GROUP * type->vectors_per_block;
            vector *minimums = out + n_vectors - type->trail_vectors;
            write_spread(s[0], out, second);
            write_spread(m16, minimums, minimums + 2);
            continue;
        }
        if (type->group_vectors && !phx_has_threes(type)) {
            write_powers(s[0], unit % PHX_BLOCKS_OF_GROUP, group);
            continue;
        }
        if (phx_leads_with_scales(type)) {
            write_spread(s[0], out, out + 2);
            continue;
        }
        if (phx_has_codebook(type)) {
            for (uint32_t i = 0; i < UNIT_SCALES(type); i++) {
                interleave(s[i], out + i / 2 * type->vectors_per_block + 8 + i % 2);
            }
            continue;
        }
        interleave(s[0], out + scale_vector(type));
        if (type->minimums) {
            interleave(m16, out + (type->lead_vectors ? 1 : n_vectors - 1));
        }
    }
}

#define REPACK_OF(name, tile_type, scales, codes, unit_bytes)                                                          \
    static void repack_##name(const struct source *source, uint32_t *tile) {                                           \
        repack_tile(&type_##tile_type, source, scales, codes, tile);                                                   \
    }

#include "types.h"
#undef REPACK_OF

static const struct {
    const struct phx_weight_type *type;
    void (*tile)(const struct source *, uint32_t *);
    uint32_t unit_bytes;
} types[PHX_N_WEIGHT_TYPES] = {
#define REPACK_OF(name, tile_type, scales, codes, unit_bytes)                                                          \
    [PHX_##name] = {&type_##tile_type, repack_##name, unit_bytes},
#include "types.h"
};

int phx_repack(uint32_t dtype, const uint8_t *rows, uint64_t stride, uint32_t n_rows, uint32_t k, uint8_t *tiles) {
    if (dtype >= PHX_N_WEIGHT_TYPES || !types[dtype].tile) {
        return -1;
    }
    const struct phx_weight_type *type = types[dtype].type;
    const uint32_t unit_size = UNIT_BLOCKS(type) * PHX_BLOCK, n_units = (k + unit_size - 1) / unit_size;
    const uint32_t unit_bytes = types[dtype].unit_bytes;
    const uint32_t rest = k % unit_size ? k % unit_size * (unit_bytes / unit_size) : unit_bytes;
    struct source source = {rows, stride, 0, n_units, unit_bytes, rest};
    for (uint32_t first = 0; first < n_rows; first += ROWS) {
        source.rows = rows + first * stride;
        source.n_rows = n_rows - first < ROWS ? n_rows - first : ROWS;
        types[dtype].tile(&source, (uint32_t *)tiles);
        tiles += phx_tile_bytes(type, k);
    }
    return 0;
}

__attribute__((visibility("default"))) void phx_set_grid(uint32_t dtype, const uint8_t *grid) {
    grids[dtype] = grid;
}
