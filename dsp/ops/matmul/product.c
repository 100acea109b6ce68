/* SPDX-License-Identifier: MIT */
#include "product.h"

#include "ops/rolled.h"
#include "runtime/clock.h"
#include "tiles.h"

#define CACHED_BYTES (1u << 20) /* of quantised rows that stay in the cache of the DSP, beside what else passes there */
#define AT_ONCE_BYTES (512u << 10) /* of more rows: some, and the next ones are on their way */
#define ROWS_STEP 16
#define ROWS_LEAST 32 /* kernels expand blocks for so many */

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
    if (phx_is_too_much(call->dst[0], k)) {
        return (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    plan->mm = (struct phx_matmul){.dtype = w->dtype,
                                   .form = kernel->form,
                                   .k = k,
                                   .n = n,
                                   .n_blocks = phx_n_blocks(k),
                                   .ds = (uint16_t)phx_ds(type, k),
                                   .dm = (uint16_t)phx_dm(type, k),
                                   .tile_bytes = tile_bytes,
                                   .tiles = call->src[0]->data,
                                   .last_block = phx_n_blocks(k),
                                   .first_byte = PHX_TABLE_BYTES};
    plan->kernel = kernel;
    plan->matrix_bytes = (size_t)n_tiles * tile_bytes;
    plan->row_bytes = phx_row_bytes(kernel, &plan->mm);
    plan->n_tiles = n_tiles;
    plan->cached_rows = CACHED_BYTES / plan->row_bytes;
    plan->rows_at_once = AT_ONCE_BYTES / plan->row_bytes / ROWS_STEP * ROWS_STEP;
    plan->rows_at_once = plan->rows_at_once < ROWS_LEAST ? ROWS_LEAST : plan->rows_at_once;
    plan->cuts = phx_stream_cuts(executor->vtcm, executor->pool->n_threads, &plan->mm);
    return PHX_FITS;
}

static uint32_t at_most(uint32_t n, uint32_t limit) {
    return n < limit ? n : limit;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static bool is_same_form(const struct phx_product_plan *a, const struct phx_product_plan *b) {
    return a->kernel->kernels == b->kernel->kernels && a->kernel->form == b->kernel->form;
}

/* One of the product's forms, perhaps a new one. */
static uint32_t form_of(struct phx_product *product, const struct phx_product_plan *plan) {
    uint32_t i = 0;
    while (i < product->n_forms && !is_same_form(product->forms[i].plan, plan)) {
        i++;
    }
    if (i == product->n_forms) {
        product->forms[product->n_forms++] = (struct phx_form){.plan = plan};
        product->row_bytes += plan->row_bytes;
    }
    return i;
}

bool phx_product_begin(struct phx_product *product, const struct phx_executor *executor, const struct phx_call *call,
                       struct phx_op_record *record) {
    product->calls = call;
    product->n_calls = call->n_joined ? call->n_joined : 1;
    product->n_factors = product->n_forms = product->row_bytes = product->scratch_bytes = 0;
    product->rows_apart = UINT32_MAX;
    product->x = call->src[1]->data;
    product->kept = NULL;
    product->is_last = true;
    product->is_made = product->is_split = product->is_shared = false;
    product->is_by_single_tiles = true;
    product->is_cut_alike = call->is_cut_alike;
    product->n_lengths = executor->n_lengths;
    product->executor = executor;
    product->pool = executor->pool;
    product->streams = phx_streams(executor);
    do {
        const struct phx_product_plan *plan = (const void *)call->plan;
        product->rows_apart = at_most(product->rows_apart, plan->kernel->rows_apart);
        product->is_by_single_tiles &= phx_comes_by_single_tiles(&plan->cuts) &&
                                       plan->cuts.n_whole < PHX_TILES_AT_ONCE / 2;
        product->factors[product->n_factors++] = (struct phx_factor){
            .plan = plan, .form = form_of(product, plan), .dst = call->dst[0]->data};
        call++;
    } while (product->n_factors < product->n_calls && phx_is_product(call->type));
    record->kernels = product->forms[0].plan->kernel->kernels;
    return product->streams;
}

bool phx_product_move(struct phx_product *product, const struct phx_executor *executor) {
    const struct phx_call *call = product->calls;
    uint32_t n_joined = call->n_joined ? call->n_joined : 1, n_factors = 0;
    while (n_factors < n_joined && phx_is_product(call[n_factors].type)) {
        n_factors++;
    }
    if (product->n_lengths != executor->n_lengths || product->n_calls != n_joined || product->n_factors != n_factors ||
        product->is_cut_alike != call->is_cut_alike) {
        return false;
    }
    product->x = call->src[1]->data;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        product->factors[i].dst = call[i].dst[0]->data;
    }
    return true;
}

/* --- Memory --- */

/* Takes room for n things from memory that is laid out twice: first without any, to learn how much is wanted. */
static void *take(uint8_t *memory, uint64_t *used, uint64_t n, uint32_t size) {
    void *at = memory ? memory + *used : NULL;
    *used += (n * size + 7) / 8 * 8;
    return at;
}

uint64_t phx_product_lay_out(struct phx_product *product, uint8_t *tables, uint32_t n_x, uint32_t n_places,
                             uint32_t n_runs) {
    uint32_t n_threads = product->pool->n_threads, n_shares = n_runs > 1 ? PHX_SHARES(n_threads) : 1;
    uint32_t n_endings = n_runs == 1 && n_places <= PHX_SPLIT_MOST_ROWS ? n_threads - 1 : 0;
    uint64_t used = 0;
    product->n_x = n_x;
    product->n_places = n_places;
    product->lanes = take(tables, &used, n_threads, sizeof(struct phx_lane));
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_threads; i++) {
        struct phx_share *shares = take(tables, &used, n_shares, sizeof(*shares));
        struct phx_ending *endings = take(tables, &used, n_endings, sizeof(*endings));
        if (tables) {
            product->lanes[i] = (struct phx_lane){.shares = shares, .at_hand = {shares}, .endings = endings};
        }
    }
    product->runs = take(tables, &used, n_runs, sizeof(struct phx_run));
    product->x_offsets = take(tables, &used, n_x, sizeof(uint32_t));
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_forms; i++) {
        product->forms[i].row_offsets = take(tables, &used, n_places, sizeof(uint32_t));
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        product->factors[i].dst_offsets = take(tables, &used, n_places, sizeof(uint32_t));
    }
    return used;
}

static uint32_t round_up(uint32_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* How much of the scratch memory it wants; 0: too much. */
static uint32_t measure_scratch(struct phx_product *product) {
    uint32_t n_threads = product->pool->n_threads, n_places = product->n_places;
    uint32_t work_bytes = 0, work_row_bytes = 0;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->n_factors; i++) {
        const struct phx_matmul_kernel *kernel = product->factors[i].plan->kernel;
        work_bytes = larger(work_bytes, kernel->work_bytes);
        work_row_bytes = larger(work_row_bytes, kernel->work_row_bytes);
    }
    uint64_t each = (uint64_t)work_bytes + (uint64_t)n_places * work_row_bytes + PHX_VECTOR;
    uint64_t n_bytes = PHX_VECTOR + (uint64_t)product->n_x * product->row_bytes + n_threads * each;
    if (product->is_split) {
        n_bytes += 2 * n_threads * product->sums_bytes;
    }
    product->work_bytes = round_up(work_bytes + n_places * work_row_bytes);
    return n_bytes <= MAX_BYTES ? (uint32_t)n_bytes : 0;
}

/* Where nothing lies yet, or there is not enough. */
static __attribute__((noinline)) bool place_anew(struct phx_product *product, uint64_t n_more) {
    uint32_t n_threads = product->pool->n_threads;
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
    for (uint32_t i = 0; i < product->n_forms; i++) {
        product->forms[i].rows = rows;
        rows += product->n_x * product->forms[i].plan->row_bytes;
    }
    product->work = rows;
    product->sums = product->work + n_threads * product->work_bytes;
    return true;
}

bool phx_product_place(struct phx_product *product, uint64_t n_more, uint8_t **more, const struct phx_kept *wanted) {
    const struct phx_area *scratch = product->executor->scratch;
    size_t size = scratch->size; /* if it grows, what was there is gone */
    if (!product->scratch_bytes || product->kept != scratch->data || product->scratch_bytes + n_more > size) {
        if (!place_anew(product, n_more)) {
            return false;
        }
    }
    product->is_quantised = wanted && phx_is_product(product->executor->previous) && scratch->size == size &&
                            phx_kept_is(product->kept, wanted);
    *more = (uint8_t *)product->kept + product->scratch_bytes;
    return true;
}

/* --- Running --- */

/* Whether an op of these writes tiles of a product, or of one that may be joined to it. */
static bool writes_tiles(const struct phx_call *first, const struct phx_call *product, const struct phx_call *end) {
    for (const struct phx_call *factor = product; factor < end && (factor == product || factor->may_join); factor++) {
        for (const struct phx_call *call = first; phx_is_product(factor->type) && call < product; call++) {
            for (uint32_t i = 0; i < call->type->n_dst; i++) {
                if (phx_overlap(call->dst[i], factor->src[0])) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* The next product of the program, if its tiles are what they will be. */
static __attribute__((noinline)) void look_ahead(const struct phx_product *product) {
    const struct phx_call *first = product->calls, *call = first + product->n_calls;
    const struct phx_call *end = product->executor->end;
    end = end - first > PHX_LOOK_AHEAD ? first + PHX_LOOK_AHEAD : end;
    while (call < end && !phx_is_product(call->type)) {
        call++;
    }
    first->tables->next = call < end && !writes_tiles(first, call, end) ? call : NULL;
    first->tables->has_looked = true;
}

/* That product, if it is made. */
static const struct phx_product *find_next(const struct phx_product *product) {
    struct phx_tables *tables = product->calls->tables;
    if (!product->is_last) {
        return NULL;
    }
    if (!tables->has_looked) {
        look_ahead(product);
    }
    const struct phx_call *next = tables->next;
    return next && next->tables->is_made ? next->tables->area.data : NULL;
}

uint32_t phx_product_run(struct phx_product *product, struct phx_op_record *record) {
    bool is_by_run = product->calls->type->code == PHX_OP_MUL_MAT_ID; /* what follows */
    product->is_followed = product->n_calls > product->n_factors && (product->is_last || is_by_run);
    if (!product->is_made) {
        product->n_multiplying = phx_product_count_multiplying(product);
    }
    product->next = find_next(product);
    phx_product_share_rows(product);
    uint32_t n_running = larger(product->n_multiplying, product->n_quantising + product->first_quantising);
    product->quantise_ticks = 0;
    record->n_threads = larger(record->n_threads, n_running);
    phx_pool_run(product->pool, n_running, phx_product_job, product);
    if (product->quantise_ticks) {
        uint64_t prepare_ns = record->prepare_ns + phx_short_ticks_to_ns(product->quantise_ticks);
        record->prepare_ns = prepare_ns < UINT32_MAX ? (uint32_t)prepare_ns : UINT32_MAX;
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; product->is_followed && i < product->n_multiplying; i++) {
        if (product->status[i]) {
            return product->status[i];
        }
    }
    return PHX_OK;
}

void phx_product_end(struct phx_product *product, const struct phx_kept *kept) {
    bool is_kept = kept && product->n_calls == product->n_factors; /* else no product has run last */
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; is_kept && i < product->n_factors; i++) {
        is_kept = !phx_overlap(product->calls[i].dst[0], kept->x);
    }
    *product->kept = is_kept ? *kept : (struct phx_kept){0};
}
