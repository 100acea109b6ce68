/* SPDX-License-Identifier: MIT
 *
 * Mutations of operands: absent and aliased ones, overlapping memory, shapes at the limits of 32-bit numbers, ids. A
 * mutation of one word seldom passes the checks of shapes that follow those of ranges; these change what belongs
 * together.
 */
#include <string.h>

#include "operands.h"

#define N_SLOTS (PHX_MAX_SRC + PHX_MAX_DST) /* operands of an op */

/* A definition's tables, copied. */
struct definition {
    struct phx_tensor tensors[MAX_MADE_OPS * MAX_OPERANDS];
    struct phx_op ops[MAX_MADE_OPS];
    uint32_t n_tensors, n_ops;
    size_t tensors_at; /* in the request; the ops follow */
};

static bool read_definition(const struct fuzz_request *request, struct definition *definition) {
    struct phx_request header;
    struct phx_definition sizes;
    if (request->n_bytes < sizeof header + sizeof sizes) {
        return false;
    }
    memcpy(&header, request->bytes, sizeof header);
    memcpy(&sizes, request->bytes + sizeof header, sizeof sizes);
    definition->n_tensors = sizes.n_tensors;
    definition->n_ops = sizes.n_ops;
    definition->tensors_at = sizeof header + sizeof sizes + sizes.n_buffers * sizeof(struct phx_buffer);
    if (!(header.actions & PHX_DEFINE) || sizes.n_ops == 0 || sizes.n_tensors == 0) {
        return false;
    }
    memcpy(definition->tensors, request->bytes + definition->tensors_at, sizes.n_tensors * sizeof(struct phx_tensor));
    memcpy(definition->ops, request->bytes + definition->tensors_at + sizes.n_tensors * sizeof(struct phx_tensor),
           sizes.n_ops * sizeof(struct phx_op));
    return true;
}

static void write_definition(struct fuzz_request *request, const struct definition *definition) {
    uint8_t *at = request->bytes + definition->tensors_at;
    memcpy(at, definition->tensors, definition->n_tensors * sizeof(struct phx_tensor));
    memcpy(at + definition->n_tensors * sizeof(struct phx_tensor), definition->ops,
           definition->n_ops * sizeof(struct phx_op));
}

/* Returns an operand's place in its op: sources first. */
static uint32_t *slot_of(struct phx_op *op, uint32_t i) {
    return i < PHX_MAX_SRC ? &op->src[i] : &op->dst[i - PHX_MAX_SRC];
}

/* Returns the place of an operand that is there, or any place if none is found soon. */
static uint32_t *any_operand(struct random *random, struct phx_op *op) {
    uint32_t *slot = slot_of(op, random_below(random, N_SLOTS));
    for (int i = 0; i < 16 && *slot == PHX_NONE; i++) {
        slot = slot_of(op, random_below(random, N_SLOTS));
    }
    return slot;
}

static struct phx_tensor *tensor_of(struct random *random, struct definition *definition, struct phx_op *op) {
    uint32_t index = *any_operand(random, op);
    return &definition->tensors[index < definition->n_tensors ? index : random_below(random, definition->n_tensors)];
}

/* --- Sizes --- */

static uint32_t any_limit(struct random *random) {
    static const uint32_t limits[] = {0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0xffffffe0,
                                      0xffff,     0x10000,    0x10001,    0x7fff,     0x8000,     0x3fffffff,
                                      0x40000000, 0x20000000, 0x4000000,  0x4000001,  0x1000000,  0};
    return limits[random_below(random, sizeof limits / sizeof *limits)];
}

/* Gives one dimension of an op's tensors the same limit, without steps in memory: shapes go on to match, and every range
 * is small. */
static void stretch(struct random *random, struct definition *definition, struct phx_op *op) {
    uint32_t dim = random_below(random, PHX_MAX_DIMS), limit = any_limit(random);
    uint32_t length = tensor_of(random, definition, op)->ne[dim];
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        uint32_t index = *slot_of(op, i);
        if (index < definition->n_tensors && definition->tensors[index].ne[dim] == length) {
            definition->tensors[index].ne[dim] = limit;
            definition->tensors[index].nb[dim] = random_below(random, 4) ? 0 : any_limit(random);
        }
    }
}

/* As stretch(), of tensors without elements, whose other dimensions no range bounds. */
static void stretch_empty(struct random *random, struct definition *definition, struct phx_op *op) {
    uint32_t empty = 1 + random_below(random, PHX_MAX_DIMS - 1);
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        uint32_t index = *slot_of(op, i);
        if (index < definition->n_tensors) {
            definition->tensors[index].ne[empty] = 0;
        }
    }
    stretch(random, definition, op);
}

static void change_sizes(struct random *random, struct phx_tensor *tensor) {
    uint32_t dim = random_below(random, PHX_MAX_DIMS);
    switch (random_below(random, 4)) {
    case 0:
        tensor->ne[dim] += random_below(random, 2) ? 1 : UINT32_MAX;
        break;
    case 1:
        tensor->ne[dim] = any_limit(random);
        break;
    case 2:
        tensor->nb[dim] = any_limit(random);
        break;
    default:
        tensor->offset = any_limit(random) & ~(random_below(random, 2) ? 127u : 3u);
    }
}

/* --- Sharing --- */

/* Gives a tensor the memory of another one, or a part of it. */
static void overlap(struct random *random, struct phx_tensor *tensor, const struct phx_tensor *other) {
    tensor->buffer = other->buffer;
    tensor->offset = other->offset + (random_below(random, 2) ? 0 : 4 * random_below(random, 64));
}

/* Changes an id, or another word of a tensor of int32. */
static void change_id(struct random *random, const struct fuzz_memory *memory, const struct phx_tensor *tensor) {
    static const uint32_t ids[] = {0, 1, 2, 3, 0xffffffff, 0x7fffffff, 0x80000000, 64, 0x10000};
    uint32_t id = ids[random_below(random, sizeof ids / sizeof *ids)];
    uint32_t at = tensor->offset + random_below(random, tensor->ne[0] < 8 ? tensor->ne[0] : 8) * sizeof id;
    if (tensor->dtype == PHX_I32 && tensor->buffer < N_FDS && at < BUFFER_BYTES - sizeof id) {
        memcpy(memory->buffers[tensor->buffer] + at, &id, sizeof id);
    }
}

static void mutate_once(struct random *random, const struct fuzz_memory *memory, struct definition *definition) {
    struct phx_op *op = &definition->ops[random_below(random, definition->n_ops)];
    uint32_t *slot = any_operand(random, op);
    switch (random_below(random, 10)) {
    case 0:
    case 1:
        *slot = PHX_NONE;
        break;
    case 2:
        *slot = *any_operand(random, op);
        break;
    case 3: { /* an operand that the op does not have */
        struct phx_op *other = &definition->ops[random_below(random, definition->n_ops)];
        *slot_of(op, random_below(random, N_SLOTS)) = *any_operand(random, other);
        break;
    }
    case 4: {
        uint32_t *other = any_operand(random, op), index = *slot;
        *slot = *other;
        *other = index;
        break;
    }
    case 5:
        overlap(random, tensor_of(random, definition, op),
                &definition->tensors[random_below(random, definition->n_tensors)]);
        break;
    case 6:
        change_sizes(random, tensor_of(random, definition, op));
        break;
    case 7:
        stretch(random, definition, op);
        break;
    case 8:
        stretch_empty(random, definition, op);
        break;
    default:
        for (uint32_t i = 0; i < definition->n_tensors; i++) {
            if (random_below(random, 2)) {
                change_id(random, memory, &definition->tensors[i]);
            }
        }
    }
}

void mutate_operands(struct random *random, const struct fuzz_memory *memory, struct fuzz_request *request) {
    struct definition definition;
    if (!read_definition(request, &definition)) {
        return;
    }
    for (uint32_t i = 1 + random_below(random, 2); i > 0; i--) {
        mutate_once(random, memory, &definition);
    }
    write_definition(request, &definition);
    request->is_valid = false;
}
