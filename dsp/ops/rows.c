/* SPDX-License-Identifier: MIT
 *
 * Ops whose result's rows are computed independently: what fits element-wise ones, and how all of them are cut over the
 * threads. Handing work to a thread costs a few hundred packets, so small ops stay on the caller's.
 */
#include "executor.h"
#include "picks.h"
#include "rolled.h"

#define LEAST_ELEMENTS 2048u /* for a thread to be worth waking */
#define STEP 128u            /* rows are cut at multiples of so many elements */
#define MOST_UNEVEN 16u      /* times as many rows as threads: of more, one more or less on a thread does not matter */
#define OF_CUTTING 1u        /* a piece of the line that is not there, for what cutting the work takes its thread */
#define LESS_OF_FIRST 256u   /* elements, of two threads that decide a row */
#define MOST_PARTS 2u        /* of rows that threads share step by step: of a thread */

static struct phx_misfit want_source(const struct phx_call *call, uint32_t i, bool may_repeat) {
    const struct phx_operand *src = call->src[i];
    struct phx_misfit misfit = phx_want_rows(src, PHX_F32);
    if (misfit.status == PHX_E_STRIDE && may_repeat && src->view.nb[0] == 0) {
        misfit.status = PHX_OK; /* one element, repeated */
    }
    if (!misfit.status && !phx_same_shape(&src->view, &call->dst[0]->view)) {
        misfit = (struct phx_misfit){PHX_E_SHAPE, src};
    }
    return misfit;
}

struct phx_misfit phx_unary_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_misfit misfit = phx_want_rows(call->dst[0], PHX_F32);
    (void)executor;
    return misfit.status ? misfit : want_source(call, 0, false);
}

struct phx_misfit phx_binary_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_misfit misfit = phx_want_rows(call->dst[0], PHX_F32);
    (void)executor;
    for (uint32_t i = 0; i < 2 && !misfit.status; i++) {
        misfit = want_source(call, i, true);
    }
    return misfit;
}

/* Rows are dealt whole, as many to each thread. Those that are left are laid on a line, in pieces of STEP elements, and
 * each thread takes as much of it, but that the line begins before its first piece, for the thread that has cut it. Or
 * threads take the same columns of all rows. */
struct rows_job {
    const struct phx_call *call;
    phx_row_kernel kernel;                 /* NULL: those of the call and of all that are joined to it */
    uint32_t n_rows, n_elements, n_pieces; /* of each row */
    uint32_t n_whole;                      /* rows that are dealt whole */
    struct phx_slices whole;               /* as many slices as there are threads */
    struct phx_slices pieces;              /* likewise of the line, or of each row */
    uint32_t n_before, n_between;          /* pieces of the line before the first row's and between rows */
    uint32_t n_deciding;                   /* fewer for a thread that decides a row: the last threads do */
    uint32_t n_sharing;                    /* threads that have some of the line: the first ones */
    uint32_t n_deciders;                   /* of each row that is shared; 0: all go step by step, then one of each */
    uint32_t n_threads;
    bool by_column;
    uint32_t n_decided;                /* atomic: rows that are shared */
    uint32_t n_steps[PHX_MAX_THREADS]; /* atomic: of threads that decide a row by two, each what it has done */
    struct phx_pool *pool;
    struct phx_found *found; /* of rows that are shared step by step: of each, for each thread */
    uint8_t *decided;        /* of each of these */
    uint8_t *work;
    uint32_t status; /* atomic: of a thread that failed */
};

/* Joined ops have the same rows, none of which meets another one: joined.c. */
static uint32_t run_joined(const struct phx_call *calls, const struct phx_slice *slice) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; !status && i < calls->n_joined; i++) {
        status = phx_rows_kernel(&calls[i])(&calls[i], slice, NULL);
    }
    return status;
}

static uint32_t run_slice(const struct rows_job *job, const struct phx_slice *slice, uint32_t thread) {
    return !job->kernel ? run_joined(job->call, slice)
                        : job->kernel(job->call, slice, job->work + thread * job->call->work_bytes);
}

static void note(struct rows_job *job, uint32_t status) {
    if (status) {
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
    }
}

static uint32_t run_whole(const struct rows_job *job, uint32_t thread) {
    struct phx_slice slice = {phx_slice_start(job->whole, thread), phx_slice_start(job->whole, thread + 1), 0,
                              job->n_elements};
    return slice.first_row < slice.end_row ? run_slice(job, &slice, thread) : PHX_OK;
}

/* Of a row, pieces start..end-1. */
static struct phx_slice cut(const struct rows_job *job, uint32_t row, uint32_t start, uint32_t end) {
    return (struct phx_slice){row, row + 1, start * STEP, end < job->n_pieces ? end * STEP : job->n_elements};
}

/* A thread's stretch of the line, counted from this row's first piece; 0 if it is beyond. */
struct place {
    uint32_t row, start, end;
};

static uint32_t without(uint32_t a, uint32_t b) {
    return a > b ? a - b : 0;
}

/* Each row that is shared has a thread that decides it, or two. */
static uint32_t first_to_decide(const struct rows_job *job) {
    uint32_t n_left = job->n_rows - job->n_whole;
    return job->n_threads - (job->n_deciders == 2 ? 2 * n_left : n_left);
}

/* The last threads have those pieces that are more than as many for each. */
static uint32_t line_start(const struct rows_job *job, uint32_t thread) {
    uint32_t start = thread * job->pieces.each + without(thread, job->n_sharing - job->pieces.more);
    return without(start, job->n_before + without(thread, first_to_decide(job)) * job->n_deciding);
}

static struct place place_of(const struct rows_job *job, uint32_t thread) {
    return thread < job->n_sharing ? (struct place){job->n_whole, line_start(job, thread), line_start(job, thread + 1)}
                                   : (struct place){job->n_rows, 0, 0};
}

/* What the thread has of the next row that it has a part of. */
static bool next_part(const struct rows_job *job, struct place *place, struct phx_slice *slice) {
    uint32_t step = job->n_pieces + job->n_between;
    bool has_part = false;
    while (!has_part && place->row < job->n_rows && place->end > place->start) {
        has_part = place->start < job->n_pieces;
        *slice = cut(job, place->row++, place->start, place->end);
        place->start = without(place->start, step);
        place->end = without(place->end, step);
    }
    return has_part;
}

static void run_columns(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    struct phx_slice slice = cut(job, 0, phx_slice_start(job->pieces, thread),
                                 phx_slice_start(job->pieces, thread + 1));
    (void)n_threads;
    slice.end_row = job->n_rows;
    note(job, run_slice(job, &slice, thread));
}

static void run_rows(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    (void)n_threads;
    uint32_t status = run_whole(job, thread);
    if (job->n_whole < job->n_rows) {
        struct place place = place_of(job, thread);
        struct phx_slice slice;
        while (!status && next_part(job, &place, &slice)) {
            status = run_slice(job, &slice, thread);
        }
    }
    note(job, status);
}

/* --- Rows that are shared step by step. Threads have whole ones to do before they need what was decided. --- */

/* Of a row, elements first..end-1. */
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
    part->found = job->found + i * job->n_threads;
    part->own = part->found + thread;
    part->decided = job->decided + i * PHX_DECIDED_BYTES;
}

/* A thread's parts of rows that all threads decide: it has less than a row in all, so they are at most two. */
static uint32_t find_parts(const struct rows_job *job, uint32_t thread, struct phx_shared_row *parts) {
    struct place place = place_of(job, thread);
    struct phx_slice slice;
    uint32_t n_parts = 0;
    while (n_parts < MOST_PARTS && next_part(job, &place, &slice)) {
        set_part(job, thread, &parts[n_parts++], slice.first_row, slice.first, slice.end);
    }
    return n_parts;
}

static void decide(struct rows_job *job, uint32_t thread, phx_shared_step *decide_row) {
    struct phx_shared_row row;
    set_part(job, thread, &row, job->n_whole + thread - first_to_decide(job), 0, job->n_elements);
    decide_row(job->call, &row);
    __atomic_add_fetch(&job->n_decided, 1, __ATOMIC_RELEASE);
}

/* One of two threads that decide a row. */
struct one_of_two {
    struct phx_pool *pool;
    uint32_t thread;
    uint32_t *own, *other; /* steps that they have done */
};

static void meet_other(void *argument, uint32_t n_steps, bool is_last) {
    const struct one_of_two *one = argument;
    __atomic_store_n(one->own, n_steps, __ATOMIC_RELEASE);
    if (!is_last) {
        phx_pool_wait(one->pool, one->thread, one->other, n_steps);
    }
}

/* The first one has what comes of it all, and so less of the row. */
static void decide_by_two(struct rows_job *job, uint32_t thread) {
    uint32_t number = thread - first_to_decide(job), own = number % 2, half = job->n_pieces / 2 * STEP;
    struct one_of_two one = {job->pool, thread, &job->n_steps[number], &job->n_steps[number ^ 1]};
    struct phx_shared_row part;
    half = half > 2 * LESS_OF_FIRST ? half - LESS_OF_FIRST : half;
    set_part(job, own, &part, job->n_whole + number / 2, own ? half : 0, own ? job->n_elements : half);
    job->call->type->shared->decide_by_two(job->call, &part, meet_other, &one);
    if (own == 0) {
        __atomic_add_fetch(&job->n_decided, 1, __ATOMIC_RELEASE);
    }
}

static __attribute__((noinline)) void run_until_decided(struct rows_job *job, uint32_t thread,
                                                        phx_shared_step *decide_row) {
    if (thread < first_to_decide(job)) {
        ;
    } else if (job->n_deciders == 2) {
        decide_by_two(job, thread);
    } else {
        decide(job, thread, decide_row);
    }
    note(job, run_whole(job, thread));
    if (thread < job->n_sharing) {
        phx_pool_wait(job->pool, thread, &job->n_decided, job->n_rows - job->n_whole);
    }
}

static void run_decided(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    const struct phx_shared *type = job->call->type->shared;
    struct phx_shared_row part;
    struct phx_slice slice;
    (void)n_threads;
    run_until_decided(job, thread, type->decide_alone);
    struct place place = place_of(job, thread);
    while (next_part(job, &place, &slice)) {
        set_part(job, thread, &part, slice.first_row, slice.first, slice.end);
        type->steps[type->n - 1](job->call, &part);
    }
}

/* A step of all parts of a thread. */
static inline __attribute__((always_inline)) void run_step(const struct rows_job *job, uint32_t step,
                                                           const struct phx_shared_row *parts, uint32_t n_parts) {
    phx_shared_step *run = job->call->type->shared->steps[step];
    if (n_parts > 0) { /* of few elements there may be none for the thread that has cut them */
        run(job->call, &parts[0]);
    }
    if (n_parts > 1) {
        run(job->call, &parts[1]);
    }
}

static void run_shared(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    struct phx_shared_row parts[MOST_PARTS];
    uint32_t last = job->call->type->shared->n - 1, n_parts = find_parts(job, thread, parts);
    PHX_KEEP_ROLLED
    for (uint32_t i = thread; i < (job->n_rows - job->n_whole) * n_threads; i += n_threads) {
        job->found[i] = PHX_FOUND_NOTHING;
    }
    PHX_KEEP_ROLLED
    for (uint32_t step = 0; step < last; step++) {
        run_step(job, step, parts, n_parts);
        phx_pool_meet(job->pool, thread);
    }
    run_until_decided(job, thread, job->call->type->shared->decide);
    run_step(job, last, parts, n_parts);
}

static uint32_t threads_for(const struct phx_pool *pool, uint64_t n_elements) {
    uint64_t n_threads = n_elements / LEAST_ELEMENTS;
    return n_threads < pool->n_threads ? (uint32_t)n_threads : pool->n_threads;
}

/* What a row costs: an op that picks some of many looks at all of them. */
static uint32_t elements_of_row(const struct phx_call *call) {
    uint32_t n_from = call->src[0]->view.ne[0], n_to = call->dst[0]->view.ne[0];
    return n_from > n_to ? n_from : n_to;
}

/* Whether threads share rows that are left when each has as many. */
static bool may_share(const struct rows_job *job, uint32_t n_threads) {
    const struct phx_op_type *type = job->call->type;
    if (job->n_rows >= MOST_UNEVEN * n_threads || job->n_pieces < n_threads) {
        return false;
    }
    if (type->by_element) {
        return true;
    }
    return type->shared && job->kernel == type->hvx;
}

/* Of an op whose rows are not shared by element: the same columns of all rows, or whole ones. */
static __attribute__((noinline)) uint32_t cut_columns(struct rows_job *job, uint32_t n_threads) {
    uint32_t n_rows = job->n_rows, n_pieces = job->n_pieces;
    job->by_column = job->call->type->is_scatter ||
                     (n_rows < n_threads && n_pieces >= n_threads && phx_can_join(job->call));
    job->n_whole = job->by_column ? 0 : n_rows;
    job->whole = phx_cut_evenly(job->n_whole, n_threads);
    uint32_t n_most = job->by_column ? n_pieces : n_rows;
    n_threads = n_threads < n_most ? n_threads : n_most;
    job->pieces = phx_cut_evenly(n_pieces, n_threads);
    return n_threads;
}

/* Times as much as the busiest thread has if so many of them decide, and have not less of the line than that takes. */
static uint32_t busiest(uint32_t n_deciding, uint32_t n_busy, uint32_t n, uint32_t n_threads) {
    uint32_t most = n_deciding * n_threads, even = n + n_busy * n_deciding;
    return most > even ? most : even;
}

/* Of n_left rows, and of the pieces that are not there. A row is decided by one thread alone, or by two, where these have
 * as much to do as others, and while they have whole rows. */
static uint32_t length_of_line(struct rows_job *job, uint32_t n_left, uint32_t n_threads) {
    const struct phx_op_type *type = job->call->type;
    uint32_t n = n_left * job->n_pieces;
    if (type->by_element) {
        job->n_before = OF_CUTTING;
        return n + OF_CUTTING;
    }
    uint32_t n_factors = (job->call->src[1] != NULL) + (job->call->src[2] != NULL);
    struct phx_sharing of = type->shared->of[n_factors];
    job->n_before = of.cutting;
    job->n_between = of.another_part;
    n += of.cutting + (n_left - 1) * of.another_part;
    uint32_t n_deciding = (job->n_pieces * of.deciding + 15) / 16, n_busy = n_left;
    uint32_t n_alone = of.alone + n_deciding, n_each = of.by_two + n_deciding / 2;
    uint32_t all = n + n_left * n_deciding + n_threads * of.steps;
    job->n_deciders = 0;
    job->n_deciding = of.last_to_decide;
    if (job->n_whole && busiest(n_alone, n_left, n, n_threads) <= all) {
        all = busiest(n_alone, n_left, n, n_threads);
        all -= all / 8; /* two more of the threads would have parts */
        job->n_deciders = 1;
        job->n_deciding = n_alone;
    }
    bool may_be_two = type->shared->decide_by_two && (job->n_whole ? 2 * n_left <= n_threads : 2 * n_left == n_threads);
    if (may_be_two && busiest(n_each, 2 * n_left, n, n_threads) < all) {
        job->n_deciders = 2;
        job->n_deciding = n_each;
        n_busy = 2 * n_left;
        memset(job->n_steps, 0, sizeof(job->n_steps));
    }
    return n + n_busy * job->n_deciding;
}

/* Threads that decide rows may have enough to do with that. */
static void cut_line(struct rows_job *job, uint32_t length) {
    job->n_sharing = job->n_threads;
    job->pieces = phx_cut_evenly(length, job->n_sharing);
    if (job->n_deciding > job->pieces.each) {
        job->n_sharing = first_to_decide(job);
        job->pieces = phx_cut_evenly(length - (job->n_threads - job->n_sharing) * job->n_deciding, job->n_sharing);
    }
}

/* For so many threads. Returns how many of them have work. */
static uint32_t cut_rows(struct rows_job *job, uint32_t n_threads) {
    if (job->call->type->is_scatter || job->call->type->join) {
        return cut_columns(job, n_threads);
    }
    job->by_column = false;
    job->n_whole = job->n_rows;
    job->whole = phx_cut_evenly(job->n_rows, n_threads);
    uint32_t n_left = job->whole.more;
    if (n_left && may_share(job, n_threads)) {
        job->n_whole -= n_left;
        job->whole.more = 0;
        job->n_threads = n_threads;
        cut_line(job, length_of_line(job, n_left, n_threads));
        return n_threads;
    }
    return n_threads < job->n_rows ? n_threads : job->n_rows;
}

/* Memory for what each thread has of its own. */
static uint32_t reserve(struct phx_executor *executor, struct rows_job *job) {
    uint32_t n_shared = job->call->type->shared ? job->n_rows - job->n_whole : 0;
    job->work = NULL;
    job->found = NULL;
    if (n_shared) {
        uint32_t n_bytes = PHX_DECIDED_BYTES + job->n_threads * sizeof(struct phx_found);
        job->decided = phx_area_reserve(executor->scratch, n_shared * n_bytes);
        job->found = (void *)(job->decided ? job->decided + n_shared * PHX_DECIDED_BYTES : NULL);
    } else if (job->call->work_bytes) {
        job->work = phx_area_reserve(executor->scratch, job->n_threads * job->call->work_bytes);
    } else {
        return PHX_OK;
    }
    return job->found || job->work ? PHX_OK : PHX_E_NO_MEMORY;
}

/* On several threads. */
static __attribute__((noinline)) uint32_t run_cut(struct phx_executor *executor, const struct phx_call *call,
                                                  phx_row_kernel kernel, const struct phx_slice *all,
                                                  uint32_t n_threads, struct phx_op_record *record) {
    struct rows_job job; /* not cleared: that would take as long as all else here */
    job.call = call;
    job.kernel = kernel;
    job.n_rows = all->end_row;
    job.n_elements = all->end;
    job.n_pieces = (all->end + STEP - 1) / STEP;
    job.n_before = job.n_between = job.n_deciding = job.n_decided = job.n_deciders = 0;
    job.pool = executor->pool;
    job.status = PHX_OK;
    job.n_threads = cut_rows(&job, n_threads);
    uint32_t status = reserve(executor, &job);
    if (status) {
        return status;
    }
    record->n_threads = job.n_threads;
    if (job.found) {
        phx_pool_run(executor->pool, job.n_threads, job.n_deciders ? run_decided : run_shared, &job);
    } else if (job.by_column) {
        phx_pool_run(executor->pool, job.n_threads, run_columns, &job);
        if (call->type->join && !job.status) {
            call->type->join(call, job.work, job.n_threads);
        }
    } else {
        phx_pool_run(executor->pool, job.n_threads, run_rows, &job);
    }
    return job.status;
}

phx_row_kernel phx_rows_kernel(const struct phx_call *call) {
    return call->kernels >= PHX_KERNELS_HVX && call->type->hvx ? call->type->hvx : call->type->ref;
}

/* `cut` is the operand whose rows are the work. */
static inline __attribute__((always_inline)) uint32_t run(struct phx_executor *executor, const struct phx_call *call,
                                                          struct phx_op_record *record, const struct phx_operand *cut) {
    phx_row_kernel kernel = phx_rows_kernel(call);
    record->kernels = kernel == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0 || cut->n_bytes == 0) {
        return PHX_OK;
    }
    struct phx_slice all = {0, phx_n_rows(&cut->view), 0, cut->view.ne[0]};
    uint64_t n_elements = (uint64_t)all.end_row * elements_of_row(call) << call->more_work;
    if (executor->pool->n_threads > 1 && n_elements >= 2 * LEAST_ELEMENTS) {
        return run_cut(executor, call, kernel, &all, threads_for(executor->pool, n_elements), record);
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
    if (call->n_joined == 1) {
        return run(executor, call, record, call->dst[0]);
    }
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice all = {0, phx_n_rows(view), 0, view->ne[0]};
    uint64_t n_elements = (uint64_t)all.end_row * view->ne[0] * call->n_joined;
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_VECTOR;
    record->n_threads = 1;
    if (executor->pool->n_threads > 1 && n_elements >= 2 * LEAST_ELEMENTS) {
        return run_cut(executor, call, NULL, &all, threads_for(executor->pool, n_elements), record);
    }
    return run_joined(call, &all);
}

uint32_t phx_pick_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}

uint32_t phx_scatter_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}
