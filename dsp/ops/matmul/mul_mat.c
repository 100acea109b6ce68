/* SPDX-License-Identifier: MIT
 *
 * MUL_MAT: dst[i3][i2][m][n] = sum over k of src[0][i3 / r3][i2 / r2][n][k] * src[1][i3][i2][m][k], weights in tiles, the
 * rest float32 rows; r2 and r3 say how many matrices of activations share one of weights, as ggml_mul_mat has it.
 *
 * Rows are taken in the order of i3, i2, m: those of one weight matrix follow each other.
 */
#include "product.h"

#define SCRATCH_BYTES (1u << 20) /* of quantised rows, unless one alone is longer */
#define ROWS_STEP 16             /* chunks of more rows are a multiple of it: kernels take several rows at once */

/* The next row. */
struct cursor {
    uint32_t m, i2, i3;
};

struct phx_fault phx_mul_mat_check(const struct phx_program *program, const struct phx_op *op) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_tensor *x = &program->tensors[op->src[1]];
    const struct phx_tensor *dst = &program->tensors[op->dst];
    struct phx_fault fault = phx_product_check(program, op);
    if (fault.status) {
        return fault;
    }
    if (x->ne[2] % w->ne[2] || x->ne[3] % w->ne[3]) {
        return (struct phx_fault){PHX_E_SHAPE, 0, op->src[1]};
    }
    if (dst->ne[1] != x->ne[1] || dst->ne[2] != x->ne[2] || dst->ne[3] != x->ne[3]) {
        return (struct phx_fault){PHX_E_SHAPE, 0, op->dst};
    }
    return PHX_NO_FAULT;
}

static uint32_t offset(const struct phx_tensor *tensor, struct cursor at) {
    return at.m * tensor->nb[1] + at.i2 * tensor->nb[2] + at.i3 * tensor->nb[3];
}

/* The tables of n_x rows from the cursor on, which moves past them. */
static void make_rows(struct phx_product *product, const struct phx_tensor *x, const struct phx_tensor *dst,
                      struct cursor *cursor, uint32_t n_x) {
    product->n_x = n_x;
    for (uint32_t i = 0; i < n_x; i++) {
        product->x_offsets[i] = offset(x, *cursor);
        product->dst_offsets[i] = offset(dst, *cursor);
        product->row_offsets[i] = i * product->row_bytes;
        if (++cursor->m == x->ne[1]) {
            cursor->m = 0;
            if (++cursor->i2 == x->ne[2]) {
                cursor->i2 = 0;
                cursor->i3++;
            }
        }
    }
}

/* The chunk's rows are first.. of the op; n_shared rows in a row meet the same matrix. */
static void make_runs(struct phx_product *product, const struct phx_tensor *w, const struct phx_tensor *x,
                      uint32_t first, uint32_t n_shared) {
    product->n_runs = 0;
    for (uint32_t i = 0; i < product->n_x;) {
        uint32_t at = first + i, group = at < n_shared ? 0 : at / n_shared;
        uint32_t n_in_group = (group + 1) * n_shared - at;
        uint32_t n_rows = product->n_x - i < n_in_group ? product->n_x - i : n_in_group;
        /* With one matrix along i2, a group reaches over r3 values of i3; else it is r2 values of i2. */
        uint32_t matrix = group;
        if (group > 0 && w->ne[2] > 1) {
            matrix = group / w->ne[2] / (x->ne[3] / w->ne[3]) * w->ne[2] + group % w->ne[2];
        }
        product->runs[product->n_runs++] = (struct phx_run){matrix, i, n_rows};
        i += n_rows;
    }
}

/* The most rows whose quantised form fits, but at least one. */
static uint32_t chunk_rows(const struct phx_product *product, uint32_t n_rows) {
    if ((uint64_t)n_rows * product->row_bytes <= SCRATCH_BYTES) {
        return n_rows;
    }
    uint32_t fitting = product->row_bytes < SCRATCH_BYTES ? (uint32_t)(SCRATCH_BYTES / product->row_bytes) : 1;
    if (fitting > ROWS_STEP) {
        fitting -= fitting % ROWS_STEP;
    }
    return n_rows < fitting ? n_rows : fitting;
}

uint32_t phx_mul_mat_run(const struct phx_executor *executor, const struct phx_program *program,
                         const struct phx_op *op, struct phx_op_record *record) {
    const struct phx_tensor *w = &program->tensors[op->src[0]];
    const struct phx_tensor *x = &program->tensors[op->src[1]];
    struct phx_product product;
    phx_product_begin(&product, executor, program, op, record);
    if (program->spans[op->src[1]].n_bytes == 0) {
        return PHX_OK;
    }
    uint32_t n_rows = x->ne[1] * x->ne[2] * x->ne[3]; /* of at least 4 bytes each, within 2^32 */
    uint32_t n_groups = w->ne[2] == 1 ? w->ne[3] : w->ne[2] * x->ne[3];
    uint32_t n_shared = n_groups == 1 ? n_rows : n_rows / n_groups;
    uint32_t chunk = chunk_rows(&product, n_rows);
    struct phx_kept rows = {x, program->spans[op->src[1]], product.kernel->kernels, product.kernel->form};
    product.is_quantised = chunk == n_rows && phx_kept_is(executor->kept, &rows);
    if (!phx_product_reserve(&product, executor, chunk, chunk, 0)) {
        return PHX_E_NO_MEMORY;
    }
    struct cursor cursor = {0};
    for (uint32_t first = 0; first < n_rows; first += product.n_x) {
        make_rows(&product, x, &program->tensors[op->dst], &cursor, n_rows - first < chunk ? n_rows - first : chunk);
        make_runs(&product, w, x, first, n_shared);
        phx_product_run(&product, executor, record);
    }
    if (chunk == n_rows) {
        *executor->kept = rows;
    }
    return PHX_OK;
}
