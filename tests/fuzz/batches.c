/* SPDX-License-Identifier: MIT
 *
 * Making and breaking batches. Breaking knows the structure: most random bytes would only ever reach the first checks.
 */
#include "batches.h"

#include <string.h>

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

#define MAX_MADE_OPS 3
#define MAX_OPERANDS 4

struct memory {
    uint8_t *const *buffers;
    uint32_t used[N_FDS];
};

struct fuzz_tables {
    struct phx_tensor tensors[MAX_MADE_OPS * MAX_OPERANDS];
    struct phx_op ops[MAX_MADE_OPS];
    uint32_t n_tensors;
    uint32_t n_ops;
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
static void fill_activations(struct random *random, uint8_t *to, uint32_t n_floats) {
    uint32_t exponent = random_below(random, 8) ? 100 + random_below(random, 60) : 0;
    for (uint32_t i = 0; i < n_floats; i++) {
        uint32_t bits = random_word(random);
        if (exponent) {
            bits = (bits & 0x807fffffu) | (exponent + (bits >> 23 & 7)) << 23;
        }
        memcpy(to + 4 * i, &bits, 4);
    }
}

/* Rows of 32-bit elements: n of them in each dimension, after each of which up to two elements are left out. */
static struct phx_tensor rows(struct random *random, uint32_t dtype, const uint32_t n[4]) {
    struct phx_tensor tensor = {.dtype = dtype, .nb = {4}, .flags = PHX_TENSOR_HOST_WROTE};
    for (int i = 0; i < 4; i++) {
        tensor.ne[i] = n[i];
        if (i > 0) {
            tensor.nb[i] = tensor.nb[i - 1] * (n[i - 1] ? n[i - 1] : 1) + 4 * random_below(random, 3);
        }
    }
    return tensor;
}

static uint32_t rows_bytes(const struct phx_tensor *tensor) {
    return tensor->nb[3] * tensor->ne[3];
}

/* The weight, x and dst of an op whose weight and x have such leading dimensions; false when the buffers are full. */
static bool make_operands(struct random *random, struct memory *memory, const uint32_t w[2], const uint32_t x[3],
                          const uint32_t dst[3], struct phx_tensor tensors[3]) {
    const struct type *type = &types[random_below(random, sizeof types / sizeof types[0])];
    uint32_t step = type->row.k_step;
    uint32_t k = step * (1 + random_below(random, step == 1 ? 100 : step == 32 ? 6 : 2));
    uint32_t n = 1 + random_below(random, 100);
    tensors[0] = (struct phx_tensor){.dtype = type->dtype, .layout = PHX_LAYOUT_TILES, .ne = {k, n, w[0], w[1]}};
    tensors[1] = rows(random, PHX_F32, (uint32_t[]){k, x[0], x[1], x[2]});
    tensors[2] = rows(random, PHX_F32, (uint32_t[]){n, dst[0], dst[1], dst[2]});
    uint32_t w_bytes = w[0] * w[1] * ((n + 63) / 64) * phx_tile_bytes(&type->row, k);
    if (!place(random, memory, &tensors[0], w_bytes, 128) ||
        !place(random, memory, &tensors[1], rows_bytes(&tensors[1]), 4) ||
        !place(random, memory, &tensors[2], rows_bytes(&tensors[2]), 4)) {
        return false;
    }
    fill_activations(random, bytes_of(memory, &tensors[1]), rows_bytes(&tensors[1]) / 4);
    return true;
}

static bool make_mul_mat(struct random *random, struct memory *memory, struct phx_tensor tensors[MAX_OPERANDS],
                         struct phx_op *op) {
    uint32_t w[2] = {1, 1};
    uint32_t x[3] = {random_below(random, 5), 1, 1};
    for (int i = 0; i < 2 && random_below(random, 3) == 0; i++) {
        w[i] = 1 + random_below(random, 2);
        x[i + 1] = w[i] * random_below(random, 4);
    }
    *op = (struct phx_op){.code = PHX_OP_MUL_MAT, .src = {0, 1, PHX_NONE, PHX_NONE}, .dst = 2};
    return make_operands(random, memory, w, x, x, tensors);
}

/* Now and then an id is one too large: such a batch is no valid one. */
static bool make_mul_mat_id(struct random *random, struct memory *memory, struct phx_tensor tensors[MAX_OPERANDS],
                            struct phx_op *op, bool *is_valid) {
    uint32_t w[2] = {1 + random_below(random, 5), 1};
    uint32_t n_used = 1 + random_below(random, 4);
    uint32_t n_tokens = random_below(random, 5);
    uint32_t x[3] = {n_used % 2 || random_below(random, 2) ? n_used : n_used / 2, n_tokens, 1};
    *op = (struct phx_op){.code = PHX_OP_MUL_MAT_ID, .src = {0, 1, 3, PHX_NONE}, .dst = 2};
    tensors[3] = rows(random, PHX_I32, (uint32_t[]){n_used, n_tokens, 1, 1});
    if (!make_operands(random, memory, w, random_below(random, 3) ? x : (uint32_t[]){1, n_tokens, 1},
                       (uint32_t[]){n_used, n_tokens, 1}, tensors) ||
        !place(random, memory, &tensors[3], rows_bytes(&tensors[3]), 4)) {
        return false;
    }
    uint8_t *ids = bytes_of(memory, &tensors[3]);
    memset(ids, 0xff, rows_bytes(&tensors[3]));
    for (uint32_t t = 0; t < n_tokens; t++) {
        for (uint32_t u = 0; u < n_used; u++) {
            uint32_t id = random_below(random, 64) ? random_below(random, w[0]) : w[0];
            *is_valid = *is_valid && id < w[0];
            memcpy(ids + t * tensors[3].nb[1] + 4 * u, &id, 4);
        }
    }
    return true;
}

/* An op and its tensors; false when the buffers are full. */
static bool make_op(struct random *random, struct memory *memory, struct fuzz_tables *tables, bool *is_valid) {
    struct phx_tensor *tensors = tables->tensors + tables->n_tensors;
    struct phx_op *op = &tables->ops[tables->n_ops];
    bool with_ids = random_below(random, 3) == 0;
    if (with_ids ? !make_mul_mat_id(random, memory, tensors, op, is_valid) : !make_mul_mat(random, memory, tensors, op)) {
        return false;
    }
    for (int i = 0; i < 4 && op->src[i] != PHX_NONE; i++) {
        op->src[i] += tables->n_tensors;
    }
    op->dst += tables->n_tensors;
    tables->n_tensors += with_ids ? 4 : 3;
    tables->n_ops++;
    return true;
}

static void append(struct fuzz_batch *batch, const void *bytes, size_t n_bytes) {
    memcpy(batch->bytes + batch->n_bytes, bytes, n_bytes);
    batch->n_bytes += (uint32_t)n_bytes;
}

/* Room for the response, whatever the number of threads. */
static uint32_t response_bytes(const struct phx_batch *header) {
    size_t threads = header->flags & PHX_BATCH_THREAD_RECORDS ? PHX_MAX_THREADS : 0;
    size_t records = sizeof(struct phx_op_record) + threads * sizeof(struct phx_thread_record);
    return (uint32_t)(sizeof(struct phx_response) + header->n_ops * records);
}

void make_batch(struct random *random, const int32_t fds[N_FDS], uint8_t *const memory[N_FDS],
                struct fuzz_batch *batch) {
    struct fuzz_tables tables = {.n_ops = 0};
    struct memory free_memory = {.buffers = memory};
    uint32_t wanted = random_below(random, MAX_MADE_OPS + 1);
    batch->is_valid = true;
    while (tables.n_ops < wanted && make_op(random, &free_memory, &tables, &batch->is_valid)) {
    }
    struct phx_batch header = {
        .magic = PHX_BATCH_MAGIC,
        .version = PHX_CONTRACT_VERSION,
        .n_buffers = N_FDS,
        .n_tensors = tables.n_tensors,
        .n_ops = tables.n_ops,
        .kernels = random_below(random, 2),
        .flags = random_below(random, 4) == 0 ? PHX_BATCH_THREAD_RECORDS : 0,
        .sequence = random_word(random),
    };
    header.size = (uint32_t)(sizeof header + N_FDS * sizeof(struct phx_buffer) +
                             tables.n_tensors * sizeof(struct phx_tensor) + tables.n_ops * sizeof(struct phx_op));
    batch->n_bytes = 0;
    append(batch, &header, sizeof header);
    for (int i = 0; i < N_FDS; i++) {
        append(batch, &(struct phx_buffer){.fd = fds[i]}, sizeof(struct phx_buffer));
    }
    append(batch, tables.tensors, tables.n_tensors * sizeof(struct phx_tensor));
    append(batch, tables.ops, tables.n_ops * sizeof(struct phx_op));
    batch->n_ops = tables.n_ops;
    batch->n_response = response_bytes(&header);
}

/* --- Breaking --- */

static const uint32_t boundary_values[] = {
    0,      1,      2,      3,       4,        5,        7,          8,          12,         14,         31,
    32,     33,     63,     64,      65,       127,      128,        129,        255,        256,        257,
    1024,   1025,   8192,   8193,    16384,    16385,    0x7fff,     0xffff,     0x10000,    0x3ffff,    0x40000,
    0x40001, 1048576, 1048577, 1048832, 0x7fffffff, 0x80000000, 0x80000020, 0xfffffff0, 0xfffffffe, 0xffffffff,
};

static const int32_t steps[] = {-256, -128, -64, -32, -4, -3, -2, -1, 1, 2, 3, 4, 32, 64, 128, 256};

static uint32_t read_word(const struct fuzz_batch *batch, uint32_t index) {
    uint32_t word;
    memcpy(&word, batch->bytes + 4 * index, 4);
    return word;
}

static void write_word(struct fuzz_batch *batch, uint32_t index, uint32_t word) {
    memcpy(batch->bytes + 4 * index, &word, 4);
}

/* A word anywhere, in the header more often than its size deserves. */
static uint32_t pick_word(struct random *random, const struct fuzz_batch *batch) {
    uint32_t n_words = batch->n_bytes / 4;
    uint32_t header_words = sizeof(struct phx_batch) / 4;
    uint32_t limit = random_below(random, 6) == 0 && header_words < n_words ? header_words : n_words;
    return random_below(random, limit);
}

/* One table entry over another of its kind, perhaps of another kind. */
static void splice(struct random *random, struct fuzz_batch *batch) {
    uint32_t entry = random_below(random, 2) ? sizeof(struct phx_tensor) : sizeof(struct phx_op);
    uint32_t first = sizeof(struct phx_batch) + N_FDS * sizeof(struct phx_buffer);
    if (batch->n_bytes < first + 2 * entry) {
        return;
    }
    uint32_t n = (batch->n_bytes - first) / entry;
    uint32_t from = first + entry * random_below(random, n);
    uint32_t to = first + entry * random_below(random, n);
    memmove(batch->bytes + to, batch->bytes + from, entry);
}

/* Another number of tables' entries, with a size that agrees. */
static void recount(struct random *random, struct fuzz_batch *batch) {
    struct phx_batch header;
    if (batch->n_bytes < sizeof header) {
        return;
    }
    memcpy(&header, batch->bytes, sizeof header);
    header.n_buffers = random_below(random, 4);
    header.n_tensors = random_below(random, 12);
    header.n_ops = random_below(random, 5);
    header.size = (uint32_t)(sizeof header + header.n_buffers * sizeof(struct phx_buffer) +
                             header.n_tensors * sizeof(struct phx_tensor) + header.n_ops * sizeof(struct phx_op));
    memcpy(batch->bytes, &header, sizeof header);
    batch->n_bytes = header.size;
    batch->n_response = response_bytes(&header);
}

static void mutate_once(struct random *random, struct fuzz_batch *batch) {
    uint32_t word = pick_word(random, batch);
    switch (random_below(random, 9)) {
    case 0:
        batch->bytes[random_below(random, batch->n_bytes)] ^= (uint8_t)(1u << random_below(random, 8));
        break;
    case 1:
    case 2:
        write_word(batch, word, boundary_values[random_below(random, sizeof boundary_values / 4)]);
        break;
    case 3:
    case 4:
        write_word(batch, word, read_word(batch, word) + (uint32_t)steps[random_below(random, sizeof steps / 4)]);
        break;
    case 5: {
        uint32_t other = pick_word(random, batch);
        uint32_t kept = read_word(batch, word);
        write_word(batch, word, read_word(batch, other));
        write_word(batch, other, kept);
        break;
    }
    case 6:
        splice(random, batch);
        break;
    case 7:
        recount(random, batch);
        break;
    default:
        if (random_below(random, 2)) {
            batch->n_bytes = random_below(random, batch->n_bytes) + 1;
        } else {
            batch->n_response = random_below(random, batch->n_response + 1);
        }
    }
}

void mutate_batch(struct random *random, struct fuzz_batch *batch) {
    uint32_t n = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < n && batch->n_bytes >= 8; i++) {
        mutate_once(random, batch);
    }
    batch->is_valid = false;
}
