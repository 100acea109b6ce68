/* SPDX-License-Identifier: MIT
 *
 * Ops with independent rows: the check of elementwise ops, and the partition of all of them over the threads.
 * Dispatching work to a thread costs a few hundred packets, so small ops run on the calling thread.
 */
#include "executor.h"
#include "picks.h"
#include "rolled.h"

#define MIN_ELEMENTS 2048u   /* elements of a copy that pay for waking a thread */
#define CHUNK 128u           /* elements per chunk: rows are split at multiples of it */
#define MAX_UNEVEN 16u       /* rows per thread beyond which an uneven partition does not matter */
#define PARTITION_COST 1u    /* virtual chunk that charges the first thread for partitioning */
#define FIRST_HAS_FEWER 256u /* elements that the first of two finalizing threads has less */
#define MAX_PARTS 2u         /* of shared rows, per thread */

static struct phx_mismatch require_source(const struct phx_call *call, uint32_t i, bool may_broadcast) {
    const struct phx_operand *src = call->src[i];
    struct phx_mismatch mismatch = phx_require_rows(src, PHX_F32);
    if (mismatch.status == PHX_E_STRIDE && may_broadcast && src->view.nb[0] == 0) {
        mismatch.status = PHX_OK; /* one element, broadcast */
    }
    if (!mismatch.status && !phx_same_shape(&src->view, &call->dst[0]->view)) {
        mismatch = (struct phx_mismatch){PHX_E_SHAPE, src};
    }
    return mismatch;
}

struct phx_mismatch phx_unary_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    call->cost_log2 = 1;
    return mismatch.status ? mismatch : require_source(call, 0, false);
}

struct phx_mismatch phx_binary_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    call->cost_log2 = 1;
    for (uint32_t i = 0; i < 2 && !mismatch.status; i++) {
        mismatch = require_source(call, i, true);
    }
    return mismatch;
}

/* The partition of one op. Each thread gets the same number of whole rows. The chunks (CHUNK elements) of the remaining
 * rows form one line, which is split evenly over the threads. Virtual chunks on the line account for fixed costs:
 * n_before for partitioning, by the first thread, and n_between for a second part. Alternatively each thread takes the
 * same columns of all rows (by_column). */
struct rows_job {
    const struct phx_call *call;
    phx_row_kernel kernel;                 /* NULL: the kernels of the call and of all ops fused to it */
    uint32_t n_rows, n_elements, n_chunks; /* chunks per row */
    uint32_t n_whole;                      /* rows that are not split */
    struct phx_slices whole;               /* one slice per thread */
    struct phx_slices chunks;              /* one slice per thread: of the line, or of each row */
    uint32_t n_before, n_between;          /* virtual chunks before the first row and between rows */
    uint32_t finalize_cost;                /* chunks less for each finalizing thread, which are the last ones */
    uint32_t n_line_threads;               /* threads with a part of the line: the first ones */
    uint32_t n_finalizers;                 /* per shared row; 0: all threads go step by step, then one finalizes */
    uint32_t n_threads;
    bool by_column;
    uint32_t n_finalized;              /* atomic: shared rows that are finalized */
    uint32_t n_steps[PHX_MAX_THREADS]; /* atomic: steps completed by each of two threads that finalize a row */
    struct phx_pool *pool;
    struct phx_partial *partials; /* partial results: [shared row][thread] */
    uint8_t *constants;           /* one per shared row */
    uint8_t *work;
    uint32_t status; /* atomic: status of a thread that failed */
};

/* Runs fused elementwise ops on a slice. Their operands are identical views or disjoint: fused.c. */
static uint32_t run_fused(const struct phx_call *calls, const struct phx_slice *slice) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; !status && i < calls->n_fused; i++) {
        status = phx_rows_kernel(&calls[i])(&calls[i], slice, NULL);
    }
    return status;
}

static uint32_t run_slice(const struct rows_job *job, const struct phx_slice *slice, uint32_t thread) {
    return !job->kernel ? run_fused(job->call, slice)
                        : job->kernel(job->call, slice, job->work + thread * job->call->work_bytes);
}

static void report_status(struct rows_job *job, uint32_t status) {
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
}

static uint32_t run_whole(const struct rows_job *job, uint32_t thread) {
    struct phx_slice slice = {phx_slice_start(job->whole, thread), phx_slice_start(job->whole, thread + 1), 0,
                              job->n_elements};
    return slice.first_row < slice.end_row ? run_slice(job, &slice, thread) : PHX_OK;
}

/* Returns the slice of chunks start..end-1 of a row. */
static struct phx_slice chunk_slice(const struct rows_job *job, uint32_t row, uint32_t start, uint32_t end) {
    return (struct phx_slice){row, row + 1, start * CHUNK, end < job->n_chunks ? end * CHUNK : job->n_elements};
}

/* A thread's range of the line relative to the start of `row`. Positions before the row are clamped to 0. */
struct range {
    uint32_t row, start, end;
};

static uint32_t minus(uint32_t a, uint32_t b) {
    return a > b ? a - b : 0;
}

/* Returns the first finalizing thread. Each shared row has one or two. */
static uint32_t first_finalizer(const struct rows_job *job) {
    uint32_t n_remaining = job->n_rows - job->n_whole;
    return job->n_threads - (job->n_finalizers == 2 ? 2 * n_remaining : n_remaining);
}

/* Returns the start of a thread's range on the line. The surplus chunks of an uneven split go to the last threads. */
static uint32_t line_start(const struct rows_job *job, uint32_t thread) {
    uint32_t start = thread * job->chunks.each + minus(thread, job->n_line_threads - job->chunks.more);
    return minus(start, job->n_before + minus(thread, first_finalizer(job)) * job->finalize_cost);
}

static struct range range_of(const struct rows_job *job, uint32_t thread) {
    return thread < job->n_line_threads
               ? (struct range){job->n_whole, line_start(job, thread), line_start(job, thread + 1)}
               : (struct range){job->n_rows, 0, 0};
}

/* Advances to the next row in which the thread has a part. Returns false when there is none. */
static bool next_part(const struct rows_job *job, struct range *range, struct phx_slice *slice) {
    uint32_t step = job->n_chunks + job->n_between;
    bool has_part = false;
    while (!has_part && range->row < job->n_rows && range->end > range->start) {
        has_part = range->start < job->n_chunks;
        *slice = chunk_slice(job, range->row++, range->start, range->end);
        range->start = minus(range->start, step);
        range->end = minus(range->end, step);
    }
    return has_part;
}

static void run_columns(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    struct phx_slice slice = chunk_slice(job, 0, phx_slice_start(job->chunks, thread),
                                         phx_slice_start(job->chunks, thread + 1));
    (void)n_threads;
    slice.end_row = job->n_rows;
    report_status(job, run_slice(job, &slice, thread));
}

static void run_rows(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    (void)n_threads;
    uint32_t status = run_whole(job, thread);
    if (job->n_whole < job->n_rows) {
        struct range range = range_of(job, thread);
        struct phx_slice slice;
        while (!status && next_part(job, &range, &slice)) {
            status = run_slice(job, &slice, thread);
        }
    }
    report_status(job, status);
}

/* --- Rows shared step by step. Threads process their whole rows before they wait for a shared row to be finalized.
 * --- */

/* Describes elements first..end-1 of a shared row to its steps. */
static __attribute__((noinline)) void set_part(const struct rows_job *job, uint32_t thread, struct phx_shared_row *part,
                                               uint32_t row, uint32_t first, uint32_t end) {
    const struct phx_call *call = job->call;
    uint32_t i = row - job->n_whole;
    struct phx_at at = phx_at(&call->dst[0]->view, row);
    part->at = at;
    part->x = phx_row(call->src[0], at) + first * sizeof(float);
    part->dst = phx_row(call->dst[0], at) + first * sizeof(float);
    part->first = first;
    part->n = end - first;
    part->n_threads = job->n_threads;
    part->partials = job->partials + i * job->n_threads;
    part->own = part->partials + thread;
    part->constants = job->constants + i * PHX_ROW_CONSTANTS_BYTES;
}

/* Finds a thread's parts of shared rows. A thread has less than one row in all, hence at most two parts. */
static uint32_t find_parts(const struct rows_job *job, uint32_t thread, struct phx_shared_row *parts) {
    struct range range = range_of(job, thread);
    struct phx_slice slice;
    uint32_t n_parts = 0;
    while (n_parts < MAX_PARTS && next_part(job, &range, &slice)) {
        set_part(job, thread, &parts[n_parts++], slice.first_row, slice.first, slice.end);
    }
    return n_parts;
}

static void finalize(struct rows_job *job, uint32_t thread, phx_shared_step *finalize_row) {
    struct phx_shared_row row;
    set_part(job, thread, &row, job->n_whole + thread - first_finalizer(job), 0, job->n_elements);
    finalize_row(job->call, &row);
    __atomic_add_fetch(&job->n_finalized, 1, __ATOMIC_RELEASE);
}

/* One of two threads that finalize a row together. */
struct pair_member {
    struct phx_pool *pool;
    uint32_t thread;
    uint32_t *own, *other; /* steps that each has completed */
};

static void wait_for_other_member(void *argument, uint32_t n_steps, bool is_last) {
    const struct pair_member *member = argument;
    __atomic_store_n(member->own, n_steps, __ATOMIC_RELEASE);
    if (!is_last) {
        phx_pool_wait(member->pool, member->thread, member->other, n_steps);
    }
}

/* Finalizes a row by two threads. The first one also combines the results and therefore gets fewer elements. */
static void finalize_by_pair(struct rows_job *job, uint32_t thread) {
    uint32_t number = thread - first_finalizer(job), own = number % 2, half = job->n_chunks / 2 * CHUNK;
    struct pair_member member = {job->pool, thread, &job->n_steps[number], &job->n_steps[number ^ 1]};
    struct phx_shared_row part;
    half = half > 2 * FIRST_HAS_FEWER ? half - FIRST_HAS_FEWER : half;
    set_part(job, own, &part, job->n_whole + number / 2, own ? half : 0, own ? job->n_elements : half);
    job->call->type->shared->finalize_by_pair(job->call, &part, wait_for_other_member, &member);
    if (own == 0) {
        __atomic_add_fetch(&job->n_finalized, 1, __ATOMIC_RELEASE);
    }
}

static __attribute__((noinline)) void run_until_finalized(struct rows_job *job, uint32_t thread,
                                                          phx_shared_step *finalize_row) {
    if (thread < first_finalizer(job)) {
        ;
    } else if (job->n_finalizers == 2) {
        finalize_by_pair(job, thread);
    } else {
        finalize(job, thread, finalize_row);
    }
    report_status(job, run_whole(job, thread));
    if (thread < job->n_line_threads) {
        phx_pool_wait(job->pool, thread, &job->n_finalized, job->n_rows - job->n_whole);
    }
}

static void run_finalized(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    const struct phx_shared *type = job->call->type->shared;
    struct phx_shared_row part;
    struct phx_slice slice;
    (void)n_threads;
    run_until_finalized(job, thread, type->finalize_alone);
    struct range range = range_of(job, thread);
    while (next_part(job, &range, &slice)) {
        set_part(job, thread, &part, slice.first_row, slice.first, slice.end);
        type->steps[type->n - 1](job->call, &part);
    }
}

/* Runs one step on all parts of a thread. */
static inline __attribute__((always_inline)) void run_step(const struct rows_job *job, uint32_t step,
                                                           const struct phx_shared_row *parts, uint32_t n_parts) {
    phx_shared_step *run = job->call->type->shared->steps[step];
    if (n_parts > 0) { /* the partitioning thread may have no part of a short line */
        run(job->call, &parts[0]);
    }
    if (n_parts > 1) {
        run(job->call, &parts[1]);
    }
}

static void run_shared(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    struct phx_shared_row parts[MAX_PARTS];
    uint32_t last = job->call->type->shared->n - 1, n_parts = find_parts(job, thread, parts);
    PHX_KEEP_ROLLED
    for (uint32_t i = thread; i < (job->n_rows - job->n_whole) * n_threads; i += n_threads) {
        job->partials[i] = PHX_PARTIAL_NONE;
    }
    PHX_KEEP_ROLLED
    for (uint32_t step = 0; step < last; step++) {
        run_step(job, step, parts, n_parts);
        phx_pool_barrier(job->pool, thread);
    }
    run_until_finalized(job, thread, job->call->type->shared->finalize);
    run_step(job, last, parts, n_parts);
}

static uint32_t threads_for(const struct phx_pool *pool, uint64_t n_elements) {
    uint64_t n_threads = n_elements / MIN_ELEMENTS;
    return n_threads < pool->n_threads ? (uint32_t)n_threads : pool->n_threads;
}

/* Returns the elements that determine a row's cost: an op that selects a few elements reads all of them. */
static uint32_t elements_of_row(const struct phx_call *call) {
    uint32_t n_from = call->src[0]->view.ne[0], n_to = call->dst[0]->view.ne[0];
    return n_from > n_to ? n_from : n_to;
}

/* Returns whether threads share the remainder of an even partition in whole rows. */
static bool may_share(const struct rows_job *job, uint32_t n_threads) {
    const struct phx_op_type *type = job->call->type;
    if (job->n_rows >= MAX_UNEVEN * n_threads || job->n_chunks < n_threads) {
        return false;
    }
    if (type->by_element) {
        return true;
    }
    return type->shared && job->kernel == type->hvx;
}

/* Partitions ops whose rows are not shared chunk by chunk: the same columns of all rows, or whole rows. */
static __attribute__((noinline)) uint32_t partition_columns(struct rows_job *job, uint32_t n_threads) {
    uint32_t n_rows = job->n_rows, n_chunks = job->n_chunks;
    job->by_column = job->call->type->is_scatter ||
                     (n_rows < n_threads && n_chunks >= n_threads && phx_can_merge(job->call));
    job->n_whole = job->by_column ? 0 : n_rows;
    job->whole = phx_split_evenly(job->n_whole, n_threads);
    uint32_t n_most = job->by_column ? n_chunks : n_rows;
    n_threads = n_threads < n_most ? n_threads : n_most;
    job->chunks = phx_split_evenly(n_chunks, n_threads);
    return n_threads;
}

/* Returns n_threads times the load of the busiest thread if n_busy threads finalize at cost `finalize_cost` each: the
 * even share, but at least the cost of finalizing. */
static uint32_t scaled_max_load(uint32_t finalize_cost, uint32_t n_busy, uint32_t n, uint32_t n_threads) {
    uint32_t most = finalize_cost * n_threads, even = n + n_busy * finalize_cost;
    return most > even ? most : even;
}

/* Returns the length of the line: the chunks of the remaining rows and all virtual chunks. Chooses whether one thread
 * finalizes a row alone, or a pair of threads does, by the load of the busiest thread; either pays only while the other
 * threads have whole rows to process. */
static uint32_t line_length(struct rows_job *job, uint32_t n_remaining, uint32_t n_threads) {
    const struct phx_op_type *type = job->call->type;
    uint32_t n = n_remaining * job->n_chunks;
    if (type->by_element) {
        job->n_before = PARTITION_COST;
        return n + PARTITION_COST;
    }
    uint32_t n_factors = (job->call->src[1] != NULL) + (job->call->src[2] != NULL);
    struct phx_sharing_costs costs = type->shared->costs[n_factors];
    job->n_before = costs.partition;
    job->n_between = costs.second_part;
    n += costs.partition + (n_remaining - 1) * costs.second_part;
    uint32_t finalize_cost = (job->n_chunks * costs.finalize_each + 15) / 16, n_busy = n_remaining;
    uint32_t alone_cost = costs.alone + finalize_cost, pair_cost = costs.by_pair + finalize_cost / 2;
    uint32_t all = n + n_remaining * finalize_cost + n_threads * costs.steps;
    job->n_finalizers = 0;
    job->finalize_cost = costs.finalize_last;
    if (job->n_whole && scaled_max_load(alone_cost, n_remaining, n, n_threads) <= all) {
        all = scaled_max_load(alone_cost, n_remaining, n, n_threads);
        all -= all / 8; /* two more threads would have parts */
        job->n_finalizers = 1;
        job->finalize_cost = alone_cost;
    }
    bool may_pair = type->shared->finalize_by_pair &&
                    (job->n_whole ? 2 * n_remaining <= n_threads : 2 * n_remaining == n_threads);
    if (may_pair && scaled_max_load(pair_cost, 2 * n_remaining, n, n_threads) < all) {
        job->n_finalizers = 2;
        job->finalize_cost = pair_cost;
        n_busy = 2 * n_remaining;
        memset(job->n_steps, 0, sizeof(job->n_steps));
    }
    return n + n_busy * job->finalize_cost;
}

/* Splits the line. If finalizing costs more than an even share, the finalizing threads get no part of the line. */
static void partition_line(struct rows_job *job, uint32_t length) {
    job->n_line_threads = job->n_threads;
    job->chunks = phx_split_evenly(length, job->n_line_threads);
    if (job->finalize_cost > job->chunks.each) {
        job->n_line_threads = first_finalizer(job);
        job->chunks = phx_split_evenly(length - (job->n_threads - job->n_line_threads) * job->finalize_cost,
                                       job->n_line_threads);
    }
}

/* Partitions the op over n_threads threads. Returns the number of threads with work. */
static uint32_t partition_rows(struct rows_job *job, uint32_t n_threads) {
    if (job->call->type->is_scatter || job->call->type->merge) {
        return partition_columns(job, n_threads);
    }
    job->by_column = false;
    job->n_whole = job->n_rows;
    job->whole = phx_split_evenly(job->n_rows, n_threads);
    uint32_t n_remaining = job->whole.more;
    if (n_remaining && may_share(job, n_threads)) {
        job->n_whole -= n_remaining;
        job->whole.more = 0;
        job->n_threads = n_threads;
        partition_line(job, line_length(job, n_remaining, n_threads));
        return n_threads;
    }
    return n_threads < job->n_rows ? n_threads : job->n_rows;
}

/* Reserves the memory for partial results or per-thread work. */
static uint32_t reserve(struct phx_executor *executor, struct rows_job *job) {
    uint32_t n_shared = job->call->type->shared ? job->n_rows - job->n_whole : 0;
    job->work = NULL;
    job->partials = NULL;
    if (n_shared) {
        uint32_t n_bytes = PHX_ROW_CONSTANTS_BYTES + job->n_threads * sizeof(struct phx_partial);
        job->constants = phx_area_reserve(executor->scratch, n_shared * n_bytes);
        job->partials = (void *)(job->constants ? job->constants + n_shared * PHX_ROW_CONSTANTS_BYTES : NULL);
    } else if (job->call->work_bytes) {
        job->work = phx_area_reserve(executor->scratch, job->n_threads * job->call->work_bytes);
    } else {
        return PHX_OK;
    }
    return job->partials || job->work ? PHX_OK : PHX_E_NO_MEMORY;
}

/* Runs an op on several threads. */
static __attribute__((noinline)) uint32_t run_partitioned(struct phx_executor *executor, const struct phx_call *call,
                                                          phx_row_kernel kernel, const struct phx_slice *all,
                                                          uint32_t n_threads, struct phx_op_record *record) {
    struct rows_job job; /* not cleared: clearing costs as much as the rest of this function */
    job.call = call;
    job.kernel = kernel;
    job.n_rows = all->end_row;
    job.n_elements = all->end;
    job.n_chunks = (all->end + CHUNK - 1) / CHUNK;
    job.n_before = job.n_between = job.finalize_cost = job.n_finalized = job.n_finalizers = 0;
    job.pool = executor->pool;
    job.status = PHX_OK;
    job.n_threads = partition_rows(&job, n_threads);
    uint32_t status = reserve(executor, &job);
    if (status) {
        return status;
    }
    record->n_threads = job.n_threads;
    if (job.partials) {
        phx_pool_run(executor->pool, job.n_threads, job.n_finalizers ? run_finalized : run_shared, &job);
    } else if (job.by_column) {
        phx_pool_run(executor->pool, job.n_threads, run_columns, &job);
        if (call->type->merge && !job.status) {
            call->type->merge(call, job.work, job.n_threads);
        }
    } else {
        phx_pool_run(executor->pool, job.n_threads, run_rows, &job);
    }
    return job.status;
}

phx_row_kernel phx_rows_kernel(const struct phx_call *call) {
    return call->kernels >= PHX_KERNELS_HVX && call->type->hvx ? call->type->hvx : call->type->ref;
}

/* Runs an op. `partitioned` is the operand whose rows are partitioned. */
static inline __attribute__((always_inline)) uint32_t run(struct phx_executor *executor, const struct phx_call *call,
                                                          struct phx_op_record *record,
                                                          const struct phx_operand *partitioned) {
    phx_row_kernel kernel = phx_rows_kernel(call);
    record->kernels = kernel == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0 || partitioned->n_bytes == 0) {
        return PHX_OK;
    }
    struct phx_slice all = {0, phx_n_rows(&partitioned->view), 0, partitioned->view.ne[0]};
    uint64_t n_elements = (uint64_t)all.end_row * elements_of_row(call) << call->cost_log2;
    if (executor->pool->n_threads > 1 && n_elements >= 2 * MIN_ELEMENTS) {
        return run_partitioned(executor, call, kernel, &all, threads_for(executor->pool, n_elements), record);
    }
    void *work = NULL;
    if (call->work_bytes) {
        work = phx_area_reserve(executor->scratch, call->work_bytes);
        if (!work) {
            return PHX_E_NO_MEMORY;
        }
    }
    return kernel(call, &all, work);
}

uint32_t phx_rows_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->dst[0]);
}

uint32_t phx_elements_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    if (call->n_fused == 1) {
        return run(executor, call, record, call->dst[0]);
    }
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice all = {0, phx_n_rows(view), 0, view->ne[0]};
    uint64_t n_elements = (uint64_t)all.end_row * view->ne[0] * call->n_fused << call->cost_log2;
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    record->n_threads = 1;
    if (executor->pool->n_threads > 1 && n_elements >= 2 * MIN_ELEMENTS) {
        return run_partitioned(executor, call, NULL, &all, threads_for(executor->pool, n_elements), record);
    }
    return run_fused(call, &all);
}

uint32_t phx_pick_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}

uint32_t phx_scatter_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}
