/* SPDX-License-Identifier: MIT */
#include "product.h"

#include "runtime/clock.h"
#include "tiles.h"

#define MAX_BYTES (1u << 30) /* of scratch memory: sums of sizes below it stay within 32 bits */

_Static_assert(sizeof(struct phx_product_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");
_Static_assert(sizeof(struct phx_kept) <= PHX_VECTOR, "phx_kept");

static const struct phx_matmul_kernel *choose_kernel(uint32_t dtype, uint32_t kernels) {
    const struct phx_matmul_kernel *kernel = NULL;
#ifdef PHX_HVX
    if (kernels >= PHX_KERNELS_HVX) {
        kernel = phx_matmul_hvx(dtype);
    }
#else
    (void)kernels;
#endif
    return kernel ? kernel : phx_matmul_ref(dtype);
}

static struct phx_misfit check_operands(const struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view;
    if (w->layout != PHX_LAYOUT_TILES) {
        return (struct phx_misfit){PHX_E_LAYOUT, call->src[0]};
    }
    const struct phx_operand *floats[] = {call->src[1], call->dst[0]};
    for (int i = 0; i < 2; i++) {
        struct phx_misfit misfit = phx_want_rows(floats[i], PHX_F32);
        if (misfit.status) {
            return misfit;
        }
        if (floats[i]->view.ne[0] != w->ne[i]) { /* K of x, N of dst */
            return (struct phx_misfit){PHX_E_SHAPE, floats[i]};
        }
    }
    return PHX_FITS;
}

struct phx_misfit phx_product_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_product_plan *plan = (void *)call->plan;
    struct phx_misfit misfit = check_operands(call);
    if (misfit.status) {
        return misfit;
    }
    const struct phx_tensor *w = &call->src[0]->view;
    const struct phx_weight_type *type = &phx_weight_types[w->dtype];
    const struct phx_matmul_kernel *kernel = choose_kernel(w->dtype, call->kernels);
    uint32_t k = w->ne[0], n = w->ne[1], n_tiles = phx_n_tiles(n), tile_bytes = phx_tile_bytes(type, k);
    plan->mm = (struct phx_matmul){.dtype = w->dtype,
                                   .form = kernel->form,
                                   .k = k,
                                   .n = n,
                                   .n_blocks = phx_n_blocks(k),
                                   .ds = phx_ds(type, k),
                                   .dm = phx_dm(type, k),
                                   .tile_bytes = tile_bytes,
                                   .tiles = call->src[0]->data,
                                   .last_block = phx_n_blocks(k)};
    plan->kernel = kernel;
    plan->matrix_bytes = (size_t)n_tiles * tile_bytes;
    plan->row_bytes = phx_row_bytes(kernel, &plan->mm);
    plan->n_tiles = n_tiles;
    plan->cuts = phx_stream_cuts(executor->vtcm, executor->pool->n_threads, &plan->mm);
    return PHX_FITS;
}

void phx_product_begin(struct phx_product *product, const struct phx_call *call, struct phx_op_record *record) {
    product->plan = (const void *)call->plan;
    product->x = call->src[1]->data;
    product->dst = call->dst[0]->data;
    record->kernels = product->plan->kernel->kernels;
}

static uint32_t round_up(uint32_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

static bool is_product(const struct phx_op_type *type) {
    return type && (type->code == PHX_OP_MUL_MAT || type->code == PHX_OP_MUL_MAT_ID);
}

void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_places, size_t extra, const struct phx_kept *wanted) {
    uint32_t n_threads = executor->pool->n_threads;
    const struct phx_matmul_kernel *kernel = product->plan->kernel;
    uint32_t place_bytes = n_threads * kernel->work_row_bytes + 2 * sizeof(uint32_t) + sizeof(struct phx_run);
    if (extra > MAX_BYTES) {
        return NULL;
    }
    uint64_t n_bytes = PHX_VECTOR + (uint64_t)n_x * (product->plan->row_bytes + sizeof(uint32_t)) +
                       (uint64_t)n_places * place_bytes + n_threads * (kernel->work_bytes + PHX_VECTOR) +
                       n_threads * sizeof(struct phx_stream) + extra; /* with room to round up */
    void *before = executor->scratch->data;
    uint8_t *memory = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!memory) {
        return NULL;
    }
    product->kept = (void *)memory;
    product->is_quantised = wanted && is_product(executor->previous) && memory == before &&
                            phx_kept_is(product->kept, wanted);
    product->rows = memory + PHX_VECTOR;
    product->work_bytes = round_up(kernel->work_bytes + n_places * kernel->work_row_bytes);
    product->work = product->rows + n_x * product->plan->row_bytes;
    product->streams = (void *)(product->work + n_threads * product->work_bytes);
    phx_streams_set(product->streams, executor->vtcm, n_threads);
    product->runs = (void *)(product->streams + n_threads);
    product->dst_offsets = (void *)(product->runs + n_places);
    product->row_offsets = product->dst_offsets + n_places;
    product->x_offsets = product->row_offsets + n_places;
    return product->x_offsets + n_x;
}

static void quantise_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct phx_product *product = argument;
    uint32_t row_parts = phx_row_parts(&product->plan->mm);
    uint32_t first = phx_slice_start(product->part_slices, thread);
    uint32_t last = phx_slice_start(product->part_slices, thread + 1);
    (void)n_threads;
    for (uint32_t i = first < row_parts ? 0 : first / row_parts; first < last; i++) {
        uint32_t end = (i + 1) * row_parts < last ? (i + 1) * row_parts : last;
        product->plan->kernel->quantise(&product->plan->mm, product->x + product->x_offsets[i], first - i * row_parts,
                                        end - i * row_parts, product->rows + i * product->plan->row_bytes);
        first = end;
    }
}

/* The slices rotate from run to run: so none of the threads gets the larger one each time. */
static void multiply_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct phx_product *product = argument;
    struct phx_stream *stream = &product->streams[thread];
    for (uint32_t i = 0; i < product->n_runs; i++) {
        const struct phx_run *run = &product->runs[i];
        uint32_t part = thread + i < n_threads ? thread + i : (thread + i) % n_threads;
        struct phx_tile_slice slice = {product->plan->mm.tiles + run->matrix * product->plan->matrix_bytes,
                                       phx_slice_start(product->tile_slices, part),
                                       phx_slice_start(product->tile_slices, part + 1),
                                       run->n_rows == 1 ? PHX_TILES_AT_ONCE : 1};
        struct phx_rows rows = {run->n_rows, product->rows, product->row_offsets + run->first, NULL,
                                product->dst_offsets + run->first};
        phx_stream_open(stream, &product->plan->mm,
                        product->plan->kernel->takes_cut_tiles ? &product->plan->cuts : NULL, &slice);
        while (phx_stream_next(stream)) {
            rows.dst = product->dst + (size_t)stream->first_tile * PHX_TILE_ROWS * sizeof(float);
            product->plan->kernel->multiply(&stream->part, &rows, 0, stream->n_tiles,
                                            product->work + thread * product->work_bytes);
        }
    }
}

void phx_product_run(struct phx_product *product, const struct phx_executor *executor, struct phx_op_record *record) {
    uint32_t n_threads = executor->pool->n_threads, n_busy = 0;
    uint64_t n_slices = (uint64_t)product->plan->n_tiles * product->n_runs;
    uint32_t n_multiplying = n_slices < n_threads ? (uint32_t)n_slices : n_threads;
    if (!product->is_quantised) {
        uint32_t n_parts = product->n_x * phx_row_parts(&product->plan->mm);
        n_busy = n_parts < n_threads ? n_parts : n_threads;
        product->part_slices = phx_cut_evenly(n_parts, n_busy);
        uint32_t ticks = (uint32_t)phx_pool_run(executor->pool, n_busy, quantise_job, product);
        uint64_t prepare_ns = record->prepare_ns + phx_short_ticks_to_ns(ticks);
        record->prepare_ns = prepare_ns < UINT32_MAX ? (uint32_t)prepare_ns : UINT32_MAX;
    }
    n_busy = n_busy > n_multiplying ? n_busy : n_multiplying;
    record->n_threads = record->n_threads > n_busy ? record->n_threads : n_busy;
    product->tile_slices = phx_cut_evenly(product->plan->n_tiles, n_multiplying);
    phx_pool_run(executor->pool, n_multiplying, multiply_job, product);
}

void phx_product_end(struct phx_product *product, const struct phx_executor *executor, const struct phx_call *call,
                     const struct phx_kept *kept, struct phx_op_record *record) {
    const struct phx_operand *dst = call->dst[0];
    *product->kept = (struct phx_kept){0};
    if (kept && !(dst->data < kept->x->data + kept->x->n_bytes && kept->x->data < dst->data + dst->n_bytes)) {
        *product->kept = *kept;
    }
    record->dma_bytes = phx_streams_moved(product->streams, executor->pool->n_threads);
}
