/* SPDX-License-Identifier: MIT
 *
 * Ops whose result's rows are computed independently: what fits element-wise ones, and how all of them are cut over the
 * threads. Handing work to a thread costs a few hundred packets, so small ops stay on the caller's.
 */
#include "executor.h"
#include "picks.h"

#define LEAST_ELEMENTS 2048u /* for a thread to be worth waking */
#define STEP 128u            /* rows are cut at multiples of so many elements */

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

struct rows_job {
    const struct phx_call *call;
    phx_row_kernel kernel; /* NULL: those of the call and of all that are joined to it */
    struct phx_slice all;
    struct phx_slices rows;     /* cut into as many slices as there are threads; or */
    struct phx_slices elements; /* steps of each row are */
    bool by_element;
    uint8_t *work;
    uint32_t status[PHX_MAX_THREADS];
};

/* Joined ops have the same rows, none of which meets another one: joined.c. */
static uint32_t run_joined(const struct phx_call *calls, const struct phx_slice *slice) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; !status && i < calls->n_joined; i++) {
        status = phx_rows_kernel(&calls[i])(&calls[i], slice, NULL);
    }
    return status;
}

static void run_slice(void *argument, uint32_t thread, uint32_t n_threads) {
    struct rows_job *job = argument;
    struct phx_slice slice = job->all;
    (void)n_threads;
    if (job->by_element) {
        uint32_t end = phx_slice_start(job->elements, thread + 1) * STEP;
        slice.first = phx_slice_start(job->elements, thread) * STEP;
        slice.end = end < slice.end ? end : slice.end;
    } else {
        slice.first_row = phx_slice_start(job->rows, thread);
        slice.end_row = phx_slice_start(job->rows, thread + 1);
    }
    if (job->kernel) {
        job->status[thread] = job->kernel(job->call, &slice, job->work + thread * job->call->work_bytes);
    } else {
        job->status[thread] = run_joined(job->call, &slice);
    }
}

static uint32_t threads_for(const struct phx_pool *pool, uint32_t n_rows, uint32_t n_elements) {
    uint64_t n_all = (uint64_t)n_rows * n_elements;
    uint32_t n_threads = 1;
    while (n_threads < pool->n_threads && n_all >= (n_threads + 1) * LEAST_ELEMENTS) {
        n_threads++;
    }
    return n_threads;
}

/* What a row costs: an op that picks some of many looks at all of them. */
static uint32_t elements_of_row(const struct phx_call *call) {
    uint32_t n_from = call->src[0]->view.ne[0], n_to = call->dst[0]->view.ne[0];
    return n_from > n_to ? n_from : n_to;
}

/* On several threads. */
static __attribute__((noinline)) uint32_t run_cut(struct phx_executor *executor, const struct phx_call *call,
                                                  phx_row_kernel kernel, const struct phx_slice *all,
                                                  struct phx_op_record *record) {
    struct rows_job job = {.call = call, .kernel = kernel, .all = *all};
    uint32_t n_rows = all->end_row, n_joined = kernel ? 1 : call->n_joined;
    uint32_t n_threads = threads_for(executor->pool, n_rows * n_joined, elements_of_row(call));
    uint32_t n_steps = (all->end + STEP - 1) / STEP;
    if (call->type->is_scatter) {
        job.by_element = true;
        n_threads = n_threads < n_steps ? n_threads : n_steps;
    } else if (call->type->join) {
        job.by_element = n_rows < n_threads && n_steps >= n_threads && phx_can_join(call);
        n_threads = job.by_element || n_threads < n_rows ? n_threads : n_rows;
    } else {
        job.by_element = call->type->by_element && n_rows < 4 * n_threads && n_steps >= n_threads;
        n_threads = job.by_element || n_threads < n_rows ? n_threads : n_rows;
    }
    if (call->work_bytes) {
        job.work = phx_area_reserve(executor->scratch, n_threads * call->work_bytes);
        if (!job.work) {
            return PHX_E_NO_MEMORY;
        }
    }
    job.rows = phx_cut_evenly(n_rows, n_threads);
    job.elements = phx_cut_evenly(n_steps, n_threads);
    record->n_threads = n_threads;
    phx_pool_run(executor->pool, n_threads, run_slice, &job);
    for (uint32_t i = 0; i < n_threads; i++) {
        if (job.status[i]) {
            return job.status[i];
        }
    }
    if (job.by_element && call->type->join) {
        call->type->join(call, job.work, n_threads);
    }
    return PHX_OK;
}

phx_row_kernel phx_rows_kernel(const struct phx_call *call) {
    return call->kernels >= PHX_KERNELS_HVX && call->type->hvx ? call->type->hvx : call->type->ref;
}

/* `cut` is the operand whose rows are the work. */
static inline __attribute__((always_inline)) uint32_t run(struct phx_executor *executor, const struct phx_call *call,
                                                          struct phx_op_record *record, const struct phx_operand *cut) {
    phx_row_kernel kernel = phx_rows_kernel(call);
    record->kernels = kernel == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_HVX;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0 || cut->n_bytes == 0) {
        return PHX_OK;
    }
    struct phx_slice all = {0, phx_n_rows(&cut->view), 0, cut->view.ne[0]};
    if (executor->pool->n_threads > 1 && (uint64_t)all.end_row * elements_of_row(call) >= 2 * LEAST_ELEMENTS) {
        return run_cut(executor, call, kernel, &all, record);
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
    record->kernels = phx_rows_kernel(call) == call->type->ref ? PHX_KERNELS_REF : PHX_KERNELS_HVX;
    record->n_threads = 1;
    if (executor->pool->n_threads > 1 && (uint64_t)all.end_row * view->ne[0] * call->n_joined >= 2 * LEAST_ELEMENTS) {
        return run_cut(executor, call, NULL, &all, record);
    }
    return run_joined(call, &all);
}

uint32_t phx_pick_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}

uint32_t phx_scatter_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    return run(executor, call, record, call->src[0]);
}
