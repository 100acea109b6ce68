/* SPDX-License-Identifier: MIT */
#include "matmul.h"

#include "clock.h"
#include "stream.h"
#include "tiles.h"

#define MAX_BYTES (1u << 30) /* of scratch memory: sums of sizes below it stay within 32 bits */

struct phx_fault phx_product_check(const struct phx_program *program, const struct phx_op *op) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    if (w->layout != PHX_LAYOUT_TILES) {
        return (struct phx_fault){PHX_E_LAYOUT, 0, op->src[0]};
    }
    const uint32_t floats[] = {op->src[1], op->dst};
    for (int i = 0; i < 2; i++) {
        const struct phx_tensor *tensor = &program->tensors[floats[i]];
        if (tensor->layout != PHX_LAYOUT_ROWS) {
            return (struct phx_fault){PHX_E_LAYOUT, 0, floats[i]};
        }
        if (tensor->dtype != PHX_F32) {
            return (struct phx_fault){PHX_E_DTYPE, 0, floats[i]};
        }
        if (tensor->nb[0] != sizeof(float)) {
            return (struct phx_fault){PHX_E_STRIDE, 0, floats[i]};
        }
        if (tensor->ne[0] != w->ne[i]) { /* K of x, N of dst */
            return (struct phx_fault){PHX_E_SHAPE, 0, floats[i]};
        }
    }
    return PHX_NO_FAULT;
}

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

struct phx_product phx_product_of(const struct phx_executor *executor, const struct phx_program *program,
                                  const struct phx_op *op, struct phx_op_record *record) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_weight_type *type = phx_weight_type(w->dtype);
    uint32_t k = w->ne[0];
    struct phx_product product = {
        .mm = {w->dtype, k, w->ne[1], phx_n_blocks(k), phx_ds(type, k), phx_dm(type, k), phx_tile_bytes(type, k),
               program->spans[op->src[0]].data, 0, phx_n_blocks(k), 0},
        .kernel = choose_kernel(w->dtype, executor->kernels),
        .n_tiles = phx_n_tiles(w->ne[1]),
        .vtcm = executor->vtcm,
        .x = program->spans[op->src[1]].data,
        .dst = program->spans[op->dst].data,
    };
    product.matrix_bytes = (size_t)product.n_tiles * product.mm.tile_bytes;
    product.row_bytes = product.kernel->rows_bytes(&product.mm, 1);
    record->kernels = product.kernel->kernels;
    return product;
}

static uint64_t round_up(uint64_t n, uint32_t step) {
    return (n + step - 1) / step * step;
}

void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_copies, size_t extra) {
    uint32_t n_threads = executor->pool->n_threads;
    uint64_t n_places = (uint64_t)n_x * n_copies;
    if (n_places > MAX_BYTES / sizeof(uint32_t) || extra > MAX_BYTES) {
        return NULL;
    }
    uint64_t rows_bytes = round_up(n_places * product->row_bytes, PHX_VECTOR);
    uint64_t work_bytes =
        round_up(product->kernel->work_bytes + n_places * product->kernel->work_row_bytes, PHX_VECTOR);
    uint64_t n_bytes = rows_bytes + n_threads * work_bytes + extra + n_x * sizeof(uint32_t) +
                       n_places * (2 * sizeof(uint32_t) + sizeof(struct phx_run));
    size_t size = executor->scratch->size;
    phx_kept_drop(executor->kept);
    product->rows = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!product->rows) {
        return NULL;
    }
    product->is_quantised = product->is_quantised && executor->scratch->size == size;
    product->work_bytes = (size_t)work_bytes;
    product->work = product->rows + rows_bytes;
    product->runs = (void *)(product->work + n_threads * product->work_bytes);
    product->dst_offsets = (void *)(product->runs + n_places);
    product->places = product->dst_offsets + n_places;
    product->x_offsets = product->places + n_places;
    product->n_copies = n_copies;
    return product->x_offsets + n_x;
}

static struct phx_slices cut(uint32_t n, uint32_t n_slices) {
    uint32_t each = n / n_slices;
    return (struct phx_slices){each, n - each * n_slices};
}

static uint32_t slice_start(struct phx_slices slices, uint32_t i) {
    return i * slices.each + (i < slices.more ? i : slices.more);
}

static void quantise_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct phx_product *product = argument;
    uint32_t row_parts = phx_row_parts(&product->mm);
    uint32_t first = slice_start(product->part_slices, thread), last = slice_start(product->part_slices, thread + 1);
    (void)n_threads;
    for (uint32_t i = first < row_parts ? 0 : first / row_parts; first < last; i++) {
        uint32_t end = (i + 1) * row_parts < last ? (i + 1) * row_parts : last;
        const uint32_t *places = product->places + (size_t)i * product->n_copies;
        for (uint32_t copy = 0; copy < product->n_copies; copy++) {
            product->kernel->quantise(&product->mm, product->x + product->x_offsets[i], first - i * row_parts,
                                      end - i * row_parts, product->rows + places[copy] * product->row_bytes);
        }
        first = end;
    }
}

/* The stream's piece times a run's rows. */
static void multiply_piece(const struct phx_product *product, const struct phx_stream *stream,
                           const struct phx_run *run, void *work) {
    uint8_t *columns = product->dst + (size_t)stream->piece.first_tile * PHX_TILE_ROWS * sizeof(float);
    product->kernel->multiply(&stream->part, product->rows + run->first * product->row_bytes, run->n_rows, 0,
                              stream->piece.n_tiles,
                              (struct phx_rows_out){columns, product->dst_offsets + run->first}, work);
}

/* The slices rotate from run to run: so none of the threads gets the larger one each time. */
static void multiply_job(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_product *product = argument;
    struct phx_matmul mm = product->mm;
    struct phx_stream stream;
    product->dma_bytes[thread] = 0;
    for (uint32_t i = 0; i < product->n_runs; i++) {
        const struct phx_run *run = &product->runs[i];
        uint32_t part = thread + i < n_threads ? thread + i : (thread + i) % n_threads;
        mm.tiles = product->mm.tiles + run->matrix * product->matrix_bytes;
        phx_stream_open(&stream, product->vtcm, thread, n_threads, &mm, product->kernel->takes_cut_tiles,
                        run->n_rows == 1 ? PHX_TILES_AT_ONCE : 1, slice_start(product->tile_slices, part),
                        slice_start(product->tile_slices, part + 1));
        while (phx_stream_next(&stream)) {
            multiply_piece(product, &stream, run, product->work + thread * product->work_bytes);
        }
        product->dma_bytes[thread] += stream.dma_bytes;
    }
}

void phx_product_run(struct phx_product *product, const struct phx_executor *executor, struct phx_op_record *record) {
    uint32_t n_threads = executor->pool->n_threads;
    uint64_t n_slices = (uint64_t)product->n_tiles * product->n_runs;
    uint32_t n_parts = product->is_quantised ? 0 : product->n_x * phx_row_parts(&product->mm);
    uint32_t n_quantising = n_parts < n_threads ? n_parts : n_threads;
    uint32_t n_multiplying = n_slices < n_threads ? (uint32_t)n_slices : n_threads;
    uint32_t n_busy = n_quantising > n_multiplying ? n_quantising : n_multiplying;
    record->n_threads = record->n_threads > n_busy ? record->n_threads : n_busy;
    uint64_t start = HAP_perf_get_qtimer_count();
    if (n_quantising > 0) {
        product->part_slices = cut(n_parts, n_quantising);
        phx_pool_run(executor->pool, n_quantising, quantise_job, product);
    }
    uint64_t quantise_ns = record->quantise_ns + phx_ticks_to_ns(HAP_perf_get_qtimer_count() - start);
    record->quantise_ns = quantise_ns < UINT32_MAX ? (uint32_t)quantise_ns : UINT32_MAX;
    product->tile_slices = cut(product->n_tiles, n_multiplying);
    phx_pool_run(executor->pool, n_multiplying, multiply_job, product);
    for (uint32_t thread = 0; thread < n_multiplying; thread++) {
        record->dma_bytes += product->dma_bytes[thread];
    }
}
