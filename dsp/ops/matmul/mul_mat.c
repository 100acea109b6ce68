/* SPDX-License-Identifier: MIT
 *
 * MUL_MAT: dst[i3][i2][m][n] = sum over k of src[0][i3 / r3][i2 / r2][n][k] * src[1][i3][i2][m][k], weights in tiles,
 * the rest float32 rows; r2 and r3 say how many matrices of activations share one of weights, as ggml_mul_mat has it.
 *
 * Rows are taken in the order of i3, i2, m, so the rows of one weight matrix follow each other.
 */
#include "meeting.h"

PHX_DECLARE_CHECK(mul_mat)
PHX_DECLARE_RUN(mul_mat)

#define SCRATCH_BYTES (12u << 20) /* of quantized rows in a chunk: each chunk reads the weights once */
#define ROWS_STEP 16              /* larger chunks are a multiple: GEMM kernels take several rows at once */
#define KEPT_ROWS 64              /* of a product whose plan the program keeps: with more, planning is cheap */

/* A row of x: its indices. */
struct cursor {
    uint32_t m, i2, i3;
};

struct phx_mismatch phx_mul_mat_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view, *x = &call->src[1]->view, *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_product_check(executor, call);
    if (mismatch.status) {
        return mismatch;
    }
    if (x->ne[2] % w->ne[2] || x->ne[3] % w->ne[3]) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[1]};
    }
    if (dst->ne[1] != x->ne[1] || dst->ne[2] != x->ne[2] || dst->ne[3] != x->ne[3]) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    return call->src[2] ? phx_meeting_check(call) : PHX_MATCH;
}

static uint32_t offset(const struct phx_tensor *tensor, struct cursor at) {
    return at.m * tensor->nb[1] + at.i2 * tensor->nb[2] + at.i3 * tensor->nb[3];
}

static void fill_offsets(uint32_t *restrict offsets, uint32_t first, uint32_t step, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        offsets[i] = first;
        first += step;
    }
}

/* Fills in the tables of n_x rows from the cursor on, and advances it. */
static void make_rows(struct phx_product *product, const struct phx_tensor *x, struct cursor *cursor, uint32_t n_x) {
    product->plan.n_x = product->plan.n_places = n_x;
    for (uint32_t j = 0; j < product->plan.n_forms; j++) {
        fill_offsets(product->forms[j].row_offsets, 0, product->plan.wants[j]->row_bytes, n_x);
    }
    for (uint32_t first = 0, n; first < n_x; first += n) {
        n = x->ne[1] - cursor->m < n_x - first ? x->ne[1] - cursor->m : n_x - first;
        fill_offsets(product->x_offsets + first, offset(x, *cursor), x->nb[1], n);
        for (uint32_t j = 0; j < product->plan.n_factors; j++) {
            const struct phx_tensor *dst = &product->calls[j].dst[0]->view;
            fill_offsets(product->factors[j].dst_offsets + first, offset(dst, *cursor), dst->nb[1], n);
        }
        cursor->m += n;
        if (cursor->m == x->ne[1]) {
            cursor->m = 0;
            if (++cursor->i2 == x->ne[2]) {
                cursor->i2 = 0;
                cursor->i3++;
            }
        }
    }
}

/* Cuts the chunk, which begins with row `first` of the op, into runs: n_shared consecutive rows meet one matrix. */
static void make_runs(struct phx_product *product, const struct phx_tensor *w, const struct phx_tensor *x,
                      uint32_t first, uint32_t n_shared) {
    product->n_runs = 0;
    for (uint32_t i = 0; i < product->plan.n_x;) {
        uint32_t at = first + i, group = at < n_shared ? 0 : at / n_shared;
        uint32_t n_in_group = (group + 1) * n_shared - at;
        uint32_t n_rows = product->plan.n_x - i < n_in_group ? product->plan.n_x - i : n_in_group;
        /* With one matrix along i2, a group spans r3 values of i3; else it spans r2 values of i2. */
        uint32_t matrix = group;
        if (group > 0 && w->ne[2] > 1) {
            matrix = group / w->ne[2] / (x->ne[3] / w->ne[3]) * w->ne[2] + group % w->ne[2];
        }
        product->runs[product->n_runs++] = (struct phx_run){matrix, i, n_rows};
        i += n_rows;
    }
}

/* The most rows whose quantized form fits SCRATCH_BYTES, at least one. */
static uint32_t chunk_rows(const struct phx_product *product, uint32_t n_rows) {
    if ((uint64_t)n_rows * product->plan.row_bytes <= SCRATCH_BYTES) {
        return n_rows;
    }
    uint32_t fitting = product->plan.row_bytes < SCRATCH_BYTES ? (uint32_t)(SCRATCH_BYTES / product->plan.row_bytes)
                                                               : 1;
    if (fitting > ROWS_STEP) {
        fitting -= fitting % ROWS_STEP;
    }
    return n_rows < fitting ? n_rows : fitting;
}

static struct phx_kept first_form(const struct phx_product *product) {
    const struct phx_matmul_kernel *kernel = product->plan.wants[0]->kernel;
    return (struct phx_kept){product->calls->src[1], kernel->kernels, kernel->form};
}

/* A product that the program keeps: all its rows are one chunk and one run. */
static struct phx_product *make_kept(const struct phx_product *begun, const struct phx_call *call, uint32_t n_rows) {
    struct phx_product *product = phx_product_keep(begun, n_rows);
    struct cursor cursor = {0};
    if (product) {
        make_rows(product, &call->src[1]->view, &cursor, n_rows);
        make_runs(product, &call->src[0]->view, &call->src[1]->view, 0, n_rows);
        phx_plan_make(&product->plan, true);
    }
    return product;
}

static uint32_t run_kept(struct phx_product *product, struct phx_op_record *record) {
    struct phx_kept kept = first_form(product);
    uint8_t *none;
    record->kernels = kept.kernels;
    if (!phx_product_place(product, 0, &none, &kept)) {
        return PHX_E_NO_MEMORY;
    }
    uint32_t status = phx_product_run(product, record);
    phx_product_end(product, &kept);
    return status;
}

/* Allocates a chunk. Returns whether there was memory. */
static bool place_chunk(struct phx_product *product, uint32_t chunk, uint32_t n_groups, const struct phx_kept *kept) {
    uint32_t n_runs = n_groups < chunk ? n_groups : chunk;
    uint64_t n_bytes = phx_product_lay_out(product, NULL, chunk, chunk, n_runs);
    uint8_t *tables;
    product->scratch_bytes = 0;
    if (!phx_product_place(product, n_bytes, &tables, kept)) {
        return false;
    }
    phx_product_lay_out(product, tables, chunk, chunk, n_runs);
    return true;
}

static uint32_t run_chunks(struct phx_product *product, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_tensor *w = &call->src[0]->view, *x = &call->src[1]->view;
    uint32_t n_rows = phx_n_rows(&call->dst[0]->view);
    uint32_t n_groups = w->ne[2] == 1 ? w->ne[3] : w->ne[2] * x->ne[3];
    uint32_t n_shared = n_groups == 1 ? n_rows : n_rows / n_groups;
    uint32_t chunk = chunk_rows(product, n_rows);
    /* ops that are fused behind several chunks take the same columns of all rows */
    product->plan.may_share_rows = !product->is_shared &&
                                   (chunk == n_rows || product->n_calls == product->plan.n_factors);
    struct phx_kept rows = first_form(product);
    const struct phx_kept *kept = chunk == n_rows ? &rows : NULL;
    if (!place_chunk(product, chunk, n_groups, kept)) {
        return PHX_E_NO_MEMORY;
    }
    struct cursor cursor = {0};
    uint32_t status = PHX_OK;
    for (uint32_t first = 0; !status && first < n_rows; first += product->plan.n_x) {
        product->is_last = n_rows - first <= chunk;
        make_rows(product, x, &cursor, product->is_last ? n_rows - first : chunk);
        make_runs(product, w, x, first, n_shared);
        status = phx_product_plan_and_run(product, record);
    }
    phx_product_end(product, kept);
    return status;
}

/* The first run of a product, or a run of one that the program does not keep. */
static __attribute__((noinline)) uint32_t run_first(struct phx_executor *executor, const struct phx_call *call,
                                                    struct phx_op_record *record) {
    const struct phx_tensor *w = &call->src[0]->view;
    struct phx_product product;
    uint32_t n_rows = phx_n_rows(&call->dst[0]->view);
    if (!phx_product_begin(&product, executor, call, record)) {
        return PHX_E_NO_MEMORY;
    }
    if (call->dst[0]->n_bytes == 0) {
        return PHX_OK;
    }
    if (n_rows <= KEPT_ROWS && w->ne[2] == 1 && w->ne[3] == 1 && chunk_rows(&product, n_rows) == n_rows) {
        struct phx_product *kept = make_kept(&product, call, n_rows);
        return kept ? run_kept(kept, record) : PHX_E_NO_MEMORY;
    }
    return run_chunks(&product, call, record);
}

uint32_t phx_mul_mat_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    struct phx_product *kept = phx_product_find(executor, call);
    return kept ? run_kept(kept, record) : run_first(executor, call, record);
}
