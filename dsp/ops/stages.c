/* SPDX-License-Identifier: MIT
 *
 * Skips stages of ops, so that the other stages can be timed. Everything is decided when an op is checked: a skipped op
 * gets a type of its own, a matmul gets kernels of its own. A running program therefore has no extra branches.
 */
#include "codes.h"
#include "matmul/product.h"

static uint32_t run_nothing(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    (void)executor, (void)call;
    record->kernels = PHX_NONE;
    record->n_threads = 1;
    return PHX_OK;
}

static const struct phx_op_type nothing = {.run = run_nothing};

typedef uint32_t vector_type __attribute__((vector_size(PHX_VECTOR)));

/* Quantizes a row of zeros, whose quantized form is zeros. Uses volatile stores, since the compiler would emit
 * memset(), which takes longer than quantizing the row. */
static void clear_row(const struct phx_matmul_kernel *kernel, const struct phx_matmul *mm, uint32_t first, void *row) {
    volatile vector_type *to = row;
    uint32_t n = phx_row_bytes(kernel, mm) / PHX_VECTOR;
    for (uint32_t i = 0; first == 0 && i < n; i++) {
        to[i] = (vector_type){0};
    }
}

static void clear_row_ref(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row) {
    (void)x, (void)last;
    clear_row(phx_matmul_ref(mm->dtype), mm, first, row);
}

#ifdef PHX_HVX
static void clear_row_hvx(const struct phx_matmul *mm, const uint8_t *x, uint32_t first, uint32_t last, void *row) {
    (void)x, (void)last;
    clear_row(phx_matmul_hvx(mm->dtype), mm, first, row);
}
#else
#define clear_row_hvx clear_row_ref
#endif

static void multiply_nothing(const struct phx_matmul *mm, const struct phx_rows *rows, uint32_t first, uint32_t last,
                             void *work) {
    (void)mm, (void)rows, (void)first, (void)last, (void)work;
}

static void finish_nothing(const struct phx_matmul *mm, const struct phx_rows *rows, const struct phx_ending *ending,
                           void *work) {
    (void)mm, (void)rows, (void)ending, (void)work;
}

void phx_skip_stages(struct phx_call *call, uint32_t flags) {
    bool is_product = call->type->code == PHX_OP_MUL_MAT || call->type->code == PHX_OP_MUL_MAT_ID;
    if (is_product) {
        struct phx_weight_plan *plan = (void *)call->plan;
        plan->own_kernel = *plan->kernel;
        plan->kernel = &plan->own_kernel;
        if (flags & PHX_OP_NO_QUANTISE) {
            plan->own_kernel.quantise = plan->kernel->kernels == PHX_KERNELS_REF ? clear_row_ref : clear_row_hvx;
            plan->own_kernel.look = NULL;
            plan->own_kernel.form = ~plan->own_kernel.form; /* prevents other matmuls from reusing these rows */
        }
        if (flags & PHX_OP_NO_COMPUTE) {
            plan->own_kernel.multiply = multiply_nothing;
            plan->own_kernel.finish = plan->kernel->finish ? finish_nothing : NULL;
        }
    } else if (flags & PHX_OP_NO_COMPUTE) {
        call->type = &nothing;
    }
}
