/* SPDX-License-Identifier: MIT
 *
 * The checker of tensors and ops. A fault in the skel can take the whole DSP down, so the skel checks every field of a
 * program before it uses that field. The checker works on the program's own copies, since the CPU may still write to
 * the request. Sums and products of fields are 64-bit: the largest, four strides of 2^32 * 2^32, are refused one by one
 * before they are added.
 *
 * A tensor that passes lies inside a mapped buffer. The results of an op that passes have no overlapping elements, and
 * they overlap neither its sources nor each other, unless the op's row in idl/ops.h allows the identical view. The op's
 * own check() (op.h) covers the rest: dtypes, layouts, matching shapes.
 */
#include "formats/cache.h"
#include "formats/tiles.h"
#include "ops/elements.h"
#include "ops/executor.h"
#include "program.h"

/* Sets the operand's address and size from its buffer. The extent may be anything up to 2^64 - 2^33. */
static uint32_t set_extent(const struct phx_tensor *view, const struct phx_region *region, uint64_t extent,
                           uint32_t alignment, struct phx_operand *operand) {
    if (view->offset + extent > region->size) {
        return PHX_E_RANGE;
    }
    operand->data = region->data + view->offset;
    operand->n_bytes = (size_t)extent;
    operand->room = (uint32_t)(region->size - view->offset - extent);
    return (uintptr_t)operand->data % alignment ? PHX_E_ALIGN : PHX_OK;
}

/* Returns whether the view stays within PHX_MAX_ROWS and PHX_MAX_ELEMENTS, which bound the time of an op that visits
 * all of it. */
static bool is_bounded(const struct phx_tensor *view) {
    uint64_t n_rows = 1;
    for (int i = 1; i < PHX_MAX_DIMS; i++) {
        n_rows *= view->ne[i];
        if (n_rows > PHX_MAX_ROWS) {
            return false;
        }
    }
    return n_rows * view->ne[0] <= PHX_MAX_ELEMENTS;
}

static uint32_t check_rows(const struct phx_tensor *view, const struct phx_region *region,
                           struct phx_operand *operand) {
    struct phx_grain grain = phx_grain_of(view->dtype);
    if (grain.n_bytes == 0) {
        return PHX_E_LAYOUT;
    }
    if (view->ne[0] == 0 || view->ne[0] % grain.n_elements) {
        return PHX_E_SHAPE;
    }
    if (grain.n_elements > 1 && view->nb[0] != grain.n_bytes) {
        return PHX_E_STRIDE;
    }
    uint64_t extent = grain.n_bytes;
    bool is_empty = false;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        uint32_t n = i == 0 ? view->ne[0] / grain.n_elements : view->ne[i];
        if (view->nb[i] % grain.alignment) {
            return PHX_E_STRIDE;
        }
        if (n == 0) {
            is_empty = true;
            continue;
        }
        uint64_t reach = (uint64_t)(n - 1) * view->nb[i];
        if (reach > UINT32_MAX) {
            return PHX_E_RANGE;
        }
        extent += reach;
    }
    uint32_t status = set_extent(view, region, is_empty ? 0 : extent, grain.alignment, operand);
    return status || is_empty || is_bounded(view) ? status : PHX_E_SHAPE;
}

static uint32_t check_tiles(const struct phx_tensor *view, const struct phx_region *region,
                            struct phx_operand *operand) {
    const struct phx_weight_type *type = phx_weight_type(view->dtype);
    if (!type) {
        return PHX_E_LAYOUT;
    }
    uint32_t k = view->ne[0], n = view->ne[1];
    if (k == 0 || k > PHX_MAX_K || k % type->k_step || n == 0 || view->ne[2] == 0 || view->ne[3] == 0) {
        return PHX_E_SHAPE;
    }
    if (view->nb[0] | view->nb[1] | view->nb[2] | view->nb[3]) {
        return PHX_E_STRIDE;
    }
    uint64_t extent = (uint64_t)phx_n_tiles(n) * phx_tile_bytes(type, k);
    for (int i = 2; i < PHX_MAX_DIMS; i++) { /* matrices are contiguous */
        if (extent > UINT32_MAX) {
            return PHX_E_RANGE;
        }
        extent *= view->ne[i];
    }
    return set_extent(view, region, extent, PHX_VECTOR, operand);
}

static uint32_t check_cache(const struct phx_tensor *view, const struct phx_region *region,
                            struct phx_operand *operand) {
    if (phx_cache_block_vectors(view->dtype) == 0) {
        return PHX_E_LAYOUT;
    }
    if (!phx_cache_has_dims(view->ne[0]) || view->ne[1] == 0 || view->ne[2] == 0 || view->ne[3] != 1) {
        return PHX_E_SHAPE;
    }
    if (view->nb[0] | view->nb[1] | view->nb[2] | view->nb[3]) {
        return PHX_E_STRIDE;
    }
    uint64_t n_tiles = 2 * (uint64_t)view->ne[1] * view->ne[2],
             tile_bytes = phx_cache_tile_bytes(view->dtype, view->ne[0]);
    if (n_tiles > UINT32_MAX / tile_bytes) {
        return PHX_E_RANGE;
    }
    return set_extent(view, region, n_tiles * tile_bytes, PHX_VECTOR, operand);
}

uint32_t phx_check_tensor(const struct phx_tensor *view, const struct phx_region *region, struct phx_operand *operand) {
    if (!phx_weight_type(view->dtype) && phx_grain_of(view->dtype).n_bytes == 0) {
        return PHX_E_DTYPE;
    }
    switch (view->layout) {
    case PHX_LAYOUT_ROWS:
        return check_rows(view, region, operand);
    case PHX_LAYOUT_TILES:
        return check_tiles(view, region, operand);
    case PHX_LAYOUT_CACHE:
        return check_cache(view, region, operand);
    default:
        return PHX_E_LAYOUT;
    }
}

/* Returns whether no two elements share bytes. Visits dimensions by ascending stride: each stride must be at least the
 * extent of all shorter ones. */
static bool has_distinct_elements(const struct phx_tensor *view) {
    struct phx_grain grain = phx_grain_of(view->dtype);
    uint64_t extent = grain.n_bytes;
    uint32_t is_done = 0; /* one bit per dimension */
    for (int pass = 0; pass < PHX_MAX_DIMS; pass++) {
        int shortest = -1;
        for (int i = 0; i < PHX_MAX_DIMS; i++) {
            if (!(is_done >> i & 1) && (shortest < 0 || view->nb[i] < view->nb[shortest])) {
                shortest = i;
            }
        }
        uint32_t n = shortest == 0 ? view->ne[0] / grain.n_elements : view->ne[shortest];
        is_done |= 1u << shortest;
        if (n > 1) {
            if (view->nb[shortest] < extent) {
                return false;
            }
            extent += (uint64_t)(n - 1) * view->nb[shortest];
        }
    }
    return true;
}

/* Results have the rows or the cache layout, and overlap neither themselves, nor other results, nor sources. */
static struct phx_mismatch check_results(const struct phx_call *call) {
    const struct phx_op_type *type = call->type;
    for (uint32_t i = 0; i < type->n_dst; i++) {
        const struct phx_operand *dst = call->dst[i];
        if (!dst) {
            continue;
        }
        bool is_cache = dst->view.layout == PHX_LAYOUT_CACHE; /* ops that do not know caches refuse them in check() */
        if (dst->view.layout != PHX_LAYOUT_ROWS && !is_cache) {
            return (struct phx_mismatch){PHX_E_LAYOUT, dst};
        }
        if (!is_cache && !has_distinct_elements(&dst->view)) {
            return (struct phx_mismatch){PHX_E_STRIDE, dst};
        }
        for (uint32_t j = 0; j < i; j++) {
            if (call->dst[j] && phx_overlap(dst, call->dst[j])) {
                return (struct phx_mismatch){PHX_E_OVERLAP, dst};
            }
        }
        for (uint32_t j = 0; j < type->n_src; j++) {
            const struct phx_operand *src = call->src[j];
            bool may_be_same = i == 0 && type->in_place >> j & 1;
            if (src && phx_overlap(dst, src) && !(may_be_same && phx_is_same_view(dst, src))) {
                return (struct phx_mismatch){PHX_E_OVERLAP, dst};
            }
        }
    }
    return PHX_MATCH;
}

/* Resolves the operands of one side (src or dst). The first `least` are required, the ones from `most` on must be
 * absent. `has_any_dtype`: they may have the types of user kernels. Returns a status. */
static uint32_t resolve_operands(const struct phx_program *program, const uint32_t *indices, uint32_t n, uint32_t least,
                                 uint32_t most, bool has_any_dtype, const struct phx_operand **operands) {
    for (uint32_t i = 0; i < n; i++) {
        if (indices[i] == PHX_NONE ? i < least : i >= most) {
            return PHX_E_INDEX;
        }
        operands[i] = indices[i] == PHX_NONE ? NULL : &program->operands[indices[i]];
        if (operands[i] && !has_any_dtype && phx_is_of_user_kernels(operands[i]->view.dtype)) {
            return PHX_E_DTYPE;
        }
    }
    return PHX_OK;
}

struct phx_fault phx_check_op(const struct phx_executor *executor, struct phx_program *program, uint32_t index) {
    const struct phx_op *op = &program->ops[index];
    const struct phx_op_type *type = phx_op_type(op->code);
    struct phx_call *call = &program->calls[index];
    struct phx_fault fault = {PHX_OK, index, PHX_NONE};
    if (!type) {
        fault.status = PHX_E_OP;
        return fault;
    }
    const uint32_t skipped = PHX_OP_NO_QUANTISE | PHX_OP_NO_COMPUTE;
    if (op->kernels > PHX_KERNELS_HVX || op->flags & ~(PHX_OP_FUSED | PHX_OP_DCFETCH | skipped)) {
        fault.status = PHX_E_RESERVED;
        return fault;
    }
    *call = (struct phx_call){.type = type,
                              .kernels = op->kernels,
                              .params = op->params,
                              .may_fuse = op->flags & PHX_OP_FUSED,
                              .has_dcfetch = op->flags & PHX_OP_DCFETCH,
                              .tables = &program->tables[index]};
    call->tables->is_made = false;
    for (uint32_t i = 0; i <= index && i < PHX_LOOK_AHEAD; i++) {
        program->tables[index - i].has_lookahead = false;
    }
    for (uint32_t i = index; i > 0 && program->ops[i].flags & PHX_OP_FUSED; i--) {
        program->calls[i - 1].n_fused = 0; /* earlier ops may have been fused with this one */
    }
    fault.status = resolve_operands(program, op->src, PHX_MAX_SRC, type->n_least, type->n_src, type->has_any_dtype,
                                    call->src);
    if (!fault.status) {
        fault.status = resolve_operands(program, op->dst, PHX_MAX_DST, 1, type->n_dst, type->has_any_dtype, call->dst);
    }
    for (uint32_t i = type->n_params; !fault.status && i < PHX_MAX_PARAMS; i++) {
        fault.status = op->params[i] ? PHX_E_PARAM : PHX_OK;
    }
    if (fault.status) {
        return fault;
    }
    struct phx_mismatch mismatch = check_results(call);
    if (!mismatch.status) {
        mismatch = type->check(executor, call);
    }
    if (!mismatch.status && op->flags & skipped) {
        phx_skip_stages(call, op->flags);
    }
    fault.status = mismatch.status;
    fault.tensor = mismatch.operand ? (uint32_t)(mismatch.operand - program->operands) : PHX_NONE;
    return fault.status ? fault : PHX_NO_FAULT;
}
