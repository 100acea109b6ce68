/* SPDX-License-Identifier: MIT
 *
 * Random cases of each op: shapes, strides, alignment, values.
 */
#include <stdio.h>
#include <string.h>

#include "ops.h"
#include "ops/elements.h"

void random_shape(uint32_t ne[4]) {
    static const uint32_t likely[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 1000, 1024, 1056};
    ne[0] = random_below(2) ? likely[random_below(sizeof(likely) / sizeof(*likely))] : 1 + random_below(700);
    for (int i = 1; i < 4; i++) {
        ne[i] = random_below(3) ? 1 : 1 + random_below(4);
    }
}

void fill_placed(const struct placed *placed, enum values kind) {
    uint32_t *words = (uint32_t *)placed->operand.data;
    fill_values(words, (uint32_t)placed->operand.n_bytes / 4, kind);
}

enum values random_kind(void) {
    return random_below(2) ? VALUES_NORMAL : (enum values)random_below(VALUES_KINDS);
}

/* Fills in valid parameters; occasionally arbitrary ones. */
static void fill_params(uint32_t *params, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        fill_values(params + i, 1, random_below(4) ? VALUES_NORMAL : VALUES_ANY_BITS);
        params[i] = random_below(8) ? params[i] & (random_below(2) ? 0x7fffffff : 0xffffffff) : 0;
    }
}

const struct elementwise elementwise[] = {
#define PHX_PARAMS(name) sizeof(struct phx_##name##_params) / sizeof(uint32_t)
#define ELEMENTWISE_UNARY(name, n_params) {#name, 1, n_params, phx_##name##_ref, phx_##name##_hvx},
#define ELEMENTWISE_BINARY(name, n_params) {#name, 2, n_params, phx_##name##_ref, phx_##name##_hvx},
#define ELEMENTWISE_ROWS(name, n_params)
#define ELEMENTWISE_SHARED(name, n_params)
#define ELEMENTWISE_SCATTER(name, n_params)
#define ELEMENTWISE_PICK(name, n_params)
#define ELEMENTWISE_OWN(name, n_params)
#define OP(code, NAME, name, KIND, least, most, results, in_place, n_params, formula) ELEMENTWISE_##KIND(name, n_params)
#include "../../../idl/ops.h"
#undef OP
};
const uint32_t n_elementwise = sizeof(elementwise) / sizeof(*elementwise);

void check_elementwise(uint32_t seed) {
    const struct elementwise *op = &elementwise[seed % n_elementwise];
    uint32_t ne[4], params[PHX_MAX_PARAMS];
    random_shape(ne);
    bool aligned = random_below(3) == 0, in_place = random_below(3) == 0;
    uint32_t repeated = in_place || op->n_src == 1 || random_below(4) ? 0 : random_below(16);
    struct placed a = place(PHX_F32, ne, repeated, aligned);
    struct placed b = place(PHX_F32, ne, random_below(2) ? 0 : random_below(16), aligned);
    struct placed dst = in_place ? a : place(PHX_F32, ne, 0, aligned);
    fill_placed(&a, random_kind());
    fill_placed(&b, random_kind());
    fill_params(params, op->n_params);
    struct phx_call call = {
        .src = {&a.operand, op->n_src > 1 ? &b.operand : NULL}, .dst = {&dst.operand}, .params = params};
    compare_kernels(op->name, seed, op->ref, op->hvx, &call, &dst.memory, true);
    guarded_free(&a.memory);
    guarded_free(&b.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

void check_rms_norm(uint32_t seed) {
    static const uint32_t epsilons[] = {0x3727c5ac, 0, 0x3f800000, 0x00000001, 0x7f000000, 0x0a000000}; /* 1e-5 first */
    uint32_t ne[4];
    random_shape(ne);
    if (random_below(64) == 0) {
        ne[0] = 32769 + random_below(1000);
    }
    bool aligned = random_below(3) == 0, in_place = random_below(2), weighted = random_below(4);
    struct placed x = place(PHX_F32, ne, 0, aligned);
    struct placed weight = place(PHX_F32, ne, random_below(2) ? 14 : random_below(16), aligned);
    struct placed dst = in_place ? x : place(PHX_F32, ne, 0, aligned);
    fill_placed(&x, random_kind());
    fill_placed(&weight, random_kind());
    uint32_t eps = epsilons[random_below(2) ? 0 : random_below(sizeof(epsilons) / sizeof(*epsilons))];
    struct phx_call call = {
        .src = {&x.operand, weighted ? &weight.operand : NULL}, .dst = {&dst.operand}, .params = &eps};
    compare_kernels("rms_norm", seed, phx_rms_norm_ref, phx_rms_norm_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&weight.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

const uint32_t tile_types[] = {PHX_F32,    PHX_F16,   PHX_BF16,    PHX_Q4_0,  PHX_Q4_1, PHX_Q5_0, PHX_Q5_1,
                               PHX_Q8_0,   PHX_Q2_K,  PHX_Q3_K,    PHX_Q4_K,  PHX_Q5_K, PHX_Q6_K, PHX_IQ4_NL,
                               PHX_IQ4_XS, PHX_MXFP4, PHX_IQ3_XXS, PHX_IQ2_S, PHX_NVFP4};
const uint32_t n_tile_types = sizeof(tile_types) / sizeof(*tile_types);

struct placed place_tiles(uint32_t dtype, const uint32_t ne[4]) {
    struct phx_matmul mm = matmul_of((struct shape){dtype, ne[1], ne[0], 1}, NULL);
    struct placed placed = {.operand.view = {.dtype = dtype, .layout = PHX_LAYOUT_TILES}};
    uint32_t matrix_bytes = phx_n_tiles(ne[1]) * mm.tile_bytes, n_matrices = ne[2] * ne[3];
    memcpy(placed.operand.view.ne, ne, sizeof(placed.operand.view.ne));
    placed.operand.n_bytes = matrix_bytes * n_matrices;
    placed.memory = guarded_alloc(placed.operand.n_bytes, random_below(2));
    placed.operand.data = placed.memory.data;
    for (uint32_t i = 0; i < n_matrices; i++) {
        fill_tiles(&mm, placed.operand.data + i * matrix_bytes, (enum weights)random_below(WEIGHTS_KINDS));
    }
    return placed;
}

void check_get_rows(uint32_t seed) {
    static const uint32_t row_types[] = {PHX_F32, PHX_F16, PHX_BF16};
    bool in_tiles = random_below(4) != 0;
    uint32_t dtype = in_tiles ? tile_types[seed % n_tile_types] : row_types[random_below(3)];
    uint32_t step = in_tiles ? phx_weight_type(dtype)->k_step : 1;
    uint32_t ne[4] = {step * (1 + random_below(step == 1    ? 700
                                               : step == 32 ? 20
                                                            : 4)),
                      1 + random_below(200), 1 + random_below(2), 1 + random_below(2)};
    uint32_t ids_ne[4] = {1 + random_below(6), ne[2], ne[3], 1}, dst_ne[4] = {ne[0], ids_ne[0], ne[2], ne[3]};
    struct placed from = in_tiles ? place_tiles(dtype, ne) : place(dtype, ne, 0, random_below(3) == 0);
    struct placed ids = place(PHX_I32, ids_ne, 0, false), dst = place(PHX_F32, dst_ne, 0, random_below(3) == 0);
    for (size_t i = 0; i < from.operand.n_bytes && !in_tiles; i++) {
        from.operand.data[i] = (uint8_t)random_u32();
    }
    for (uint32_t i = 0; i < ids.operand.n_bytes / 4; i++) {
        ((uint32_t *)ids.operand.data)[i] = random_below(100) ? random_below(ne[1]) : random_u32();
    }
    struct phx_call call = {.src = {&from.operand, &ids.operand}, .dst = {&dst.operand}};
    compare_kernels(dtype_name(dtype), seed, phx_get_rows_ref, phx_get_rows_hvx, &call, &dst.memory, false);
    guarded_free(&from.memory);
    guarded_free(&ids.memory);
    guarded_free(&dst.memory);
}

/* A kernel with one wrong bit. */
static uint32_t wrong_add(const struct phx_call *call, const struct phx_slice *slice, void *memory) {
    const struct phx_operand *dst = call->dst[0];
    const uint32_t row = 4, column = 33;
    uint32_t status = phx_add_hvx(call, slice, memory);
    if (slice->first_row <= row && row < slice->end_row && slice->first <= column && column < slice->end) {
        ((uint32_t *)phx_row(dst, phx_at(&dst->view, row)))[column] ^= 1;
    }
    return status;
}

void check_wrong(uint32_t seed) {
    uint32_t ne[4] = {40, 3, 2, 1};
    struct placed a = place(PHX_F32, ne, 0, false), b = place(PHX_F32, ne, 0, false),
                  dst = place(PHX_F32, ne, 0, false);
    fill_placed(&a, VALUES_NORMAL);
    fill_placed(&b, VALUES_NORMAL);
    struct phx_call call = {.src = {&a.operand, &b.operand}, .dst = {&dst.operand}};
    compare_kernels("wrong", seed, phx_add_ref, wrong_add, &call, &dst.memory, true);
}

static const uint32_t convertible[] = {PHX_F32, PHX_F16, PHX_BF16, PHX_Q8_0, PHX_Q4_0};

/* Fills in floats of a random kind, or arbitrary bytes of a quantized type. */
static void fill_elements(const struct placed *placed) {
    const struct phx_operand *operand = &placed->operand;
    if (operand->view.dtype == PHX_F32) {
        fill_placed(placed, random_kind());
        return;
    }
    for (size_t i = 0; i < operand->n_bytes; i++) {
        operand->data[i] = (uint8_t)random_u32();
    }
}

void check_cpy(uint32_t seed) {
    uint32_t ne[4], from = convertible[seed % 5], to = convertible[seed / 5 % 5];
    random_shape(ne);
    ne[0] = from >= PHX_Q4_0 && from <= PHX_Q8_0 ? (ne[0] + 31) / 32 * 32 : ne[0];
    ne[0] = to >= PHX_Q4_0 && to <= PHX_Q8_0 ? (ne[0] + 31) / 32 * 32 : ne[0];
    struct placed src = place(from, ne, 0, random_below(3) == 0), dst = place(to, ne, 0, random_below(3) == 0);
    fill_elements(&src);
    if (phx_grain_of(from).n_elements == 1 && random_below(3) == 0) { /* transposed */
        struct phx_tensor *view = &src.operand.view;
        uint32_t n = view->ne[0], step = view->nb[0];
        view->ne[0] = view->ne[1];
        view->nb[0] = view->nb[1];
        view->ne[1] = n;
        view->nb[1] = step;
        if (phx_grain_of(to).n_elements > 1) {
            view->ne[0] = 32;
            view->nb[0] = 0;
        }
        guarded_free(&dst.memory);
        dst = place(to, view->ne, 0, random_below(3) == 0);
    }
    struct phx_call call = {.src = {&src.operand}, .dst = {&dst.operand}};
    compare_kernels("cpy", seed, phx_cpy_ref, phx_cpy_hvx, &call, &dst.memory, false);
    guarded_free(&src.memory);
    guarded_free(&dst.memory);
}

void check_concat(uint32_t seed) {
    uint32_t ne[4], dtype = convertible[seed % 5], dimension = random_below(4), n_src = 2 + random_below(4);
    struct placed placed[PHX_MAX_SRC];
    struct phx_concat_params params = {dimension};
    struct phx_call call = {.params = &params};
    random_shape(ne);
    ne[0] = dtype >= PHX_Q4_0 && dtype <= PHX_Q8_0 ? (ne[0] + 31) / 32 * 32 : ne[0];
    uint32_t length = 0, all[4] = {ne[0], ne[1], ne[2], ne[3]};
    for (uint32_t i = 0; i < n_src; i++) {
        ne[dimension] = dimension == 0 ? 32 * (1 + random_below(5)) : 1 + random_below(3);
        length += ne[dimension];
        placed[i] = place(dtype, ne, 0, random_below(3) == 0);
        fill_elements(&placed[i]);
        call.src[i] = &placed[i].operand;
    }
    all[dimension] = length;
    struct placed dst = place(dtype, all, 0, random_below(3) == 0);
    call.dst[0] = &dst.operand;
    compare_kernels("concat", seed, phx_concat_ref, phx_concat_hvx, &call, &dst.memory, false);
    for (uint32_t i = 0; i < n_src; i++) {
        guarded_free(&placed[i].memory);
    }
    guarded_free(&dst.memory);
}

void check_repeat(uint32_t seed) {
    uint32_t ne[4], all[4], dtype = convertible[seed % 5];
    random_shape(ne);
    ne[0] = dtype >= PHX_Q4_0 && dtype <= PHX_Q8_0 ? (ne[0] + 31) / 32 * 32 : ne[0];
    for (uint32_t i = 0; i < 4; i++) {
        all[i] = ne[i] * (random_below(2) ? 1 : 1 + random_below(4));
    }
    struct placed src = place(dtype, ne, 0, random_below(3) == 0), dst = place(dtype, all, 0, random_below(3) == 0);
    fill_elements(&src);
    struct phx_call call = {.src = {&src.operand}, .dst = {&dst.operand}};
    compare_kernels("repeat", seed, phx_repeat_ref, phx_repeat_hvx, &call, &dst.memory, false);
    guarded_free(&src.memory);
    guarded_free(&dst.memory);
}

/* Slices count elements, rows and matrices of the source, whose numbers equal the ones here. */
void check_set_rows(uint32_t seed) {
    uint32_t ne[4], n_rows = 1 + random_below(9), n_ids = 1 + random_below(12);
    random_shape(ne);
    ne[0] = (ne[0] + 31) / 32 * 32;
    uint32_t rows_ne[4] = {ne[0], n_ids, ne[2], ne[3]}, ids_ne[4] = {n_ids, ne[2], ne[3], 1};
    uint32_t table_ne[4] = {ne[0], n_rows, ne[2], ne[3]};
    struct placed rows = place(PHX_F32, rows_ne, 0, random_below(3) == 0), ids = place(PHX_I32, ids_ne, 0, false);
    struct placed table = place(convertible[seed % 5], table_ne, 0, random_below(3) == 0);
    fill_placed(&rows, random_kind());
    for (uint32_t i = 0; i < ids.operand.n_bytes / 4; i++) {
        ((uint32_t *)ids.operand.data)[i] = random_below(200) ? random_below(n_rows) : random_u32();
    }
    struct phx_call call = {.src = {&rows.operand, &ids.operand}, .dst = {&table.operand}};
    struct phx_op_type type = {.is_scatter = true};
    call.type = &type;
    compare_kernels("set_rows", seed, phx_set_rows_ref, phx_set_rows_hvx, &call, &table.memory, true);
    guarded_free(&rows.memory);
    guarded_free(&ids.memory);
    guarded_free(&table.memory);
}
