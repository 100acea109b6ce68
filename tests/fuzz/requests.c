/* SPDX-License-Identifier: MIT
 *
 * Making and breaking requests. Breaking knows the structure: most random bytes would only ever reach the first checks.
 */
#include "requests.h"

#include <string.h>

#include "ops/attention/cache.h"
#include "ops/elements.h"
#include "ops/matmul/tiles.h"

/* splitmix64 */
uint32_t random_word(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

uint32_t random_below(struct random *random, uint32_t n) {
    return n ? (uint32_t)((uint64_t)random_word(random) * n >> 32) : 0;
}

/* --- Making --- */

struct type {
    uint32_t dtype;
    struct phx_weight_type row;
};

static const struct type types[] = {
#define TYPE(name, ...) {PHX_##name, {__VA_ARGS__}},
#include "../../idl/types.h"
#undef TYPE
};

#define MAX_MADE_OPS 4
#define MAX_OPERANDS 8

struct memory {
    uint8_t *const *buffers;
    uint32_t used[N_FDS];
};

struct fuzz_tables {
    struct phx_tensor tensors[MAX_MADE_OPS * MAX_OPERANDS];
    struct phx_op ops[MAX_MADE_OPS];
    uint32_t n_tensors;
    uint32_t n_ops;
    bool is_valid;
};

/* What a maker of an op works with; it fills in tensors and op, whose indices are relative to the tensors. */
struct maker {
    struct random *random;
    struct memory *memory;
    struct phx_tensor *tensors; /* MAX_OPERANDS */
    struct phx_op *op;
    uint32_t n_tensors;
    bool is_valid;
};

static uint8_t *bytes_of(const struct memory *memory, const struct phx_tensor *tensor) {
    return memory->buffers[tensor->buffer] + tensor->offset;
}

/* Puts the tensor in one of the buffers; false when it is full. */
static bool place(struct random *random, struct memory *memory, struct phx_tensor *tensor, uint32_t n_bytes,
                  uint32_t alignment) {
    uint32_t *end = &memory->used[tensor->buffer = random_below(random, N_FDS)];
    tensor->offset = (*end + alignment - 1) / alignment * alignment;
    if (tensor->offset + n_bytes > BUFFER_BYTES) {
        return false;
    }
    *end = tensor->offset + n_bytes;
    return true;
}

/* Floats of all sizes; now and then any bits at all, NaN and infinity too. */
static void fill_floats(struct random *random, uint8_t *to, uint32_t n_floats) {
    uint32_t exponent = random_below(random, 8) ? 100 + random_below(random, 60) : 0;
    for (uint32_t i = 0; i < n_floats; i++) {
        uint32_t bits = random_word(random);
        if (exponent) {
            bits = (bits & 0x807fffffu) | (exponent + (bits >> 23 & 7)) << 23;
        }
        memcpy(to + 4 * i, &bits, 4);
    }
}

/* Rows of elements of so many bytes: n of them in each dimension, after each of which up to two are left out. */
static struct phx_tensor rows(struct random *random, uint32_t dtype, uint32_t element, const uint32_t n[4]) {
    struct phx_tensor tensor = {.dtype = dtype, .nb = {element}};
    tensor.flags = random_below(random, PHX_TENSOR_HOST_READS * 2);
    for (int i = 0; i < 4; i++) {
        tensor.ne[i] = n[i];
        if (i > 0) {
            tensor.nb[i] = tensor.nb[i - 1] * (n[i - 1] ? n[i - 1] : 1) + element * random_below(random, 3);
        }
    }
    return tensor;
}

static uint32_t rows_bytes(const struct phx_tensor *tensor) {
    return tensor->nb[3] * tensor->ne[3];
}

/* Adds float32 rows, filled; false when the buffers are full. */
static bool add_floats(struct maker *maker, const uint32_t n[4]) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = rows(maker->random, PHX_F32, 4, n);
    if (!place(maker->random, maker->memory, tensor, rows_bytes(tensor), 4)) {
        return false;
    }
    fill_floats(maker->random, bytes_of(maker->memory, tensor), rows_bytes(tensor) / 4);
    return true;
}

/* Adds rows of 32-bit words: small numbers, or any bits. */
static bool add_words(struct maker *maker, const uint32_t n[4]) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    uint32_t limit = random_below(maker->random, 4) ? 1 << 17 : 0xffffffff;
    *tensor = rows(maker->random, PHX_I32, 4, n);
    if (!place(maker->random, maker->memory, tensor, rows_bytes(tensor), 4)) {
        return false;
    }
    for (uint32_t i = 0; i < rows_bytes(tensor); i += 4) {
        uint32_t word = random_below(maker->random, limit);
        memcpy(bytes_of(maker->memory, tensor) + i, &word, 4);
    }
    return true;
}

/* Adds a weight of any type. */
static bool add_tiles(struct maker *maker, const uint32_t n_matrices[2], uint32_t *k, uint32_t *n) {
    const struct type *type = &types[random_below(maker->random, sizeof types / sizeof types[0])];
    uint32_t step = type->row.k_step, steps = step == 1 ? 100 : step == 32 ? 6 : 2;
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *k = step * (1 + random_below(maker->random, steps));
    *n = 1 + random_below(maker->random, 100);
    *tensor = (struct phx_tensor){
        .dtype = type->dtype, .layout = PHX_LAYOUT_TILES, .ne = {*k, *n, n_matrices[0], n_matrices[1]}};
    uint32_t n_bytes = n_matrices[0] * n_matrices[1] * ((*n + 63) / 64) * phx_tile_bytes(&type->row, *k);
    return place(maker->random, maker->memory, tensor, n_bytes, 128);
}

/* Adds ids below `limit`. Now and then one is too large: such a request is no valid one. */
static bool add_ids(struct maker *maker, const uint32_t n[4], uint32_t limit) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = rows(maker->random, PHX_I32, 4, n);
    if (!place(maker->random, maker->memory, tensor, rows_bytes(tensor), 4)) {
        return false;
    }
    uint8_t *ids = bytes_of(maker->memory, tensor);
    memset(ids, 0xff, rows_bytes(tensor));
    for (uint32_t i = 0; i < n[1] * n[2] * n[3]; i++) {
        uint8_t *row = ids + i % n[1] * tensor->nb[1] + i / n[1] % n[2] * tensor->nb[2] +
                       i / n[1] / n[2] * tensor->nb[3];
        for (uint32_t j = 0; j < n[0]; j++) {
            uint32_t id = random_below(maker->random, 64) ? random_below(maker->random, limit) : limit;
            maker->is_valid = maker->is_valid && id < limit;
            memcpy(row + 4 * j, &id, 4);
        }
    }
    return true;
}

/* Adds a cache of keys and values, whatever its bytes. */
static bool add_cache(struct maker *maker, uint32_t dtype, uint32_t n_dims, uint32_t n_heads, uint32_t n_pages) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = (struct phx_tensor){.dtype = dtype, .layout = PHX_LAYOUT_CACHE, .ne = {n_dims, n_heads, n_pages, 1}};
    uint32_t n_bytes = n_pages * n_heads * 2 * phx_cache_tile_bytes(dtype, n_dims);
    return place(maker->random, maker->memory, tensor, n_bytes, 128);
}

/* The first `n_src` tensors are the sources, in order, and the one after them the result. */
static void set_operands(struct phx_op *op, uint32_t n_src) {
    for (uint32_t i = 0; i < n_src; i++) {
        op->src[i] = i;
    }
    op->dst[0] = n_src;
}

/* --- An op of each kind; of its own kind, of each code --- */

static void any_shape(struct random *random, uint32_t n[4]) {
    n[0] = 1 + random_below(random, random_below(random, 4) ? 70 : 700);
    for (int i = 1; i < 4; i++) {
        n[i] = random_below(random, 3) ? 1 : random_below(random, 4);
    }
}

/* Instead of memory of its own, the result takes that of the first source. */
static void maybe_in_place(struct maker *maker, uint32_t n_src) {
    if (random_below(maker->random, 4) == 0) {
        maker->tensors[n_src] = maker->tensors[0];
    }
}

/* A source of the same shape whose strides repeat what is there along some dimensions. */
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

/* A table of pages, positions, and sequences of rows: 3 or 2 tensors. */
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
    bool has_lengths = paged.has_sequences && random_below(random, 2),
         has_sinks = has_lengths && random_below(random, 2), has_mask = has_sinks && random_below(random, 2);
    uint32_t n_src = 4u + paged.has_sequences + has_lengths + has_sinks + has_mask;
    uint32_t n_of_heads = params.slopes == PHX_SINKS_AND_SLOPES ? 2 * q[1] : q[1];
    set_operands(maker->op, n_src);
    memcpy(maker->op->params, &params, sizeof params);
    return add_floats(maker, q) && add_cache(maker, any_kind(random), paged.n_dims, paged.n_heads, paged.n_pages) &&
           add_paged(maker, &paged) &&
           (!has_lengths || add_ids(maker, (uint32_t[]){paged.table[1], 1, 1, 1}, 64 * paged.table[0])) &&
           (!has_sinks || add_floats(maker, (uint32_t[]){n_of_heads, 1, 1, 1})) &&
           (!has_mask || add_floats(maker, (uint32_t[]){64 * paged.table[0], paged.n_rows, 1, 1})) &&
           add_floats(maker, q);
}

/* From a cache to another one, or within one. */
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

/* Adds rows of one of the types that become each other, filled; n[0] becomes a multiple of its block. */
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
    if (from < PHX_Q4_0 && random_below(random, 2)) { /* the source's elements apart, or repeated */
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
    uint32_t n[4], n_src = 1 + random_below(maker->random, 3);
    struct phx_norm_params params = {.eps = random_below(maker->random, 4) ? 1e-5f : 0.0f};
    any_shape(maker->random, n);
    bool is_made = add_floats(maker, n);
    for (uint32_t i = 1; i < n_src && is_made; i++) {
        is_made = add_floats(maker, n);
        maybe_broadcast(maker, &maker->tensors[i], 1);
    }
    is_made = is_made && add_floats(maker, n);
    set_operands(maker->op, n_src);
    maybe_in_place(maker, n_src);
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

static bool make_ssm_conv(struct maker *maker) {
    uint32_t n[4], n_taps = 1 + random_below(maker->random, 4);
    any_shape(maker->random, n);
    set_operands(maker->op, 2);
    return add_floats(maker, (uint32_t[]){n[0], n[1], n[2] + n_taps - 1, n[3]}) &&
           add_floats(maker, (uint32_t[]){n[0], n[1], n_taps, 1}) && add_floats(maker, n);
}

static bool make_gated_delta_net(struct maker *maker) {
    struct random *random = maker->random;
    const uint32_t n_values = 1 + random_below(random, 50), n_keys = 1 + random_below(random, 40);
    const uint32_t n_tokens = 1 + random_below(random, 3), h = 1 + random_below(random, 3),
                   b = 1 + random_below(random, 2);
    struct phx_gated_delta_net_params params = {random_below(random, 2) ? 0.125f : 1.0f};
    set_operands(maker->op, 6);
    memcpy(maker->op->params, &params, sizeof params);
    return add_floats(maker, (uint32_t[]){n_values, n_keys, h, b}) &&
           add_floats(maker, (uint32_t[]){n_keys, n_tokens, h, b}) &&
           add_floats(maker, (uint32_t[]){n_keys, n_tokens, h, b}) &&
           add_floats(maker, (uint32_t[]){n_values, n_tokens, h, b}) &&
           add_floats(maker, (uint32_t[]){1, n_tokens, h, b}) && add_floats(maker, (uint32_t[]){1, n_tokens, h, b}) &&
           add_floats(maker, (uint32_t[]){n_values * (n_tokens + n_keys), h, b, 1});
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

/* idl/ops.h: an op of its own kind, or one by rows, without a maker above does not compile. */
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
    uint32_t n_params; /* to be filled with any floats; a maker may know better */
    bool (*make)(struct maker *maker);
} makers[] = {
#define OP(code, NAME, name, KIND, least, most, results, in_place, n_params, formula)                                  \
    {code, n_params, MAKE_##KIND(name)},
#include "../../idl/ops.h"
#undef OP
};

/* An op and its tensors; false when the buffers are full. */
static bool make_op(struct random *random, struct memory *memory, struct fuzz_tables *tables) {
    uint32_t which = random_below(random, sizeof makers / sizeof makers[0]);
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
    fill_floats(random, (uint8_t *)op->params, makers[which].n_params);
    if (!makers[which].make(&maker)) {
        return false;
    }
    for (int i = 0; i < PHX_MAX_SRC; i++) {
        op->src[i] += op->src[i] == PHX_NONE ? 0 : tables->n_tensors;
    }
    op->dst[0] += tables->n_tensors;
    tables->n_tensors += maker.n_tensors;
    tables->n_ops++;
    tables->is_valid = tables->is_valid && maker.is_valid;
    return true;
}

/* Operands of an op that goes by element or by row over what the last one has made, perhaps in place, perhaps with what
 * was made before; or ADD_ID, by the ids of a product. False when the buffers are full. */
static bool make_follower(struct maker *maker, struct fuzz_tables *tables, const struct phx_op *last) {
    struct random *random = maker->random;
    struct phx_op *op = maker->op;
    const uint32_t *n = tables->tensors[last->dst[0]].ne;
    bool is_in_place = random_below(random, 2), is_made = true;
    memset(op->params, 0, sizeof op->params);
    memset(op->src, 0xff, sizeof op->src);
    op->src[0] = last->dst[0];
    if (last->code == PHX_OP_MUL_MAT_ID && random_below(random, 3) == 0) {
        const uint32_t table[4] = {n[0], tables->tensors[last->src[0]].ne[2] + random_below(random, 2), 1, 1};
        op->code = PHX_OP_ADD_ID;
        op->src[1] = tables->n_tensors;
        op->src[2] = last->src[2];
        is_made = add_floats(maker, table);
    } else {
        uint32_t before = tables->ops[random_below(random, tables->n_ops)].dst[0];
        const struct phx_tensor *made = &tables->tensors[before];
        bool fits = memcmp(n, made->ne, sizeof made->ne) == 0;
        static const uint32_t codes[] = {PHX_OP_SWIGLU, PHX_OP_ADD, PHX_OP_RMS_NORM, PHX_OP_L2_NORM};
        op->code = codes[random_below(random, 4)];
        if (op->code != PHX_OP_L2_NORM) {
            op->src[1] = fits ? before : last->dst[0];
            maker->is_valid = !(is_in_place && op->src[0] == op->src[1]) && (!fits || made->dtype == PHX_F32);
        }
    }
    op->dst[0] = is_in_place ? op->src[0] : tables->n_tensors + maker->n_tensors;
    return is_made && (is_in_place || add_floats(maker, n));
}

/* Adds an op that may join the last one: a product of the same rows, or one that goes on with what that has made.
 * False when the buffers are full. */
static bool make_joined(struct random *random, struct memory *memory, struct fuzz_tables *tables) {
    const struct phx_op *last = &tables->ops[tables->n_ops - 1];
    struct phx_op *op = &tables->ops[tables->n_ops];
    struct maker maker = {random, memory, tables->tensors + tables->n_tensors, op, 0, true};
    bool is_product = last->code == PHX_OP_MUL_MAT || last->code == PHX_OP_MUL_MAT_ID, is_made;
    *op = *last;
    op->flags |= random_below(random, 4) ? PHX_OP_JOINED : 0;
    if (is_product && random_below(random, 2)) {
        op->dst[0] = tables->n_tensors;
        is_made = add_floats(&maker, tables->tensors[last->dst[0]].ne);
    } else {
        is_made = make_follower(&maker, tables, last);
    }
    if (is_made) {
        tables->is_valid = tables->is_valid && maker.is_valid;
        tables->n_tensors += maker.n_tensors;
        tables->n_ops++;
    }
    return is_made;
}

/* Others may follow it. */
static bool is_joinable(const struct phx_op *op) {
    return op->code == PHX_OP_MUL_MAT || op->code == PHX_OP_MUL_MAT_ID || op->code == PHX_OP_ADD ||
           op->code == PHX_OP_SWIGLU || op->code == PHX_OP_RMS_NORM || op->code == PHX_OP_L2_NORM ||
           op->code == PHX_OP_ROPE || op->code == PHX_OP_HADAMARD;
}

/* --- Requests --- */

#define N_PROGRAMS 6

static void append(struct fuzz_request *request, const void *bytes, size_t n_bytes) {
    memcpy(request->bytes + request->n_bytes, bytes, n_bytes);
    request->n_bytes += (uint32_t)n_bytes;
}

/* Room for the response, whatever the number of threads. */
static uint32_t response_bytes(const struct phx_request *header, uint32_t n_ops) {
    size_t threads = header->flags & PHX_REQUEST_THREAD_RECORDS ? PHX_MAX_THREADS : 0;
    size_t records = sizeof(struct phx_op_record) + threads * sizeof(struct phx_thread_record);
    return (uint32_t)(sizeof(struct phx_response) + n_ops * records);
}

static struct phx_request header_of(struct random *random, uint32_t actions) {
    return (struct phx_request){
        .magic = PHX_REQUEST_MAGIC,
        .version = PHX_CONTRACT_VERSION,
        .actions = actions,
        .program = random_below(random, N_PROGRAMS),
        .flags = random_below(random, 4),
        .sequence = random_word(random),
    };
}

void make_definition(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request) {
    static const uint32_t actions[] = {PHX_DEFINE | PHX_RUN, PHX_DEFINE | PHX_RUN, PHX_DEFINE | PHX_RUN | PHX_DROP,
                                       PHX_DEFINE};
    static struct fuzz_tables tables;
    struct memory free_memory = {.buffers = memory->buffers};
    struct phx_request header = header_of(random, actions[random_below(random, 4)]);
    uint32_t wanted = random_below(random, MAX_MADE_OPS + 1);
    tables = (struct fuzz_tables){.is_valid = true};
    while (tables.n_ops < wanted && make_op(random, &free_memory, &tables)) {
        while (is_joinable(&tables.ops[tables.n_ops - 1]) && tables.n_ops < wanted && random_below(random, 4) &&
               make_joined(random, &free_memory, &tables)) {
        }
    }
    struct phx_definition definition = {N_FDS, tables.n_tensors, tables.n_ops, 0};
    header.size = (uint32_t)(sizeof header + sizeof definition + N_FDS * sizeof(struct phx_buffer) +
                             tables.n_tensors * sizeof(struct phx_tensor) + tables.n_ops * sizeof(struct phx_op));
    request->n_bytes = 0;
    append(request, &header, sizeof header);
    append(request, &definition, sizeof definition);
    for (int i = 0; i < N_FDS; i++) {
        append(request, &(struct phx_buffer){.fd = memory->fds[i]}, sizeof(struct phx_buffer));
    }
    append(request, tables.tensors, tables.n_tensors * sizeof(struct phx_tensor));
    append(request, tables.ops, tables.n_ops * sizeof(struct phx_op));
    request->n_ops = header.actions & PHX_RUN ? tables.n_ops : 0;
    request->n_response = response_bytes(&header, tables.n_ops);
    request->is_valid = tables.is_valid;
}

static struct phx_patch make_patch(struct random *random, const struct fuzz_memory *memory) {
    struct phx_patch patch = {.kind = random_below(random, 7), .index = random_below(random, 12)};
    switch (patch.kind) {
    case PHX_PATCH_FD:
        patch.index = random_below(random, N_FDS + 1);
        patch.value = random_below(random, 8) ? (uint32_t)memory->fds[random_below(random, N_FDS)]
                                              : random_word(random);
        break;
    case PHX_PATCH_OFFSET:
        patch.value = random_below(random, 4) ? 128 * random_below(random, BUFFER_BYTES / 128) : random_word(random);
        break;
    default:
        patch.at = random_below(random, random_below(random, 4) ? 4 : 20);
        patch.value = random_below(random, 4) ? random_below(random, 6) : random_word(random);
    }
    return patch;
}

void make_run(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request) {
    struct phx_request header = header_of(random, random_below(random, 8) ? PHX_RUN : PHX_RUN | PHX_DROP);
    header.n_patches = random_below(random, 2) ? random_below(random, 5) : 0;
    header.size = (uint32_t)(sizeof header + header.n_patches * sizeof(struct phx_patch));
    request->n_bytes = 0;
    append(request, &header, sizeof header);
    for (uint32_t i = 0; i < header.n_patches; i++) {
        struct phx_patch patch = make_patch(random, memory);
        append(request, &patch, sizeof patch);
    }
    request->n_ops = 0;
    request->n_response = response_bytes(&header, MAX_MADE_OPS);
    request->is_valid = false;
}

/* --- Breaking --- */

static const uint32_t boundary_values[] = {
    0,       1,       2,       3,       4,          5,          7,          8,          12,         14,         31,
    32,      33,      63,      64,      65,         127,        128,        129,        255,        256,        257,
    1024,    1025,    8192,    8193,    16384,      16385,      0x7fff,     0xffff,     0x10000,    0x3ffff,    0x40000,
    0x40001, 1048576, 1048577, 1048832, 0x7fffffff, 0x80000000, 0x80000020, 0xfffffff0, 0xfffffffe, 0xffffffff,
};

static const int32_t steps[] = {-256, -128, -64, -32, -4, -3, -2, -1, 1, 2, 3, 4, 32, 64, 128, 256};

static uint32_t read_word(const struct fuzz_request *request, uint32_t index) {
    uint32_t word;
    memcpy(&word, request->bytes + 4 * index, 4);
    return word;
}

static void write_word(struct fuzz_request *request, uint32_t index, uint32_t word) {
    memcpy(request->bytes + 4 * index, &word, 4);
}

/* A word anywhere, in the header more often than its size deserves. */
static uint32_t pick_word(struct random *random, const struct fuzz_request *request) {
    uint32_t n_words = request->n_bytes / 4;
    uint32_t header_words = (sizeof(struct phx_request) + sizeof(struct phx_definition)) / 4;
    uint32_t limit = random_below(random, 6) == 0 && header_words < n_words ? header_words : n_words;
    return random_below(random, limit);
}

/* One table entry over another of its kind, perhaps of another kind. */
static void splice(struct random *random, struct fuzz_request *request) {
    uint32_t entry = random_below(random, 2) ? sizeof(struct phx_tensor) : sizeof(struct phx_op);
    uint32_t first = sizeof(struct phx_request) + sizeof(struct phx_definition) + N_FDS * sizeof(struct phx_buffer);
    if (request->n_bytes < first + 2 * entry) {
        return;
    }
    uint32_t n = (request->n_bytes - first) / entry;
    uint32_t from = first + entry * random_below(random, n);
    uint32_t to = first + entry * random_below(random, n);
    memmove(request->bytes + to, request->bytes + from, entry);
}

/* Another number of tables' entries, with a size that agrees. */
static void recount(struct random *random, struct fuzz_request *request) {
    struct phx_request header;
    struct phx_definition definition;
    if (request->n_bytes < sizeof header + sizeof definition) {
        return;
    }
    memcpy(&header, request->bytes, sizeof header);
    definition = (struct phx_definition){random_below(random, 4), random_below(random, 12), random_below(random, 5), 0};
    header.size = (uint32_t)(sizeof header + sizeof definition + definition.n_buffers * sizeof(struct phx_buffer) +
                             definition.n_tensors * sizeof(struct phx_tensor) +
                             definition.n_ops * sizeof(struct phx_op) +
                             header.n_patches % 8 * sizeof(struct phx_patch));
    memcpy(request->bytes, &header, sizeof header);
    memcpy(request->bytes + sizeof header, &definition, sizeof definition);
    request->n_bytes = header.size;
    request->n_response = response_bytes(&header, definition.n_ops);
}

static void mutate_once(struct random *random, struct fuzz_request *request) {
    uint32_t word = pick_word(random, request);
    switch (random_below(random, 9)) {
    case 0:
        request->bytes[random_below(random, request->n_bytes)] ^= (uint8_t)(1u << random_below(random, 8));
        break;
    case 1:
    case 2:
        write_word(request, word, boundary_values[random_below(random, sizeof boundary_values / 4)]);
        break;
    case 3:
    case 4:
        write_word(request, word, read_word(request, word) + (uint32_t)steps[random_below(random, sizeof steps / 4)]);
        break;
    case 5: {
        uint32_t other = pick_word(random, request);
        uint32_t kept = read_word(request, word);
        write_word(request, word, read_word(request, other));
        write_word(request, other, kept);
        break;
    }
    case 6:
        splice(random, request);
        break;
    case 7:
        recount(random, request);
        break;
    default:
        if (random_below(random, 2)) {
            request->n_bytes = random_below(random, request->n_bytes) + 1;
        } else {
            request->n_response = random_below(random, request->n_response + 1);
        }
    }
}

void mutate_request(struct random *random, struct fuzz_request *request) {
    uint32_t n = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < n && request->n_bytes >= 8; i++) {
        mutate_once(random, request);
    }
    request->is_valid = false;
}
