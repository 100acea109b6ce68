/* SPDX-License-Identifier: MIT
 *
 * Makes and mutates requests. Mutations follow the structure, because random bytes would rarely pass the first
 * checks.
 */
#include <string.h>

#include "operands.h"
#include "ops/codes.h"

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

/* --- Fused ops --- */

/* Makes the operands of an elementwise or row-by-row op on the last op's result, perhaps in place, perhaps with an
 * earlier result; or ADD_ID with the ids of a matmul. Returns false when the buffers are full. */
static bool make_follower(struct maker *maker, struct fuzz_tables *tables, const struct phx_op *last) {
    struct random *random = maker->random;
    struct phx_op *op = maker->op;
    const uint32_t *n = tables->tensors[last->dst[0]].ne;
    bool is_in_place = random_below(random, 2), is_made = true;
    memset(op->params, 0, sizeof op->params);
    memset(op->src, 0xff, sizeof op->src);
    memset(op->dst, 0xff, sizeof op->dst);
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

/* Adds an op that may be fused with the last one: a matmul of the same activations, or an op on its result. Returns
 * false when the buffers are full. */
static bool make_joined(struct random *random, struct memory *memory, struct fuzz_tables *tables) {
    const struct phx_op *last = &tables->ops[tables->n_ops - 1];
    struct phx_op *op = &tables->ops[tables->n_ops];
    struct maker maker = {random, memory, tables->tensors + tables->n_tensors, op, 0, true};
    bool is_product = last->code == PHX_OP_MUL_MAT || last->code == PHX_OP_MUL_MAT_ID, is_made;
    *op = *last;
    op->flags |= random_below(random, 4) ? PHX_OP_FUSED : 0;
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

/* Returns whether ops may be fused to this one. */
static bool is_joinable(const struct phx_op *op) {
    return op->code == PHX_OP_MUL_MAT || op->code == PHX_OP_MUL_MAT_ID || op->code == PHX_OP_ADD ||
           op->code == PHX_OP_SWIGLU || op->code == PHX_OP_RMS_NORM || op->code == PHX_OP_L2_NORM ||
           op->code == PHX_OP_ROPE || op->code == PHX_OP_HADAMARD;
}

/* --- Requests --- */

static void append(struct fuzz_request *request, const void *bytes, size_t n_bytes) {
    memcpy(request->bytes + request->n_bytes, bytes, n_bytes);
    request->n_bytes += (uint32_t)n_bytes;
}

/* Returns the size of the response for any number of threads. */
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

/* What the ops of a definition have in common; higher numbers: nothing. */
enum theme {
    BETWEEN_MATMULS,
    STATEFUL, /* ops with page tables or slots, of which some operands come together */
    USER_KERNELS
};

/* Returns the code of the next op of a definition of `wanted` ops; PHX_NONE: any. */
static uint32_t next_code(struct random *random, uint32_t theme, uint32_t n_ops, uint32_t wanted) {
    static const uint32_t matmuls[] = {PHX_OP_MUL_MAT, PHX_OP_MUL_MAT_ID};
    static const uint32_t stateful[] = {PHX_OP_SSM_CONV, PHX_OP_GATED_DELTA_NET, PHX_OP_FLASH_ATTN_EXT,
                                        PHX_OP_CACHE_APPEND};
    if (theme == BETWEEN_MATMULS && (n_ops == 0 || n_ops + 1 == wanted)) {
        return matmuls[random_below(random, 2)];
    }
    if (theme == USER_KERNELS && random_below(random, 2)) {
        return PHX_OP_CALL;
    }
    return theme == STATEFUL ? stateful[random_below(random, 4)] : PHX_NONE;
}

void make_definition(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request) {
    static const uint32_t actions[] = {PHX_DEFINE | PHX_RUN, PHX_DEFINE | PHX_RUN, PHX_DEFINE | PHX_RUN | PHX_DROP,
                                       PHX_DEFINE};
    static struct fuzz_tables tables;
    struct memory free_memory = {.buffers = memory->buffers};
    struct phx_request header = header_of(random, actions[random_below(random, 4)]);
    uint32_t wanted = random_below(random, MAX_MADE_OPS + 1);
    uint32_t theme = random_below(random, 4);
    uint32_t most_joined = theme == BETWEEN_MATMULS && wanted ? wanted - 1 : wanted;
    tables = (struct fuzz_tables){.is_valid = true};
    while (tables.n_ops < wanted &&
           make_op(random, &free_memory, &tables, next_code(random, theme, tables.n_ops, wanted))) {
        while (is_joinable(&tables.ops[tables.n_ops - 1]) && tables.n_ops < most_joined && random_below(random, 4) &&
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

/* Returns a value for a patch of this kind. */
static uint32_t patch_value(struct random *random, const struct fuzz_memory *memory, uint32_t kind) {
    switch (kind) {
    case PHX_PATCH_FD:
        return random_below(random, 8) ? (uint32_t)memory->fds[random_below(random, N_FDS)] : random_word(random);
    case PHX_PATCH_OFFSET:
        return random_below(random, 4) ? 128 * random_below(random, BUFFER_BYTES / 128) : random_word(random);
    default:
        return random_below(random, 4) ? random_below(random, 6) : random_word(random);
    }
}

static struct phx_patch make_patch(struct random *random, const struct fuzz_memory *memory) {
    struct phx_patch patch = {.kind = random_below(random, 7), .index = random_below(random, 12)};
    switch (patch.kind) {
    case PHX_PATCH_FD:
        patch.index = random_below(random, N_FDS + 1);
        break;
    case PHX_PATCH_OFFSET:
        break;
    default:
        patch.at = random_below(random, random_below(random, 4) ? 4 : 20);
    }
    patch.value = patch_value(random, memory, patch.kind);
    return patch;
}

/* Something that a program's patches move and then move back: a patch, another one of the same field, and the first one
 * again. */
struct move {
    struct phx_patch patches[2];
    uint32_t program;
    uint32_t n_left; /* runs */
};

static struct move make_move(struct random *random, const struct fuzz_memory *memory, uint32_t program) {
    struct phx_patch patch = make_patch(random, memory);
    struct move move = {{patch, patch}, program, 3};
    move.patches[1].value = patch_value(random, memory, patch.kind);
    return move;
}

void make_run(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request) {
    static struct move move;
    struct phx_request header = header_of(random, random_below(random, 8) ? PHX_RUN : PHX_RUN | PHX_DROP);
    bool is_move = random_below(random, 2);
    if (is_move && move.n_left == 0) {
        move = make_move(random, memory, header.program);
    }
    if (is_move) {
        header.actions = PHX_RUN;
        header.program = move.program;
        header.n_patches = 1;
    } else {
        header.n_patches = random_below(random, 2) ? random_below(random, 5) : 0;
    }
    header.size = (uint32_t)(sizeof header + header.n_patches * sizeof(struct phx_patch));
    request->n_bytes = 0;
    append(request, &header, sizeof header);
    for (uint32_t i = 0; i < header.n_patches; i++) {
        struct phx_patch patch = is_move ? move.patches[--move.n_left % 2] : make_patch(random, memory);
        append(request, &patch, sizeof patch);
    }
    request->n_ops = 0;
    request->n_response = response_bytes(&header, MAX_MADE_OPS);
    request->is_valid = false;
}

/* --- Mutations --- */

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

/* Picks a word anywhere, in the header more often than its size deserves. */
static uint32_t pick_word(struct random *random, const struct fuzz_request *request) {
    uint32_t n_words = request->n_bytes / 4;
    uint32_t header_words = (sizeof(struct phx_request) + sizeof(struct phx_definition)) / 4;
    uint32_t limit = random_below(random, 6) == 0 && header_words < n_words ? header_words : n_words;
    return random_below(random, limit);
}

/* Copies a table entry over another one of its table, perhaps of another table. */
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

/* Changes the number of a table's entries, with a consistent size. */
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
