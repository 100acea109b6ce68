/* SPDX-License-Identifier: MIT
 *
 * MUL_MAT: dst[m][n] = sum over k of src[0][n][k] * src[1][m][k], weights in tiles, the rest float32 rows.
 *
 * The activations are taken in chunks of rows, so that their quantised form stays within SCRATCH_BYTES (or is one row).
 * Per chunk: quantise, rows cut over the threads; then multiply, tiles cut over the threads in contiguous slices.
 */
#include "clock.h"
#include "kernels.h"
#include "ops.h"
#include "tiles.h"

#define SCRATCH_BYTES (1u << 20)
#define ROWS_STEP 16 /* chunks of more rows are a multiple of it: kernels take several rows at once */

struct product {
    struct phx_matmul mm;
    const struct phx_matmul_kernel *kernel;
    struct phx_rows_in x; /* of the chunk */
    struct phx_rows_out dst;
    uint32_t n_rows;
    uint32_t n_tiles;
    uint8_t *rows;
    uint8_t *work; /* work_bytes for each thread */
    size_t work_bytes;
};

struct phx_fault phx_mul_mat_check(const struct phx_program *program, const struct phx_op *op) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_tensor *x = &program->tensors[op->src[1]];
    const struct phx_tensor *dst = &program->tensors[op->dst];
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
    }
    if (x->ne[0] != w->ne[0]) {
        return (struct phx_fault){PHX_E_SHAPE, 0, op->src[1]};
    }
    if (dst->ne[0] != w->ne[1] || dst->ne[1] != x->ne[1]) {
        return (struct phx_fault){PHX_E_SHAPE, 0, op->dst};
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

static uint32_t slice(uint32_t n, uint32_t part, uint32_t n_parts) {
    return (uint32_t)((uint64_t)n * part / n_parts);
}

static uint32_t round_up(uint32_t n, uint32_t step) {
    return (n + step - 1) / step * step;
}

static void quantise_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct product *product = argument;
    product->kernel->quantise(&product->mm, product->x, product->n_rows, slice(product->n_rows, thread, n_threads),
                              slice(product->n_rows, thread + 1, n_threads), product->rows);
}

static void multiply_job(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct product *product = argument;
    product->kernel->multiply(&product->mm, product->rows, product->n_rows, slice(product->n_tiles, thread, n_threads),
                              slice(product->n_tiles, thread + 1, n_threads), product->dst,
                              product->work + thread * product->work_bytes);
}

/* The most rows whose quantised form fits, but at least one. */
static uint32_t chunk_rows(const struct product *product, uint32_t n_rows) {
    size_t one = product->kernel->rows_bytes(&product->mm, 1);
    uint32_t fitting = one < SCRATCH_BYTES ? (uint32_t)(SCRATCH_BYTES / one) : 1;
    if (fitting > ROWS_STEP) {
        fitting -= fitting % ROWS_STEP;
    }
    return n_rows < fitting ? n_rows : fitting;
}

uint32_t phx_mul_mat_run(const struct phx_executor *executor, const struct phx_program *program,
                         const struct phx_op *op, struct phx_op_record *record) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_tensor *x = &program->tensors[op->src[1]];
    const struct phx_weight_type *type = phx_weight_type(w->dtype);
    uint32_t k = w->ne[0];
    uint32_t n_rows = x->ne[1];
    struct product product = {
        .mm = {w->dtype, k, w->ne[1], phx_n_blocks(k), phx_ds(type, k), phx_dm(type, k), phx_tile_bytes(type, k),
               program->spans[op->src[0]].data},
        .kernel = choose_kernel(w->dtype, executor->kernels),
        .n_tiles = (uint32_t)(((uint64_t)w->ne[1] + PHX_TILE_ROWS - 1) / PHX_TILE_ROWS),
    };
    record->kernels = product.kernel->kernels;
    if (n_rows == 0) {
        return PHX_OK;
    }
    uint32_t n_threads = executor->pool->n_threads;
    uint32_t chunk = chunk_rows(&product, n_rows);
    size_t rows_bytes = product.kernel->rows_bytes(&product.mm, chunk);
    rows_bytes = (rows_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
    product.work_bytes = round_up(product.kernel->work_bytes, PHX_VECTOR);
    product.rows = phx_area_reserve(executor->scratch, rows_bytes + n_threads * product.work_bytes);
    if (!product.rows) {
        return PHX_E_NO_MEMORY;
    }
    product.work = product.rows + rows_bytes;
    uint32_t most_parts = product.n_tiles > chunk ? product.n_tiles : chunk;
    record->n_threads = n_threads < most_parts ? n_threads : most_parts;

    uint64_t quantise_ns = 0;
    for (uint32_t m = 0; m < n_rows; m += product.n_rows) {
        size_t x_stride = x->nb[1];
        size_t dst_stride = program->tensors[op->dst].nb[1];
        product.n_rows = n_rows - m < chunk ? n_rows - m : chunk;
        product.x = (struct phx_rows_in){program->spans[op->src[1]].data + m * x_stride, x_stride};
        product.dst = (struct phx_rows_out){program->spans[op->dst].data + m * dst_stride, dst_stride};
        uint64_t start_ns = phx_now_ns();
        phx_pool_run(executor->pool, product.n_rows, quantise_job, &product);
        quantise_ns += phx_now_ns() - start_ns;
        phx_pool_run(executor->pool, product.n_tiles, multiply_job, &product);
    }
    record->quantise_ns = quantise_ns < UINT32_MAX ? (uint32_t)quantise_ns : UINT32_MAX;
    return PHX_OK;
}
