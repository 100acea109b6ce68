/* SPDX-License-Identifier: MIT
 *
 * GET_ROWS: rows selected by ids, as float32: docs/math.md, 9. Exact from float16 and bfloat16; tiles are
 * dequantized.
 */
#include "get_rows.h"

#include "convert.h"
#include "math/ref/float32.h"
#include "matmul/tiles.h"
#include "formats/tiles.h"

PHX_DECLARE_KERNELS(get_rows)

_Static_assert(sizeof(struct ref_block) <= REF_GET_ROWS_WORK, "a block of 64 rows");

struct ref_tile_row ref_tile_row(uint32_t dtype, uint32_t k, const uint8_t *tiles, uint32_t row) {
    const struct phx_weight_type *weights = phx_weight_type(dtype);
    const uint8_t *tile = tiles + row / PHX_TILE_ROWS * phx_tile_bytes(weights, k);
    struct ref_row_entry entry = ref_row_entry(tile, row % PHX_TILE_ROWS);
    struct ref_tile_row found = {.tile = tile, .row = row % PHX_TILE_ROWS, .is_nan = entry.exponent == PHX_ROW_NAN};
    int32_t unit = entry.exponent + 259 - (int32_t)(phx_ds(weights, k) + weights->sum_shift + entry.shift_t);
    if (weights->is_float) {
        unit -= 9;
    }
    if (weights->product_shift > 0) { /* mpyr omits 7 bits */
        unit -= weights->product_shift - 7;
    }
    if (weights->minimums == PHX_MINIMUMS_IN_SUMS) { /* d16 has 15 bits, and there is no mpyr */
        unit -= weights->exponent - weights->sum_shift - 1;
    }
    if (weights->minimums == PHX_MINIMUMS_OF_BLOCKS) {
        found.block_minimum_shift = weights->sum_shift + 4;
    }
    if (weights->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) {
        int32_t minimum_unit = entry.exponent + 263 -
                               (int32_t)(weights->minimum_shift + phx_dm(weights, k) + entry.shift_m);
        int32_t above = unit - minimum_unit, distance = above < 0 ? -above : above;
        uint32_t shift = distance < 31 ? (uint32_t)distance : 31;
        found.up = 9;
        found.shift = above < 0 ? shift : 0;
        found.minimum_shift = above < 0 ? 0 : shift;
        unit = (above < 0 ? minimum_unit : unit) - 9;
    }
    unit = unit < -256 ? -256 : unit > 255 ? 255 : unit;
    found.unit = unit * MATH_EXPONENT_ONE;
    return found;
}

static int32_t shifted(int32_t a, int32_t b, uint32_t up, uint32_t down) {
    return (int32_t)((uint32_t)a * (uint32_t)b << up) >> down;
}

/* Dequantizes the elements first..end-1 of a block, end at most PHX_BLOCK. */
static void unpack_block(const struct phx_weight_type *type, const struct ref_block *block, uint32_t i_block,
                         const struct ref_tile_row *row, uint32_t n, uint32_t *to) {
    uint32_t r = row->row, k_per_scale = PHX_BLOCK / type->scales_per_block;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t part = k / k_per_scale;
        if (type->minimums == PHX_MINIMUMS_IN_SUMS) {
            int32_t minimum = block->minimums[i_block % PHX_BLOCKS_OF_SUPER][r] * block->dm[r];
            to[k] = math_pack(block->w[k][r] * block->sc[0][r] * block->d[r] + minimum * (4 << type->sum_shift),
                              row->unit);
            continue;
        }
        int32_t number = shifted(block->w[k][r], block->scale[part][r], row->up, row->shift);
        if (type->minimums == PHX_MINIMUMS_OF_BLOCKS) {
            number += block->minimum[r] * (1 << row->block_minimum_shift);
        } else if (type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS) {
            uint32_t j = i_block % PHX_BLOCKS_OF_SUPER * type->scales_per_block + part;
            int32_t minimum = shifted(block->minimums[j][r], block->dm[r], row->up, row->minimum_shift);
            number = (int32_t)((uint32_t)number - (uint32_t)minimum);
        }
        to[k] = math_pack(number, row->unit);
    }
}

/* Dequantizes a row. Passes over each super-block twice, since its minimums are complete only after all its blocks are
 * unpacked. */
static void unpack_row(uint32_t dtype, const struct ref_tile_row *row, uint32_t n, uint32_t *to,
                       struct ref_block *block) {
    const struct phx_weight_type *type = phx_weight_type(dtype);
    const uint8_t *from = row->tile + PHX_TABLE_BYTES;
    uint32_t n_at_once = type->minimums == PHX_MINIMUMS_OF_SUPER_BLOCKS ? PHX_BLOCKS_OF_SUPER : 1,
             n_blocks = phx_n_blocks(n);
    for (uint32_t first = 0; first < n_blocks; first += n_at_once) {
        const uint8_t *next = from;
        for (uint32_t i = first; i < first + n_at_once && n_at_once > 1; i++) {
            next = ref_unpack(dtype, next, i % PHX_BLOCKS_OF_SUPER, block);
        }
        for (uint32_t i = first; i < first + n_at_once; i++) {
            uint32_t k = i * PHX_BLOCK;
            from = ref_unpack(dtype, from, i % PHX_BLOCKS_OF_SUPER, block);
            unpack_block(type, block, i, row, n - k < PHX_BLOCK ? n - k : PHX_BLOCK, to + k);
        }
    }
}

bool ref_find_source(const struct phx_call *call, struct phx_at at, struct ref_source_row *source) {
    const struct phx_tensor *from = &call->src[0]->view, *ids = &call->src[1]->view;
    const uint8_t *id = call->src[1]->data + at.i1 * ids->nb[0] + at.i2 * ids->nb[1] + at.i3 * ids->nb[2];
    source->row = *(const volatile uint32_t *)id; /* read once: the host may change it at any time */
    if (source->row >= from->ne[1]) {
        return false;
    }
    if (from->layout == PHX_LAYOUT_TILES) {
        uint32_t matrix_bytes = phx_n_tiles(from->ne[1]) * phx_tile_bytes(phx_weight_type(from->dtype), from->ne[0]);
        source->data = call->src[0]->data + (at.i2 + at.i3 * from->ne[2]) * matrix_bytes;
    } else {
        source->data = phx_row(call->src[0], (struct phx_at){source->row, at.i2, at.i3});
    }
    return true;
}

uint32_t phx_get_rows_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_tensor *from = &call->src[0]->view;
    const struct phx_operand *dst = call->dst[0];
    uint32_t n = dst->view.ne[0];
    struct phx_at at = phx_at(&dst->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        struct ref_source_row source;
        uint32_t *to = (uint32_t *)phx_row(dst, at);
        if (!ref_find_source(call, at, &source)) {
            return PHX_E_INDEX;
        }
        if (from->layout == PHX_LAYOUT_TILES) {
            struct ref_tile_row tile_row = ref_tile_row(from->dtype, n, source.data, source.row);
            for (uint32_t i = 0; i < n && tile_row.is_nan; i++) {
                to[i] = MATH_NAN;
            }
            if (!tile_row.is_nan) {
                unpack_row(from->dtype, &tile_row, n, to, work);
            }
        } else {
            ref_convert(from->dtype, source.data, PHX_F32, (uint8_t *)to, n);
        }
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
