/* SPDX-License-Identifier: MIT
 *
 * Makes an op of each kind, and of each code of kind OWN. Any of the optional operands may be absent.
 */
#include <string.h>

#include "operands.h"
#include "ops/elements.h"
#include "user_kernels.h"

static void any_shape(struct random *random, uint32_t n[4]) {
    n[0] = 1 + random_below(random, random_below(random, 4) ? 70 : 700);
    for (int i = 1; i < 4; i++) {
        n[i] = random_below(random, 3) ? 1 : random_below(random, 4);
    }
}

/* Sometimes gives the result the memory of the first source. */
static void maybe_in_place(struct maker *maker, uint32_t n_src) {
    if (random_below(maker->random, 4) == 0) {
        maker->tensors[n_src] = maker->tensors[0];
    }
}

/* Sometimes makes a source broadcast along some dimensions. */
static void maybe_broadcast(struct maker *maker, struct phx_tensor *tensor, int first_dim) {
    for (int i = first_dim; i < 4; i++) {
        if (random_below(maker->random, 4) == 0) {
            tensor->nb[i] = 0;
        }
    }
}

static bool make_unary(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    bool is_made = add_floats(maker, n) && add_floats(maker, n);
    set_operands(maker->op, 1);
    maybe_in_place(maker, 1);
    return is_made;
}

static bool make_binary(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    bool is_made = add_floats(maker, n) && add_floats(maker, n) && add_floats(maker, n);
    maybe_broadcast(maker, &maker->tensors[1], 0);
    set_operands(maker->op, 2);
    maybe_in_place(maker, 2);
    if (maker->tensors[2].offset != maker->tensors[0].offset || maker->tensors[2].buffer != maker->tensors[0].buffer) {
        maybe_broadcast(maker, &maker->tensors[0], 0);
    }
    return is_made;
}

static uint32_t any_kind(struct random *random) {
    static const uint32_t kinds[] = {PHX_Q8_0, PHX_Q4_0, PHX_F16};
    return kinds[random_below(random, 3)];
}

/* A page table, positions, and sequences of rows: 3 or 2 tensors. */
struct paged {
    uint32_t n_dims, width, n_heads, n_pages, n_rows;
    uint32_t table[2];
    bool has_sequences;
};

static struct paged any_paged(struct random *random) {
    struct paged paged = {.n_dims = 32 * (1 + random_below(random, random_below(random, 4) ? 2 : 8)),
                          .n_heads = 1 + random_below(random, 2),
                          .n_pages = 1 + random_below(random, 2),
                          .n_rows = 1 + random_below(random, 4),
                          .table = {1 + random_below(random, 2), 1 + random_below(random, 2)},
                          .has_sequences = random_below(random, 2)};
    paged.width = paged.n_dims - (random_below(random, 3) ? 0 : random_below(random, 32));
    return paged;
}

static bool add_paged(struct maker *maker, const struct paged *paged) {
    const uint32_t rows_ne[4] = {paged->n_rows, 1, 1, 1};
    return add_ids(maker, (uint32_t[]){paged->table[0], paged->table[1], 1, 1}, paged->n_pages) &&
           add_ids(maker, rows_ne, 64 * paged->table[0]) &&
           (!paged->has_sequences || add_ids(maker, rows_ne, paged->table[1]));
}

static bool make_flash_attn_ext(struct maker *maker) {
    struct random *random = maker->random;
    struct paged paged = any_paged(random);
    const uint32_t q[4] = {paged.width, paged.n_heads * (1 + random_below(random, 5)), paged.n_rows, 1};
    struct phx_flash_attn_ext_params params = {.scale = random_below(random, 4) ? 0.125f : 1e-20f,
                                               .window = random_below(random, 2) ? 0 : random_below(random, 100),
                                               .softcap = random_below(random, 3) ? 0 : 5.0f,
                                               .slopes = random_below(random, 3)};
    uint32_t n_of_heads = params.slopes == PHX_SINKS_AND_SLOPES ? 2 * q[1] : q[1];
    set_operands(maker->op, 4u + paged.has_sequences);
    memcpy(maker->op->params, &params, sizeof params);
    bool is_made = add_floats(maker, q) &&
                   add_cache(maker, any_kind(random), paged.n_dims, paged.n_heads, paged.n_pages) &&
                   add_paged(maker, &paged);
    for (int i = 5; i < PHX_MAX_SRC && is_made; i++) { /* lengths, sinks or slopes, a mask */
        if (random_below(random, 2)) {
            maker->op->src[i] = maker->n_tensors;
            is_made = i == 5   ? add_ids(maker, (uint32_t[]){paged.table[1], 1, 1, 1}, 64 * paged.table[0])
                      : i == 6 ? add_floats(maker, (uint32_t[]){n_of_heads, 1, 1, 1})
                               : add_floats(maker, (uint32_t[]){64 * paged.table[0], paged.n_rows, 1, 1});
        }
    }
    maker->op->dst[0] = maker->n_tensors;
    return is_made && add_floats(maker, q);
}

/* Copies between two caches, or within one. */
static bool make_cache_copy(struct maker *maker) {
    uint32_t n_pages = 1 + random_below(maker->random, 3), n_pairs = 1 + random_below(maker->random, 3);
    uint32_t dtype = any_kind(maker->random);
    bool is_made = add_cache(maker, dtype, 32, 1, n_pages) && add_ids(maker, (uint32_t[]){2, n_pairs, 1, 1}, n_pages) &&
                   add_cache(maker, dtype, 32, 1, n_pages);
    set_operands(maker->op, 2);
    maybe_in_place(maker, 2);
    return is_made;
}

static bool make_cache_append(struct maker *maker) {
    struct paged paged = any_paged(maker->random);
    const uint32_t k[4] = {paged.width, paged.n_heads, paged.n_rows, 1};
    set_operands(maker->op, 4u + paged.has_sequences);
    return add_floats(maker, k) && add_floats(maker, k) && add_paged(maker, &paged) &&
           add_cache(maker, any_kind(maker->random), paged.n_dims, paged.n_heads, paged.n_pages);
}

static bool make_add_id(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t n[4] = {1 + random_below(random, 200), 1 + random_below(random, 4), random_below(random, 4), 1};
    uint32_t n_rows = 1 + random_below(random, 6);
    bool is_made = add_floats(maker, n) && add_floats(maker, (uint32_t[]){n[0], n_rows, 1, 1}) &&
                   add_ids(maker, (uint32_t[]){n[1], n[2], 1, 1}, n_rows) && add_floats(maker, n);
    set_operands(maker->op, 3);
    maybe_in_place(maker, 3);
    return is_made;
}

static bool make_mul_mat(struct maker *maker) {
    uint32_t w[2] = {1, 1}, k, n;
    uint32_t x[3] = {random_below(maker->random, 5), 1, 1};
    for (int i = 0; i < 2 && random_below(maker->random, 3) == 0; i++) {
        w[i] = 1 + random_below(maker->random, 2);
        x[i + 1] = w[i] * random_below(maker->random, 4);
    }
    set_operands(maker->op, 2);
    return add_tiles(maker, w, &k, &n) && add_floats(maker, (uint32_t[]){k, x[0], x[1], x[2]}) &&
           add_floats(maker, (uint32_t[]){n, x[0], x[1], x[2]});
}

static bool make_mul_mat_id(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t w[2] = {1 + random_below(random, 5), 1}, k, n;
    uint32_t n_used = 1 + random_below(random, 4), n_tokens = random_below(random, 5);
    uint32_t n_x = random_below(random, 3) == 0 ? 1 : n_used % 2 || random_below(random, 2) ? n_used : n_used / 2;
    set_operands(maker->op, 3);
    return add_tiles(maker, w, &k, &n) && add_floats(maker, (uint32_t[]){k, n_x, n_tokens, 1}) &&
           add_ids(maker, (uint32_t[]){n_used, n_tokens, 1, 1}, w[0]) &&
           add_floats(maker, (uint32_t[]){n, n_used, n_tokens, 1});
}

static bool make_rms_norm(struct maker *maker) {
    uint32_t n[4];
    struct phx_rms_norm_params params = {.eps = random_below(maker->random, 4) ? 1e-5f : 0.0f};
    any_shape(maker->random, n);
    bool has_weight = random_below(maker->random, 2), is_made = add_floats(maker, n);
    if (has_weight) {
        is_made = is_made && add_floats(maker, n);
        maybe_broadcast(maker, &maker->tensors[1], 1);
    }
    is_made = is_made && add_floats(maker, n);
    set_operands(maker->op, has_weight ? 2 : 1);
    maybe_in_place(maker, has_weight ? 2 : 1);
    memcpy(maker->op->params, &params, sizeof params);
    return is_made;
}

static bool make_get_rows(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t k = 1 + random_below(random, 100), n = 1 + random_below(random, 40);
    uint32_t ids[3] = {1 + random_below(random, 6), 1, 1};
    bool is_made;
    if (random_below(random, 2)) {
        is_made = add_tiles(maker, (uint32_t[]){1, 1}, &k, &n);
    } else if (random_below(random, 2)) {
        ids[1] = 1 + random_below(random, 3);
        is_made = add_floats(maker, (uint32_t[]){k, n, ids[1], 1});
    } else {
        struct phx_tensor *halves = &maker->tensors[maker->n_tensors++];
        *halves = rows(random, random_below(random, 2) ? PHX_F16 : PHX_BF16, 2, (uint32_t[]){k, n, 1, 1});
        is_made = place(random, maker->memory, halves, rows_bytes(halves), 2);
    }
    set_operands(maker->op, 2);
    return is_made && add_ids(maker, (uint32_t[]){ids[0], ids[1], 1, 1}, n) &&
           add_floats(maker, (uint32_t[]){k, ids[0], ids[1], 1});
}

static bool make_rope(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t n[4], n_positions = random_below(random, 3) ? 1 : 1 + random_below(random, PHX_ROPE_MAX_POSITIONS);
    struct phx_rope_params params = {random_below(random, 2), random_below(random, 2) ? 1.0f : 1.25f};
    any_shape(random, n);
    n[0] += n[0] == 1;
    uint32_t n_pairs = random_below(random, 2) ? n[0] / 2 : 1 + random_below(random, n[0] / 2);
    bool is_made = add_floats(maker, n) && add_words(maker, (uint32_t[]){n_positions, n[1], n[2], n[3]});
    maybe_broadcast(maker, &maker->tensors[1], 0);
    is_made = is_made && add_words(maker, (uint32_t[]){n_pairs, 2 * n_positions, 1, 1}) && add_floats(maker, n);
    set_operands(maker->op, 3);
    maybe_in_place(maker, 3);
    memcpy(maker->op->params, &params, sizeof params);
    return is_made;
}

/* Adds rows of a convertible type with contents; rounds n[0] to a multiple of its block. */
static bool add_rows_of(struct maker *maker, uint32_t dtype, uint32_t n[4]) {
    struct phx_grain grain = phx_grain_of(dtype);
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    uint32_t blocks[4] = {(n[0] + grain.n_elements - 1) / grain.n_elements, n[1], n[2], n[3]};
    *tensor = rows(maker->random, dtype, grain.n_bytes, blocks);
    n[0] = tensor->ne[0] = blocks[0] * grain.n_elements;
    if (!place(maker->random, maker->memory, tensor, rows_bytes(tensor) + 4, 4)) {
        return false;
    }
    fill_floats(maker->random, bytes_of(maker->memory, tensor), rows_bytes(tensor) / 4);
    return true;
}

static const uint32_t convertible[] = {PHX_F32, PHX_F16, PHX_BF16, PHX_Q8_0, PHX_Q4_0};

static bool make_set_rows(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t n[4], n_rows = 1 + random_below(random, 9), n_ids = 1 + random_below(random, 6);
    any_shape(random, n);
    uint32_t table[4] = {(n[0] + 31) / 32 * 32, n_rows, n[2], n[3]};
    bool is_made = add_floats(maker, (uint32_t[]){table[0], n_ids, n[2], n[3]}) &&
                   add_ids(maker, (uint32_t[]){n_ids, n[2], n[3], 1}, n_rows) &&
                   add_rows_of(maker, convertible[random_below(random, 5)], table);
    set_operands(maker->op, 2);
    return is_made;
}

static bool make_cpy(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t n[4], from = convertible[random_below(random, 5)], to = convertible[random_below(random, 5)];
    any_shape(random, n);
    if (from >= PHX_Q4_0 || to >= PHX_Q4_0) {
        n[0] = (n[0] + 31) / 32 * 32;
    }
    if (random_below(random, 8) == 0) {
        from = to = PHX_I32;
    }
    bool is_made = add_rows_of(maker, from, n) && add_rows_of(maker, to, n);
    if (from < PHX_Q4_0 && random_below(random, 2)) { /* source elements with gaps, or broadcast */
        struct phx_tensor *src = &maker->tensors[0];
        uint32_t step = src->nb[0];
        src->nb[0] = random_below(random, 2) ? src->nb[1] : 0;
        src->nb[1] = step;
        src->ne[0] = maker->tensors[1].ne[0] = random_below(random, 2) ? 64 : 1;
        is_made = is_made &&
                  place(random, maker->memory, src,
                        step + 64 * (src->nb[0] + src->nb[1] * n[1]) + src->nb[2] * n[2] + src->nb[3] * n[3], 4) &&
                  place(random, maker->memory, &maker->tensors[1], 64 * 4 + maker->tensors[1].nb[3] * n[3] + 4, 4);
        maker->is_valid = false;
    }
    set_operands(maker->op, 1);
    return is_made;
}

static bool make_soft_max(struct maker *maker) {
    struct random *random = maker->random;
    struct phx_soft_max_params params = {random_below(random, 2) ? 0.125f : -1.0f};
    uint32_t n[4];
    any_shape(random, n);
    bool is_made = add_floats(maker, n);
    maker->op->src[0] = 0;
    if (random_below(random, 2)) {
        maker->op->src[1] = maker->n_tensors;
        is_made = is_made && add_floats(maker, n);
        maybe_broadcast(maker, &maker->tensors[maker->op->src[1]], 1);
    }
    for (int i = 2; i < 4 && is_made; i++) {
        if (random_below(random, 4) == 0) {
            maker->op->src[i] = maker->n_tensors;
            is_made = add_floats(maker, (uint32_t[]){1, n[1], n[2], n[3]});
            maybe_broadcast(maker, &maker->tensors[maker->op->src[i]], 1);
        }
    }
    maker->op->dst[0] = maker->n_tensors;
    memcpy(maker->op->params, &params, sizeof params);
    return is_made && add_floats(maker, n);
}

static bool make_l2_norm(struct maker *maker) {
    uint32_t n[4];
    struct phx_l2_norm_params params = {.eps = random_below(maker->random, 4) ? 1e-6f : 0.0f};
    any_shape(maker->random, n);
    bool is_made = add_floats(maker, n) && add_floats(maker, n);
    set_operands(maker->op, 1);
    maybe_in_place(maker, 1);
    memcpy(maker->op->params, &params, sizeof params);
    return is_made;
}

static bool make_hadamard(struct maker *maker) {
    uint32_t n[4];
    struct phx_hadamard_params params = {32u << random_below(maker->random, 4)};
    any_shape(maker->random, n);
    n[0] = params.n * (1 + n[0] % 2);
    bool is_made = add_floats(maker, n) && add_floats(maker, n);
    set_operands(maker->op, 1);
    maybe_in_place(maker, 1);
    memcpy(maker->op->params, &params, sizeof params);
    return is_made;
}

static bool make_sum_rows(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    set_operands(maker->op, 1);
    return add_floats(maker, n) && add_floats(maker, (uint32_t[]){1, n[1], n[2], n[3]});
}

static bool make_mean(struct maker *maker) {
    return make_sum_rows(maker);
}

static bool make_norm(struct maker *maker) {
    uint32_t n[4];
    struct phx_norm_params params = {.eps = random_below(maker->random, 4) ? 1e-5f : 0.0f};
    any_shape(maker->random, n);
    bool is_made = add_floats(maker, n);
    set_operands(maker->op, 1);
    for (uint32_t i = 1; i < 3 && is_made; i++) {
        if (random_below(maker->random, 2)) {
            maker->op->src[i] = maker->n_tensors;
            is_made = add_floats(maker, n);
            maybe_broadcast(maker, &maker->tensors[maker->op->src[i]], 1);
        }
    }
    maker->op->dst[0] = maker->n_tensors;
    is_made = is_made && add_floats(maker, n);
    maybe_in_place(maker, maker->op->dst[0]);
    memcpy(maker->op->params, &params, sizeof params);
    return is_made;
}

static bool make_concat(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t n[4], n_src = 2 + random_below(random, 3), dimension = random_below(random, 4), length = 0;
    uint32_t dtype = convertible[random_below(random, 5)];
    any_shape(random, n);
    n[0] = (n[0] + 31) / 32 * 32;
    set_operands(maker->op, n_src);
    maker->op->params[0] = dimension;
    for (uint32_t i = 0; i < n_src; i++) {
        n[dimension] = dimension == 0 ? 32 * (1 + random_below(random, 4)) : random_below(random, 3);
        length += n[dimension];
        if (!add_rows_of(maker, dtype, n)) {
            return false;
        }
    }
    n[dimension] = length;
    return add_rows_of(maker, dtype, n);
}

static bool make_repeat(struct maker *maker) {
    uint32_t n[4], dtype = convertible[random_below(maker->random, 5)];
    any_shape(maker->random, n);
    set_operands(maker->op, 1);
    if (!add_rows_of(maker, dtype, n)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        n[i] *= 1 + random_below(maker->random, 3);
    }
    return add_rows_of(maker, dtype, n);
}

/* Returns whether one of up to two sequences writes a slot that the other one reads or writes, or, unless it may, one
 * that it reads itself. */
static bool share_slots(const struct maker *maker, const struct phx_tensor *reads, const struct phx_tensor *writes,
                        bool may_update) {
    uint32_t from[2] = {0, UINT32_MAX}, to[2] = {0, UINT32_MAX - 1};
    memcpy(from, bytes_of(maker->memory, reads), 4 * reads->ne[0]);
    memcpy(to, bytes_of(maker->memory, writes), 4 * writes->ne[0]);
    bool is_own = to[0] == from[0] || to[1] == from[1];
    return to[0] == to[1] || to[0] == from[1] || to[1] == from[0] || (is_own && !may_update);
}

static bool make_ssm_conv(struct maker *maker) {
    uint32_t n[4], n_taps = 1 + random_below(maker->random, 4);
    const bool has_table = n_taps > 1 && random_below(maker->random, 2);
    any_shape(maker->random, n);
    set_operands(maker->op, 2);
    if (!has_table) {
        return add_floats(maker, (uint32_t[]){n[0], n[1], n[2] + n_taps - 1, n[3]}) &&
               add_floats(maker, (uint32_t[]){n[0], n[1], n_taps, 1}) && add_floats(maker, n);
    }
    n[1] = n[1] ? n[1] : 1; /* the table has as many columns as channels, at least one */
    n[3] = 1 + random_below(maker->random, 2);
    const uint32_t n_slots = 2 * n[3] + random_below(maker->random, 4), ids[4] = {n[3], 1, 1, 1};
    set_operands(maker->op, 4);
    maker->op->dst[1] = 5;
    bool is_made = add_floats(maker, n) && add_floats(maker, (uint32_t[]){n[0], n[1], n_taps, 1}) &&
                   add_ids(maker, ids, n_slots) && add_ids(maker, ids, n_slots) && add_floats(maker, n) &&
                   add_floats(maker, (uint32_t[]){n[0] * n[1], n_taps - 1, n_slots, 1});
    if (is_made && share_slots(maker, &maker->tensors[2], &maker->tensors[3], false)) {
        maker->is_valid = false;
    }
    return is_made;
}

static bool make_gated_delta_net(struct maker *maker) {
    struct random *random = maker->random;
    const uint32_t n_values = 1 + random_below(random, 50), n_keys = 1 + random_below(random, 40);
    const uint32_t n_tokens = 1 + random_below(random, 3), h = 1 + random_below(random, 3),
                   b = 1 + random_below(random, 2);
    struct phx_gated_delta_net_params params = {random_below(random, 2) ? 0.125f : 1.0f, 0};
    params.delta_rule = random_below(random, 2);
    const uint32_t n_slots = b + random_below(random, 4), ids[4] = {b, 1, 1, 1};
    const bool has_table = random_below(random, 2);
    set_operands(maker->op, 6u + has_table);
    memcpy(maker->op->params, &params, sizeof params);
    maker->op->dst[1] = has_table ? 8 : PHX_NONE;
    bool is_made = (has_table ? add_ids(maker, ids, n_slots)
                              : add_floats(maker, (uint32_t[]){n_values, n_keys, h, b})) &&
                   add_floats(maker, (uint32_t[]){n_keys, n_tokens, h, b}) &&
                   add_floats(maker, (uint32_t[]){n_keys, n_tokens, h, b}) &&
                   add_floats(maker, (uint32_t[]){n_values, n_tokens, h, b}) &&
                   add_floats(maker, (uint32_t[]){1, n_tokens, h, b}) &&
                   add_floats(maker, (uint32_t[]){1, n_tokens, h, b}) && (!has_table || add_ids(maker, ids, n_slots)) &&
                   add_floats(maker, (uint32_t[]){n_values * (n_tokens + (has_table ? 0 : n_keys)), h, b, 1}) &&
                   (!has_table || add_floats(maker, (uint32_t[]){n_values * (n_keys + 2), h, n_slots, 1}));
    if (is_made && has_table && share_slots(maker, &maker->tensors[0], &maker->tensors[6], true)) {
        maker->is_valid = false;
    }
    return is_made;
}

static bool make_argmax(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    set_operands(maker->op, 1);
    return add_floats(maker, n) && add_words(maker, (uint32_t[]){1, n[1], n[2], n[3]});
}

static bool make_top_k(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    set_operands(maker->op, 1);
    return add_floats(maker, n) &&
           add_words(maker, (uint32_t[]){1 + random_below(maker->random, n[0]), n[1], n[2], n[3]});
}

static bool make_argsort(struct maker *maker) {
    uint32_t n[4];
    any_shape(maker->random, n);
    set_operands(maker->op, 1);
    maker->op->params[0] = random_below(maker->random, 2);
    return add_floats(maker, n) && add_words(maker, n);
}

/* idl/ops.h: an op of kind OWN, or of rows, without a maker above does not compile. */
#define MAKE_UNARY(name) make_unary
#define MAKE_BINARY(name) make_binary
#define MAKE_ROWS(name) make_##name
#define MAKE_SHARED(name) make_##name
#define MAKE_SCATTER(name) make_##name
#define MAKE_PICK(name) make_##name
#define MAKE_OWN(name) make_##name
#define PHX_PARAMS(name) sizeof(struct phx_##name##_params) / sizeof(uint32_t)
static const struct {
    uint32_t code;
    uint32_t n_params; /* filled with random floats unless a maker sets them */
    bool (*make)(struct maker *maker);
} makers[] = {
#define OP(code, NAME, name, KIND, least, most, results, in_place, n_params, formula)                                  \
    {code, n_params, MAKE_##KIND(name)},
#include "../../idl/ops.h"
#undef OP
};

bool make_op(struct random *random, struct memory *memory, struct fuzz_tables *tables, uint32_t code) {
    uint32_t which = random_below(random, sizeof makers / sizeof makers[0]);
    for (uint32_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        which = makers[i].code == code ? i : which;
    }
    struct phx_op *op = &tables->ops[tables->n_ops];
    struct maker maker = {random, memory, tables->tensors + tables->n_tensors, op, 0, true};
    memset(op, 0, sizeof *op);
    memset(op->src, 0xff, sizeof op->src);
    memset(op->dst, 0xff, sizeof op->dst);
    op->code = makers[which].code;
    op->kernels = random_below(random, 4) ? PHX_KERNELS_HVX : PHX_KERNELS_REF;
    if (random_below(random, 16) == 0) {
        op->flags = random_below(random, 4) * PHX_OP_NO_QUANTISE; /* and PHX_OP_NO_COMPUTE */
    }
    op->flags |= random_below(random, 4) ? 0 : PHX_OP_DCFETCH;
    fill_floats(random, (uint8_t *)op->params, makers[which].n_params);
    if (!makers[which].make(&maker)) {
        return false;
    }
    for (int i = 0; i < PHX_MAX_SRC; i++) {
        op->src[i] += op->src[i] == PHX_NONE ? 0 : tables->n_tensors;
    }
    for (int i = 0; i < PHX_MAX_DST; i++) {
        op->dst[i] += op->dst[i] == PHX_NONE ? 0 : tables->n_tensors;
    }
    tables->n_tensors += maker.n_tensors;
    tables->n_ops++;
    tables->is_valid = tables->is_valid && maker.is_valid;
    return true;
}
