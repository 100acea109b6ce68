/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <string.h>

#include "ops/attention/cache.h"
#include "formats/tiles.h"

struct type {
    uint32_t dtype;
    struct phx_weight_type row;
};

static const struct type types[] = {
#define TYPE(name, ...) {PHX_##name, {__VA_ARGS__}},
#include "../../idl/types.h"
#undef TYPE
};

uint8_t *bytes_of(const struct memory *memory, const struct phx_tensor *tensor) {
    return memory->buffers[tensor->buffer] + tensor->offset;
}

bool place(struct random *random, struct memory *memory, struct phx_tensor *tensor, uint32_t n_bytes,
           uint32_t alignment) {
    uint32_t *end = &memory->used[tensor->buffer = random_below(random, N_FDS)];
    tensor->offset = (*end + alignment - 1) / alignment * alignment;
    if (tensor->offset + n_bytes > BUFFER_BYTES) {
        return false;
    }
    *end = tensor->offset + n_bytes;
    return true;
}

void fill_floats(struct random *random, uint8_t *to, uint32_t n_floats) {
    uint32_t exponent = random_below(random, 8) ? 100 + random_below(random, 60) : 0;
    for (uint32_t i = 0; i < n_floats; i++) {
        uint32_t bits = random_word(random);
        if (exponent) {
            bits = (bits & 0x807fffffu) | (exponent + (bits >> 23 & 7)) << 23;
        }
        memcpy(to + 4 * i, &bits, 4);
    }
}

struct phx_tensor rows(struct random *random, uint32_t dtype, uint32_t element, const uint32_t n[4]) {
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

uint32_t rows_bytes(const struct phx_tensor *tensor) {
    return tensor->nb[3] * tensor->ne[3];
}

bool add_floats(struct maker *maker, const uint32_t n[4]) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = rows(maker->random, PHX_F32, 4, n);
    if (!place(maker->random, maker->memory, tensor, rows_bytes(tensor), 4)) {
        return false;
    }
    fill_floats(maker->random, bytes_of(maker->memory, tensor), rows_bytes(tensor) / 4);
    return true;
}

bool add_words(struct maker *maker, const uint32_t n[4]) {
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

bool add_tiles(struct maker *maker, const uint32_t n_matrices[2], uint32_t *k, uint32_t *n) {
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

bool add_ids(struct maker *maker, const uint32_t n[4], uint32_t limit) {
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

bool add_cache(struct maker *maker, uint32_t dtype, uint32_t n_dims, uint32_t n_heads, uint32_t n_pages) {
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = (struct phx_tensor){.dtype = dtype, .layout = PHX_LAYOUT_CACHE, .ne = {n_dims, n_heads, n_pages, 1}};
    uint32_t n_bytes = n_pages * n_heads * 2 * phx_cache_tile_bytes(dtype, n_dims);
    return place(maker->random, maker->memory, tensor, n_bytes, 128);
}

void set_operands(struct phx_op *op, uint32_t n_src) {
    for (uint32_t i = 0; i < n_src; i++) {
        op->src[i] = i;
    }
    op->dst[0] = n_src;
}
