/* SPDX-License-Identifier: MIT */
#include "program.h"

#include "libc.h"
#include "qurt.h"

static struct phx_fault fault(uint32_t status, uint32_t tensor) {
    return (struct phx_fault){status, PHX_NONE, tensor};
}

size_t phx_definition_bytes(const struct phx_definition *definition) {
    return sizeof(*definition) + definition->n_buffers * sizeof(struct phx_buffer) +
           definition->n_tensors * sizeof(struct phx_tensor) + definition->n_ops * sizeof(struct phx_op);
}

/* --- Memory: one allocation --- */

/* Reserves n items in the program's single allocation. The layout runs twice; the first time `memory` is NULL, to
 * compute the size. */
static void *reserve(uint8_t *memory, size_t *used, size_t n, size_t size) {
    void *at = memory ? memory + *used : NULL;
    *used += (n * size + 7) / 8 * 8;
    return at;
}

static size_t lay_out(struct phx_program *program, uint8_t *memory, uint32_t n_uses) {
    size_t used = 0;
    reserve(memory, &used, 1, sizeof(*program));
    program->calls = reserve(memory, &used, program->n_ops, sizeof(*program->calls));
    program->tables = reserve(memory, &used, program->n_ops, sizeof(*program->tables));
    program->operands = reserve(memory, &used, program->n_tensors, sizeof(*program->operands));
    program->regions = reserve(memory, &used, program->n_buffers, sizeof(*program->regions));
    program->buffers = reserve(memory, &used, program->n_buffers, sizeof(*program->buffers));
    program->ops = reserve(memory, &used, program->n_ops, sizeof(*program->ops));
    program->buffer_uses.start = reserve(memory, &used, program->n_buffers + 1, sizeof(uint32_t));
    program->buffer_uses.users = reserve(memory, &used, program->n_tensors, sizeof(uint32_t));
    program->tensor_uses.start = reserve(memory, &used, program->n_tensors + 1, sizeof(uint32_t));
    program->tensor_uses.users = reserve(memory, &used, n_uses, sizeof(uint32_t));
    program->host_writes = reserve(memory, &used, program->n_tensors, sizeof(uint32_t));
    program->host_reads = reserve(memory, &used, program->n_tensors, sizeof(uint32_t));
    program->tensors_to_check.indices = reserve(memory, &used, program->n_tensors, sizeof(uint32_t));
    program->tensors_to_check.is_marked = reserve(memory, &used, program->n_tensors, 1);
    program->ops_to_check.indices = reserve(memory, &used, program->n_ops, sizeof(uint32_t));
    program->ops_to_check.is_marked = reserve(memory, &used, program->n_ops, 1);
    return used;
}

static struct phx_program *new_program(struct phx_workspace *workspace, const struct phx_definition *header) {
    struct phx_program sizes = {.n_buffers = header->n_buffers, .n_tensors = header->n_tensors, .n_ops = header->n_ops};
    uint32_t n_uses = header->n_ops * (PHX_MAX_SRC + PHX_MAX_DST);
    size_t n_bytes = lay_out(&sizes, NULL, n_uses);
    struct phx_program *program = phx_workspace_alloc(workspace, n_bytes);
    if (program) {
        memset(program, 0, n_bytes);
        *program = sizes;
        lay_out(program, (uint8_t *)program, n_uses);
        for (uint32_t i = 0; i < program->n_ops; i++) {
            program->tables[i].area.workspace = workspace;
        }
    }
    return program;
}

void phx_program_free(struct phx_program *program) {
    for (uint32_t i = 0; program && i < program->n_ops; i++) {
        phx_area_free(&program->tables[i].area);
    }
    phx_workspace_free(program);
}

/* --- Uses --- */

/* Prefix sum: converts the count of item i, at start[i + 1], into offsets. */
static void counts_to_starts(uint32_t *start, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
}

/* Restores the offsets after filling has advanced each start to the next item's. */
static void shift_starts(uint32_t *start, uint32_t n) {
    for (uint32_t i = n; i > 0; i--) {
        start[i] = start[i - 1];
    }
    start[0] = 0;
}

/* Returns the i-th operand index of an op, results first. */
static uint32_t operand_of(const struct phx_op *op, uint32_t i) {
    return i < PHX_MAX_DST ? op->dst[i] : op->src[i - PHX_MAX_DST];
}

static void find_uses(struct phx_program *program) {
    uint32_t *start = program->buffer_uses.start;
    for (uint32_t i = 0; i < program->n_tensors; i++) {
        start[program->operands[i].view.buffer + 1]++;
    }
    counts_to_starts(start, program->n_buffers);
    for (uint32_t i = 0; i < program->n_tensors; i++) {
        program->buffer_uses.users[start[program->operands[i].view.buffer]++] = i;
    }
    shift_starts(start, program->n_buffers);

    start = program->tensor_uses.start;
    for (uint32_t i = 0; i < program->n_ops; i++) {
        for (uint32_t j = 0; j < PHX_MAX_SRC + PHX_MAX_DST; j++) {
            uint32_t tensor = operand_of(&program->ops[i], j);
            if (tensor != PHX_NONE) {
                start[tensor + 1]++;
            }
        }
    }
    counts_to_starts(start, program->n_tensors);
    for (uint32_t i = 0; i < program->n_ops; i++) {
        for (uint32_t j = 0; j < PHX_MAX_SRC + PHX_MAX_DST; j++) {
            uint32_t tensor = operand_of(&program->ops[i], j);
            if (tensor != PHX_NONE) {
                program->tensor_uses.users[start[tensor]++] = i;
            }
        }
    }
    shift_starts(start, program->n_tensors);
}

static void mark(struct phx_index_set *marked, uint32_t index) {
    if (!marked->is_marked[index]) {
        marked->is_marked[index] = 1;
        marked->indices[marked->n++] = index;
    }
}

static void mark_users(const struct phx_users *uses, uint32_t item, struct phx_index_set *marked) {
    for (uint32_t i = uses->start[item]; i < uses->start[item + 1]; i++) {
        mark(marked, uses->users[i]);
    }
}

/* --- Checks --- */

/* Invalidates cache lines that are stale after the CPU has written the tensor. */
static void invalidate(const struct phx_operand *operand) {
    if (operand->n_bytes) {
        qurt_mem_cache_clean((uintptr_t)operand->data, operand->n_bytes, QURT_MEM_CACHE_FLUSH_INVALIDATE,
                             QURT_MEM_DCACHE);
    }
}

/* Looks up the address of a buffer. If it has changed, marks the buffer's tensors for checking. */
static uint32_t look_up(const struct phx_maps *maps, struct phx_program *program, uint32_t index) {
    const struct phx_map *map = phx_maps_find(maps, program->buffers[index].fd);
    struct phx_region *region = &program->regions[index];
    if (!map) {
        return PHX_E_BUFFER;
    }
    if (region->data != map->data || region->size != map->size) {
        *region = (struct phx_region){map->data, map->size};
        mark_users(&program->buffer_uses, index, &program->tensors_to_check);
    }
    return PHX_OK;
}

static struct phx_fault look_up_all(const struct phx_maps *maps, struct phx_program *program) {
    for (uint32_t i = 0; i < program->n_buffers; i++) {
        uint32_t status = look_up(maps, program, i);
        if (status) {
            return fault(status, PHX_NONE);
        }
    }
    program->maps_epoch = maps->epoch;
    return PHX_NO_FAULT;
}

static struct phx_fault check_marked(const struct phx_executor *executor, struct phx_program *program) {
    struct phx_index_set *tensors = &program->tensors_to_check, *ops = &program->ops_to_check;
    for (; tensors->n; tensors->n--) {
        uint32_t index = tensors->indices[tensors->n - 1];
        struct phx_operand *operand = &program->operands[index];
        uint32_t status = phx_check_tensor(&operand->view, &program->regions[operand->view.buffer], operand);
        if (status) {
            return fault(status, index);
        }
        tensors->is_marked[index] = 0;
        mark_users(&program->tensor_uses, index, ops);
    }
    for (; ops->n; ops->n--) {
        uint32_t index = ops->indices[ops->n - 1];
        struct phx_fault result = phx_check_op(executor, program, index);
        if (result.status) {
            return result;
        }
        ops->is_marked[index] = 0;
    }
    return PHX_NO_FAULT;
}

/* --- Definition --- */

static struct phx_fault read_tensors(struct phx_program *program, const uint8_t *tables) {
    for (uint32_t i = 0; i < program->n_tensors; i++) {
        struct phx_tensor *view = &program->operands[i].view;
        memcpy(view, tables + i * sizeof(*view), sizeof(*view));
        if (view->reserved ||
            view->flags & ~(uint32_t)(PHX_TENSOR_HOST_WROTE | PHX_TENSOR_HOST_WRITES | PHX_TENSOR_HOST_READS)) {
            return fault(PHX_E_RESERVED, i);
        }
        if (view->buffer >= program->n_buffers) {
            return fault(PHX_E_INDEX, i);
        }
        if (view->flags & PHX_TENSOR_HOST_WRITES) {
            program->host_writes[program->n_host_writes++] = i;
        }
        if (view->flags & PHX_TENSOR_HOST_READS) {
            program->host_reads[program->n_host_reads++] = i;
        }
        mark(&program->tensors_to_check, i);
    }
    return PHX_NO_FAULT;
}

static struct phx_fault read_ops(struct phx_program *program, const uint8_t *tables) {
    memcpy(program->ops, tables, program->n_ops * sizeof(*program->ops));
    for (uint32_t i = 0; i < program->n_ops; i++) {
        for (uint32_t j = 0; j < PHX_MAX_SRC + PHX_MAX_DST; j++) {
            uint32_t tensor = operand_of(&program->ops[i], j);
            if (tensor != PHX_NONE && tensor >= program->n_tensors) {
                return (struct phx_fault){PHX_E_INDEX, i, tensor};
            }
        }
        mark(&program->ops_to_check, i); /* marks ops without operands, too */
    }
    return PHX_NO_FAULT;
}

static struct phx_fault fill(const struct phx_executor *executor, const struct phx_maps *maps,
                             struct phx_program *program, const uint8_t *tables) {
    memcpy(program->buffers, tables, program->n_buffers * sizeof(*program->buffers));
    tables += program->n_buffers * sizeof(*program->buffers);
    for (uint32_t i = 0; i < program->n_buffers; i++) {
        if (program->buffers[i].reserved) {
            return fault(PHX_E_RESERVED, PHX_NONE);
        }
    }
    struct phx_fault result = look_up_all(maps, program);
    if (!result.status) {
        result = read_tensors(program, tables);
    }
    if (!result.status) {
        result = read_ops(program, tables + program->n_tensors * sizeof(struct phx_tensor));
    }
    if (!result.status) {
        find_uses(program);
        result = check_marked(executor, program);
    }
    return result;
}

struct phx_fault phx_program_define(const struct phx_executor *executor, struct phx_workspace *workspace,
                                    const struct phx_maps *maps, const struct phx_definition *header,
                                    const uint8_t *tables, struct phx_program **program) {
    *program = new_program(workspace, header);
    if (!*program) {
        return fault(PHX_E_NO_MEMORY, PHX_NONE);
    }
    struct phx_fault result = fill(executor, maps, *program, tables);
    if (result.status) {
        phx_program_free(*program);
        *program = NULL;
        return result;
    }
    for (uint32_t i = 0; i < header->n_tensors; i++) {
        if ((*program)->operands[i].view.flags & PHX_TENSOR_HOST_WROTE) {
            invalidate(&(*program)->operands[i]);
        }
    }
    return PHX_NO_FAULT;
}

/* --- Patches --- */

static uint32_t apply(const struct phx_maps *maps, struct phx_program *program, const struct phx_patch *patch) {
    uint32_t index = patch->index;
    bool is_tensor = patch->kind == PHX_PATCH_OFFSET || patch->kind == PHX_PATCH_LENGTH ||
                     patch->kind == PHX_PATCH_HOST_WROTE;
    if (is_tensor && index >= program->n_tensors) {
        return PHX_E_PATCH;
    }
    struct phx_operand *operand = is_tensor ? &program->operands[index] : NULL;
    switch (patch->kind) {
    case PHX_PATCH_FD:
        if (index >= program->n_buffers) {
            return PHX_E_PATCH;
        }
        program->buffers[index].fd = (int32_t)patch->value;
        return look_up(maps, program, index);
    case PHX_PATCH_OFFSET:
        operand->view.offset = patch->value;
        mark(&program->tensors_to_check, index);
        return PHX_OK;
    case PHX_PATCH_LENGTH:
        if (patch->at >= PHX_MAX_DIMS) {
            return PHX_E_PATCH;
        }
        operand->view.ne[patch->at] = patch->value;
        program->n_lengths++;
        mark(&program->tensors_to_check, index);
        return PHX_OK;
    case PHX_PATCH_PARAM:
        if (index >= program->n_ops || patch->at >= PHX_MAX_PARAMS) {
            return PHX_E_PATCH;
        }
        program->ops[index].params[patch->at] = patch->value;
        mark(&program->ops_to_check, index);
        return PHX_OK;
    case PHX_PATCH_HOST_WROTE: /* handled later, when the tensor's address is known */
        return PHX_OK;
    default:
        return PHX_E_PATCH;
    }
}

struct phx_fault phx_program_prepare(const struct phx_executor *executor, const struct phx_maps *maps,
                                     struct phx_program *program, const uint8_t *patches, uint32_t n_patches) {
    for (uint32_t i = 0; i < n_patches; i++) {
        struct phx_patch patch;
        memcpy(&patch, patches + i * sizeof(patch), sizeof(patch));
        uint32_t status = apply(maps, program, &patch);
        if (status) {
            return fault(status, PHX_NONE);
        }
    }
    if (program->maps_epoch != maps->epoch) {
        struct phx_fault result = look_up_all(maps, program);
        if (result.status) {
            return result;
        }
    }
    struct phx_fault result = check_marked(executor, program);
    if (result.status) {
        return result;
    }
    for (uint32_t i = 0; i < program->n_host_writes; i++) {
        invalidate(&program->operands[program->host_writes[i]]);
    }
    for (uint32_t i = 0; i < n_patches; i++) {
        struct phx_patch patch;
        /* copied, because the CPU may change it during the check */
        memcpy(&patch, patches + i * sizeof(patch), sizeof(patch));
        if (patch.kind == PHX_PATCH_HOST_WROTE && patch.index < program->n_tensors) {
            invalidate(&program->operands[patch.index]);
        }
    }
    return PHX_NO_FAULT;
}
