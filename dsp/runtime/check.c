/* SPDX-License-Identifier: MIT
 *
 * The batch checker. A fault in the skel can take the whole DSP down, so nothing of a batch is used before it is
 * checked, and nothing is read twice: the batch lies in memory that the CPU may still write to, so the header and the
 * tables are copied first and only the copies count. Sums and products of batch fields are 64-bit: the largest, four
 * strides of 2^32 * 2^32, are refused one by one before they are added.
 *
 * A tensor that passes lies inside a mapped buffer; what an op wants beyond that (dtypes, layouts, shapes that fit, dst
 * apart from its sources) is the op's rule in ops.h.
 */
#include <stdbool.h>

#include "ops.h"
#include "program.h"
#include "ops/matmul/tiles.h"

static struct phx_fault fault(uint32_t status, uint32_t op, uint32_t tensor) {
    return (struct phx_fault){status, op, tensor};
}

static size_t tables_bytes(const struct phx_batch *header) {
    return header->n_buffers * sizeof(struct phx_buffer) + header->n_tensors * sizeof(struct phx_tensor) +
           header->n_ops * sizeof(struct phx_op);
}

static uint32_t header_status(const struct phx_batch *header, size_t n_bytes) {
    if (header->magic != PHX_BATCH_MAGIC) {
        return PHX_E_MAGIC;
    }
    if (header->version != PHX_CONTRACT_VERSION) {
        return PHX_E_VERSION;
    }
    if (header->n_buffers > PHX_MAX_BUFFERS || header->n_tensors > PHX_MAX_TENSORS || header->n_ops > PHX_MAX_OPS) {
        return PHX_E_LIMIT;
    }
    size_t needed = sizeof(*header) + tables_bytes(header);
    if (header->size < needed || n_bytes < needed) {
        return PHX_E_SHORT;
    }
    if (header->size > needed || header->flags & ~(uint32_t)PHX_BATCH_THREAD_RECORDS ||
        header->kernels > PHX_KERNELS_HVX) {
        return PHX_E_RESERVED;
    }
    return PHX_OK;
}

struct phx_fault phx_check_header(const void *batch, size_t n_bytes, struct phx_program *program) {
    if (n_bytes < sizeof(program->header)) {
        return fault(PHX_E_SHORT, PHX_NONE, PHX_NONE);
    }
    memcpy(&program->header, batch, sizeof(program->header));
    return fault(header_status(&program->header, n_bytes), PHX_NONE, PHX_NONE);
}

/* Where the tensor lies in its buffer; the extent may be anything up to 2^64 - 2^33. */
static uint32_t place(const struct phx_tensor *tensor, const struct phx_map *map, uint64_t extent, uint32_t alignment,
                      struct phx_span *span) {
    if (tensor->offset + extent > map->size) {
        return PHX_E_RANGE;
    }
    span->data = map->data + tensor->offset;
    span->n_bytes = (size_t)extent;
    return (uintptr_t)span->data % alignment ? PHX_E_ALIGN : PHX_OK;
}

/* Rows of plain elements. Each dimension's stride must step over all that lies within, so no two elements overlap. */
static uint32_t check_rows(const struct phx_tensor *tensor, const struct phx_map *map, struct phx_span *span) {
    if (tensor->dtype != PHX_F32 && tensor->dtype != PHX_F16 && tensor->dtype != PHX_I32) {
        return PHX_E_LAYOUT;
    }
    uint32_t element = tensor->dtype == PHX_F16 ? 2 : 4;
    if (tensor->ne[0] == 0) {
        return PHX_E_SHAPE;
    }
    uint64_t extent = element;
    bool is_empty = false;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        if (tensor->nb[i] % element || (tensor->ne[i] > 1 && tensor->nb[i] < extent)) {
            return PHX_E_STRIDE;
        }
        if (tensor->ne[i] == 0) {
            is_empty = true;
            continue;
        }
        uint64_t reach = (uint64_t)(tensor->ne[i] - 1) * tensor->nb[i];
        if (reach > UINT32_MAX) {
            return PHX_E_RANGE;
        }
        extent += reach;
    }
    return place(tensor, map, is_empty ? 0 : extent, element, span);
}

static uint32_t check_tiles(const struct phx_tensor *tensor, const struct phx_map *map, struct phx_span *span) {
    const struct phx_weight_type *type = phx_weight_type(tensor->dtype);
    if (!type) {
        return PHX_E_LAYOUT;
    }
    uint32_t k = tensor->ne[0];
    uint32_t n = tensor->ne[1];
    if (k == 0 || k > PHX_MAX_K || k % type->k_step || n == 0 || tensor->ne[2] == 0 || tensor->ne[3] == 0) {
        return PHX_E_SHAPE;
    }
    if (tensor->nb[0] | tensor->nb[1] | tensor->nb[2] | tensor->nb[3]) {
        return PHX_E_STRIDE;
    }
    uint64_t extent = (uint64_t)phx_n_tiles(n) * phx_tile_bytes(type, k);
    for (int i = 2; i < PHX_MAX_DIMS; i++) { /* matrix after matrix */
        if (extent > UINT32_MAX) {
            return PHX_E_RANGE;
        }
        extent *= tensor->ne[i];
    }
    return place(tensor, map, extent, PHX_VECTOR, span);
}

static uint32_t check_tensor(const struct phx_tensor *tensor, const struct phx_buffer *buffers, uint32_t n_buffers,
                             const struct phx_maps *maps, struct phx_span *span) {
    if (tensor->reserved || tensor->flags & ~(uint32_t)PHX_TENSOR_HOST_WROTE) {
        return PHX_E_RESERVED;
    }
    if (tensor->buffer >= n_buffers) {
        return PHX_E_INDEX;
    }
    if (!phx_weight_type(tensor->dtype) && tensor->dtype != PHX_I32) {
        return PHX_E_DTYPE;
    }
    const struct phx_map *map = phx_maps_find(maps, buffers[tensor->buffer].fd);
    switch (tensor->layout) {
    case PHX_LAYOUT_ROWS:
        return check_rows(tensor, map, span);
    case PHX_LAYOUT_TILES:
        return check_tiles(tensor, map, span);
    default:
        return PHX_E_LAYOUT;
    }
}

static bool overlap(const struct phx_span *a, const struct phx_span *b) {
    return a->n_bytes && b->n_bytes && a->data < b->data + b->n_bytes && b->data < a->data + a->n_bytes;
}

/* The op's own fields, then its rule. */
static struct phx_fault check_op(const struct phx_program *program, uint32_t index) {
    const struct phx_op *op = &program->ops[index];
    const struct phx_op_type *type = phx_op_type(op->code);
    uint32_t n_tensors = program->header.n_tensors;
    if (!type) {
        return fault(PHX_E_OP, index, PHX_NONE);
    }
    if (op->reserved || op->reserved2) {
        return fault(PHX_E_RESERVED, index, PHX_NONE);
    }
    for (uint32_t i = 0; i < PHX_MAX_SRC; i++) {
        if (i < type->n_src ? op->src[i] >= n_tensors : op->src[i] != PHX_NONE) {
            return fault(PHX_E_INDEX, index, op->src[i]);
        }
    }
    if (op->dst >= n_tensors) {
        return fault(PHX_E_INDEX, index, op->dst);
    }
    for (uint32_t i = type->n_params; i < PHX_MAX_PARAMS; i++) {
        if (op->params[i]) {
            return fault(PHX_E_PARAM, index, PHX_NONE);
        }
    }
    const struct phx_span *dst = &program->spans[op->dst];
    for (uint32_t i = 0; i < type->n_src; i++) {
        const struct phx_span *src = &program->spans[op->src[i]];
        if (overlap(dst, src)) {
            return fault(PHX_E_OVERLAP, index, op->dst);
        }
    }
    struct phx_fault result = type->check(program, op);
    result.op = result.status ? index : PHX_NONE;
    return result;
}

struct phx_fault phx_check_tables(const void *batch, const struct phx_maps *maps, struct phx_area *area,
                                  struct phx_program *program) {
    const struct phx_batch *header = &program->header;
    size_t copied = tables_bytes(header);
    /* Spans first: they hold pointers, and the tables' sizes are multiples of 8. */
    size_t spans_bytes = header->n_tensors * sizeof(struct phx_span);
    uint8_t *memory = phx_area_reserve(area, spans_bytes + copied + 1); /* an empty batch is no failure */
    if (!memory) {
        return fault(PHX_E_NO_MEMORY, PHX_NONE, PHX_NONE);
    }
    struct phx_span *spans = (void *)memory;
    const struct phx_buffer *buffers = (const void *)(memory + spans_bytes);
    memcpy(memory + spans_bytes, (const uint8_t *)batch + sizeof(*header), copied);
    program->spans = spans;
    program->tensors = (const void *)(buffers + header->n_buffers);
    program->ops = (const void *)(program->tensors + header->n_tensors);

    for (uint32_t i = 0; i < header->n_buffers; i++) {
        if (buffers[i].reserved) {
            return fault(PHX_E_RESERVED, PHX_NONE, PHX_NONE);
        }
        if (!phx_maps_find(maps, buffers[i].fd)) {
            return fault(PHX_E_BUFFER, PHX_NONE, PHX_NONE);
        }
    }
    for (uint32_t i = 0; i < header->n_tensors; i++) {
        uint32_t status = check_tensor(&program->tensors[i], buffers, header->n_buffers, maps, &spans[i]);
        if (status) {
            return fault(status, PHX_NONE, i);
        }
    }
    for (uint32_t i = 0; i < header->n_ops; i++) {
        struct phx_fault result = check_op(program, i);
        if (result.status) {
            return result;
        }
    }
    return PHX_NO_FAULT;
}
