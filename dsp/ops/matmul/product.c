/* SPDX-License-Identifier: MIT */
#include "product.h"

#include "runtime/clock.h"
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

void phx_product_begin(struct phx_product *product, const struct phx_executor *executor,
                       const struct phx_program *program, const struct phx_op *op, struct phx_op_record *record) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_weight_type *type = &phx_weight_types[w->dtype];
    const struct phx_matmul_kernel *kernel = choose_kernel(w->dtype, executor->kernels);
    uint32_t k = w->ne[0], n = w->ne[1], n_tiles = phx_n_tiles(n), tile_bytes = phx_tile_bytes(type, k);
    product->x = program->spans[op->src[1]].data;
    product->dst = program->spans[op->dst].data;
    product->streams = executor->streams;
    product->kernel = kernel;
    product->n_tiles = n_tiles;
    product->matrix_bytes = (size_t)n_tiles * tile_bytes;
    product->is_quantised = false;
    product->mm = (struct phx_matmul){.dtype = w->dtype,
                                      .form = kernel->form,
                                      .k = k,
                                      .n = n,
                                      .n_blocks = phx_n_blocks(k),
                                      .ds = phx_ds(type, k),
                                      .dm = phx_dm(type, k),
                                      .tile_bytes = tile_bytes,
                                      .tiles = program->spans[op->src[0]].data,
                                      .last_block = phx_n_blocks(k)};
    record->kernels = kernel->kernels;
    product->row_bytes = phx_row_bytes(kernel, &product->mm);
}

static uint32_t round_up(uint32_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

void *phx_product_reserve(struct phx_product *product, const struct phx_executor *executor, uint32_t n_x,
                          uint32_t n_places, size_t extra) {
    uint32_t n_threads = executor->pool->n_threads;
    const struct phx_matmul_kernel *kernel = product->kernel;
    uint32_t place_bytes = n_threads * kernel->work_row_bytes + 2 * sizeof(uint32_t) + sizeof(struct phx_run);
    if (extra > MAX_BYTES) {
        return NULL;
    }
    uint64_t n_bytes = (uint64_t)n_x * (product->row_bytes + sizeof(uint32_t)) + (uint64_t)n_places * place_bytes +
                       n_threads * (kernel->work_bytes + PHX_VECTOR) + extra; /* with room to round up */
    size_t size = executor->scratch->size;
    phx_kept_drop(executor->kept);
    product->rows = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!product->rows) {
        return NULL;
    }
    product->is_quantised = product->is_quantised && executor->scratch->size == size;
    product->work_bytes = round_up(kernel->work_bytes + n_places * kernel->work_row_bytes);
    product->work = product->rows + n_x * product->row_bytes;
    product->runs = (void *)(product->work + n_threads * product->work_bytes);
    product->dst_offsets = (void *)(product->runs + n_places);
    product->row_offsets = product->dst_offsets + n_places;
    product->x_offsets = product->row_offsets + n_places;
    return product->x_offsets + n_x;
}

/* 2^32 over 1, 2, 3 and so on, rounded up but for the first, where one is left over. */
static const uint32_t reciprocals[] = {0,          0xffffffff, 0x80000000, 0x55555556, 0x40000000,
                                       0x33333334, 0x2aaaaaab, 0x24924925, 0x20000000};
_Static_assert(sizeof(reciprocals) / sizeof(reciprocals[0]) > PHX_MAX_THREADS, "one for each number of slices");

/* n below 2^29; the v68 has no instruction to divide. */
static struct phx_slices cut(uint32_t n, uint32_t n_slices) {
    uint32_t each = (uint32_t)((uint64_t)n * reciprocals[n_slices] >> 32);
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
        product->kernel->quantise(&product->mm, product->x + product->x_offsets[i], first - i * row_parts,
                                  end - i * row_parts, product->rows + i * product->row_bytes);
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
        struct phx_slice slice = {product->mm.tiles + run->matrix * product->matrix_bytes,
                                  slice_start(product->tile_slices, part),
                                  slice_start(product->tile_slices, part + 1),
                                  run->n_rows == 1 ? PHX_TILES_AT_ONCE : 1};
        struct phx_rows rows = {run->n_rows, product->rows, product->row_offsets + run->first, NULL,
                                product->dst_offsets + run->first};
        phx_stream_open(stream, &product->mm, product->kernel->takes_cut_tiles, &slice);
        while (phx_stream_next(stream)) {
            rows.dst = product->dst + (size_t)stream->first_tile * PHX_TILE_ROWS * sizeof(float);
            product->kernel->multiply(&stream->part, &rows, 0, stream->n_tiles,
                                      product->work + thread * product->work_bytes);
        }
    }
}

void phx_product_run(struct phx_product *product, const struct phx_executor *executor, struct phx_op_record *record) {
    uint32_t n_threads = executor->pool->n_threads, n_busy = 0;
    uint64_t n_slices = (uint64_t)product->n_tiles * product->n_runs;
    uint32_t n_multiplying = n_slices < n_threads ? (uint32_t)n_slices : n_threads;
    if (!product->is_quantised) {
        uint32_t n_parts = product->n_x * phx_row_parts(&product->mm);
        n_busy = n_parts < n_threads ? n_parts : n_threads;
        product->part_slices = cut(n_parts, n_busy);
        uint32_t ticks = (uint32_t)phx_pool_run(executor->pool, n_busy, quantise_job, product);
        uint64_t quantise_ns = record->quantise_ns + phx_short_ticks_to_ns(ticks);
        record->quantise_ns = quantise_ns < UINT32_MAX ? (uint32_t)quantise_ns : UINT32_MAX;
    }
    n_busy = n_busy > n_multiplying ? n_busy : n_multiplying;
    record->n_threads = record->n_threads > n_busy ? record->n_threads : n_busy;
    product->tile_slices = cut(product->n_tiles, n_multiplying);
    phx_pool_run(executor->pool, n_multiplying, multiply_job, product);
}
