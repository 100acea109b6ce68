/* SPDX-License-Identifier: MIT */
#include "product.h"

#include "meeting.h"
#include "formats/tiles.h"
#include "ops/codes.h"
#include "ops/rolled.h"
#include "runtime/clock.h"

#define MAX_BYTES (1u << 30) /* of scratch memory: sums of sizes below it stay within 32 bits */

_Static_assert(sizeof(struct phx_weight_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");
_Static_assert(sizeof(struct phx_kept) <= PHX_VECTOR, "phx_kept");

static bool is_product(const struct phx_op_type *type) {
    return type && (type->code == PHX_OP_MUL_MAT || type->code == PHX_OP_MUL_MAT_ID);
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* --- Checking --- */

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

static struct phx_mismatch check_operands(const struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view;
    if (w->layout != PHX_LAYOUT_TILES) {
        return (struct phx_mismatch){PHX_E_LAYOUT, call->src[0]};
    }
    const struct phx_operand *floats[] = {call->src[1], call->dst[0]};
    for (int i = 0; i < 2; i++) {
        struct phx_mismatch mismatch = phx_require_rows(floats[i], PHX_F32);
        if (mismatch.status) {
            return mismatch;
        }
        if (floats[i]->view.ne[0] != w->ne[i]) { /* K of x, N of dst */
            return (struct phx_mismatch){PHX_E_SHAPE, floats[i]};
        }
    }
    return PHX_MATCH;
}

struct phx_mismatch phx_product_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_weight_plan *plan = (void *)call->plan;
    struct phx_mismatch mismatch = check_operands(call);
    if (mismatch.status) {
        return mismatch;
    }
    const struct phx_tensor *w = &call->src[0]->view;
    uint32_t vtcm_bytes = executor->vtcm->data ? executor->vtcm->n_bytes : 0;
    if (phx_exceeds_limit(call->dst[0], w->ne[0])) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    phx_weight_plan_make(plan, choose_kernel(w->dtype, call->kernels), w->dtype, w->ne[0], w->ne[1], vtcm_bytes,
                         executor->pool->n_threads);
    plan->mm.tiles = call->src[0]->data;
    plan->mm.has_dcfetch = call->has_dcfetch;
    return PHX_MATCH;
}

/* --- Beginning --- */

bool phx_product_begin(struct phx_product *product, const struct phx_executor *executor, const struct phx_call *call,
                       struct phx_op_record *record) {
    struct phx_plan *plan = &product->plan;
    product->calls = call;
    product->n_calls = call->n_fused ? call->n_fused : 1;
    product->scratch_bytes = 0;
    product->x = call->src[1]->data;
    product->kept = NULL;
    product->is_last = true;
    product->n_lengths = executor->n_lengths;
    product->executor = executor;
    product->pool = executor->pool;
    product->streams = phx_streams(executor);
    plan->n_factors = 0;
    plan->is_split = plan->is_row_split = false;
    plan->may_share_rows = false;
    plan->n_threads = executor->pool->n_threads;
    plan->has_common_columns = call->has_common_columns;
    do {
        product->factors[plan->n_factors].dst = call->dst[0]->data;
        plan->weights[plan->n_factors++] = (const void *)call->plan;
        call++;
    } while (plan->n_factors < product->n_calls && is_product(call->type));
    product->is_shared = phx_meeting_is_of(product->calls, plan->n_factors);
    phx_plan_weights(plan);
    record->kernels = plan->weights[0]->kernel->kernels;
    return product->streams;
}

/* Takes up where the operands are after one of the ops was checked again. False: more has changed than that. */
static bool move(struct phx_product *product, const struct phx_executor *executor) {
    const struct phx_call *call = product->calls;
    uint32_t n_fused = call->n_fused ? call->n_fused : 1, n_factors = 0;
    while (n_factors < n_fused && is_product(call[n_factors].type)) {
        n_factors++;
    }
    if (product->n_lengths != executor->n_lengths || product->n_calls != n_fused ||
        product->plan.n_factors != n_factors || product->plan.has_common_columns != call->has_common_columns) {
        return false;
    }
    product->x = call->src[1]->data;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        product->factors[i].dst = call[i].dst[0]->data;
    }
    return true;
}

struct phx_product *phx_product_find(const struct phx_executor *executor, const struct phx_call *call) {
    struct phx_tables *tables = call->tables;
    struct phx_product *product = tables->area.data;
    if (product && !tables->is_made) {
        tables->is_made = move(product, executor);
    }
    if (!tables->is_made) {
        return NULL;
    }
    product->executor = executor;
    return product;
}

/* --- Memory --- */

/* Takes room for n items from memory that is laid out twice: first without memory, to learn how much it takes. */
static void *take(uint8_t *memory, uint64_t *used, uint64_t n, uint32_t size) {
    void *at = memory ? memory + *used : NULL;
    *used += (n * size + 7) / 8 * 8;
    return at;
}

uint64_t phx_product_lay_out(struct phx_product *product, uint8_t *tables, uint32_t n_x, uint32_t n_places,
                             uint32_t n_runs) {
    struct phx_plan *plan = &product->plan;
    uint32_t n_threads = plan->n_threads, n_shares = n_runs > 1 ? PHX_SHARES(n_threads) : 1;
    uint32_t n_endings = n_runs == 1 && n_places <= PHX_SPLIT_MOST_ROWS ? n_threads - 1 : 0;
    uint64_t used = 0;
    plan->n_x = n_x;
    plan->n_places = n_places;
    product->lanes = take(tables, &used, n_threads, sizeof(struct phx_lane));
    plan->threads = take(tables, &used, n_threads, sizeof(struct phx_thread_plan));
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        struct phx_share *shares = take(tables, &used, n_shares, sizeof(*shares));
        struct phx_ending *endings = take(tables, &used, n_endings, sizeof(*endings));
        if (tables) {
            product->lanes[i] = (struct phx_lane){.at_hand = {shares}};
            plan->threads[i] = (struct phx_thread_plan){.shares = shares, .endings = endings};
        }
    }
    product->runs = take(tables, &used, n_runs, sizeof(struct phx_run));
    product->x_offsets = take(tables, &used, n_x, sizeof(uint32_t));
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_forms; i++) {
        product->forms[i].row_offsets = take(tables, &used, n_places, sizeof(uint32_t));
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        product->factors[i].dst_offsets = take(tables, &used, n_places, sizeof(uint32_t));
    }
    return used;
}

struct phx_product *phx_product_keep(const struct phx_product *product, uint32_t n_rows) {
    struct phx_tables *tables = product->calls->tables;
    struct phx_product sizes = *product;
    uint64_t n_bytes = phx_product_lay_out(&sizes, NULL, n_rows, n_rows, 1);
    uint32_t before = (sizeof(sizes) + 7) / 8 * 8;
    uint8_t *memory = phx_area_reserve(&tables->area, before + (size_t)n_bytes);
    struct phx_product *kept = (void *)memory;
    if (kept) {
        *kept = *product;
        phx_product_lay_out(kept, memory + before, n_rows, n_rows, 1);
        tables->is_made = true;
    }
    return kept;
}

static uint32_t round_up(uint32_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* How much scratch memory the product takes; 0: too much. */
static uint32_t measure_scratch(struct phx_product *product) {
    const struct phx_plan *plan = &product->plan;
    uint32_t n_threads = plan->n_threads, n_places = plan->n_places;
    uint32_t work_bytes = 0, work_row_bytes = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < plan->n_factors; i++) {
        const struct phx_matmul_kernel *kernel = plan->weights[i]->kernel;
        work_bytes = larger(work_bytes, kernel->work_bytes);
        work_row_bytes = larger(work_row_bytes, kernel->work_row_bytes);
    }
    uint64_t each = (uint64_t)work_bytes + (uint64_t)n_places * work_row_bytes + PHX_VECTOR;
    uint64_t n_bytes = PHX_VECTOR + (uint64_t)plan->n_x * plan->row_bytes + n_threads * each;
    if (plan->is_split) {
        n_bytes += 2 * n_threads * plan->sums_bytes;
    }
    product->work_bytes = round_up(work_bytes + n_places * work_row_bytes);
    return n_bytes <= MAX_BYTES ? (uint32_t)n_bytes : 0;
}

/* Lays out scratch memory again: for the first time, or after it has moved or grown. */
static __attribute__((noinline)) bool place_again(struct phx_product *product, uint64_t n_more) {
    if (!product->scratch_bytes) {
        product->scratch_bytes = measure_scratch(product);
    }
    if (!product->scratch_bytes || n_more > MAX_BYTES) {
        return false;
    }
    uint8_t *memory = phx_area_reserve(product->executor->scratch, product->scratch_bytes + (uint32_t)n_more);
    if (!memory) {
        return false;
    }
    product->kept = (void *)memory;
    uint8_t *rows = memory + PHX_VECTOR;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->plan.n_forms; i++) {
        product->forms[i].rows = rows;
        rows += product->plan.n_x * product->plan.wants[i]->row_bytes;
    }
    product->work = rows;
    product->sums = product->work + product->plan.n_threads * product->work_bytes;
    return true;
}

bool phx_product_place(struct phx_product *product, uint64_t n_more, uint8_t **more, const struct phx_kept *wanted) {
    const struct phx_area *scratch = product->executor->scratch;
    size_t size = scratch->size; /* growing discards the contents */
    if (!product->scratch_bytes || product->kept != scratch->data || product->scratch_bytes + n_more > size) {
        if (!place_again(product, n_more)) {
            return false;
        }
    }
    product->is_quantized = wanted && is_product(product->executor->previous) && scratch->size == size &&
                            phx_kept_is(product->kept, wanted);
    *more = (uint8_t *)product->kept + product->scratch_bytes;
    return true;
}

/* --- Running --- */

/* Whether an op from `first` on, before the product, writes tiles of the product or of a product that may be fused to
 * it. */
static bool writes_tiles(const struct phx_call *first, const struct phx_call *product, const struct phx_call *end) {
    for (const struct phx_call *factor = product; factor < end && (factor == product || factor->may_fuse); factor++) {
        for (const struct phx_call *call = first; is_product(factor->type) && call < product; call++) {
            for (uint32_t i = 0; i < call->type->n_dst; i++) {
                if (call->dst[i] && phx_overlap(call->dst[i], factor->src[0])) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Looks for the next product of the program whose tiles no op before it writes. */
static __attribute__((noinline)) void look_ahead(const struct phx_product *product) {
    const struct phx_call *first = product->calls, *call = first + product->n_calls;
    const struct phx_call *end = product->executor->end;
    end = end - first > PHX_LOOK_AHEAD ? first + PHX_LOOK_AHEAD : end;
    while (call < end && !is_product(call->type)) {
        call++;
    }
    first->tables->next = call < end && !writes_tiles(first, call, end) ? call : NULL;
    first->tables->has_lookahead = true;
}

/* The next product, if the program has kept its plan. */
static const struct phx_product *find_next(const struct phx_product *product) {
    struct phx_tables *tables = product->calls->tables;
    if (!product->is_last) {
        return NULL;
    }
    if (!tables->has_lookahead) {
        look_ahead(product);
    }
    const struct phx_call *next = tables->next;
    return next && next->tables->is_made ? next->tables->area.data : NULL;
}

uint32_t phx_product_run(struct phx_product *product, struct phx_op_record *record) {
    const struct phx_quantizing *quantizing = &product->plan.quantizing[product->is_quantized];
    bool is_by_run = product->calls->type->code == PHX_OP_MUL_MAT_ID; /* fused ops run behind each run */
    product->is_followed = product->n_calls > product->plan.n_factors && (product->is_last || is_by_run);
    product->next = find_next(product);
    product->quantizing = quantizing;
    product->quantize_ticks = 0;
    uint32_t n_running = larger(product->plan.n_multiplying, quantizing->n + quantizing->first);
    uint32_t n_following = product->is_shared ? n_running : product->plan.n_multiplying;
    record->n_threads = larger(record->n_threads, n_running);
    if (product->is_shared) {
        phx_meeting_open(product);
    }
    phx_pool_run(product->pool, n_running, phx_product_execute, product);
    if (product->is_shared) {
        phx_meeting_close(product);
    }
    if (product->quantize_ticks) {
        uint64_t prepare_ns = record->prepare_ns + phx_short_ticks_to_ns(product->quantize_ticks);
        record->prepare_ns = prepare_ns < UINT32_MAX ? (uint32_t)prepare_ns : UINT32_MAX;
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; product->is_followed && i < n_following; i++) {
        if (product->status[i]) {
            return product->status[i];
        }
    }
    return PHX_OK;
}

uint32_t phx_product_plan_and_run(struct phx_product *product, struct phx_op_record *record) {
    if (product->n_runs == 1) {
        phx_plan_make(&product->plan, false);
    } else {
        phx_plan_runs(&product->plan, product->runs, product->n_runs);
    }
    return phx_product_run(product, record);
}

void phx_product_end(struct phx_product *product, const struct phx_kept *kept) {
    bool is_kept = kept && product->n_calls == product->plan.n_factors; /* else a fused op has run last */
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; is_kept && i < product->plan.n_factors; i++) {
        is_kept = !phx_overlap(product->calls[i].dst[0], kept->x);
    }
    *product->kept = is_kept ? *kept : (struct phx_kept){0};
}
