/* SPDX-License-Identifier: MIT
 *
 * CALL: runs a user kernel. check() verifies what idl/pyhexagon_kernel.h promises to kernels; run() splits the rows of the
 * first result over the threads.
 */
#include "executor.h"
#include "runtime/dma.h"
#include "runtime/libc.h"
#include "runtime/user_kernels.h"

PHX_DECLARE_CHECK(call)
PHX_DECLARE_RUN(call)

#define MIN_PACKETS 2048u /* of a thread's work that pay for waking it */
#define PHX_ALIGNED(n) (((n) + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR)

/* What a kernel sees of parameters that it does not declare. It differs between DSP and CPU, so that a comparison of their
 * results finds a kernel that depends on it. */
#ifdef __hexagon__
#define UNDECLARED 0x5a5a5a5au
#else
#define UNDECLARED 0xa5a5a5a5u
#endif

/* What check() computes: the bytes of VTCM for two rows of each source, and the threads that the work pays for. */
struct call_plan {
    const struct phx_kernel *code;
    uint32_t n_rows, n_threads;
    uint32_t vtcm_bytes; /* per thread */
    uint32_t row_bytes;  /* of a row of each source, aligned; 0: rows are not loaded */
};

_Static_assert(sizeof(struct call_plan) <= sizeof(((struct phx_call *)0)->plan), "plan of CALL");

/* A running op. */
struct call_run {
    const struct call_plan *plan;
    struct phx_executor *executor;
    struct phx_slices rows;
    uint8_t *work, *vtcm; /* of the first thread */
    uint32_t work_bytes;
    int32_t failed; /* atomic: a result other than 0 */
    uint32_t params[PHX_MAX_PARAMS - 1];
    const struct phx_kernel_tensor *tensors; /* PHX_MAX_SRC sources, then PHX_MAX_DST results; absent ones are NULL */
    char message[PHX_KERNEL_MESSAGE_BYTES];
};

/* One thread's call, and the rows that it loads. */
struct call_part {
    struct phx_kernel_call call; /* first: load_rows() and parallel() find the rest from it */
    struct call_run *run;
    uint8_t *rows[2];  /* in VTCM; NULL: rows are read where they are */
    uint32_t arriving; /* the row that DMA is copying, or PHX_NONE */
    const uint8_t *pointers[PHX_MAX_SRC];
    struct phx_dma chain[PHX_MAX_SRC] __attribute__((aligned(64)));
};

/* --- Check --- */

static struct phx_mismatch check_operand(const struct phx_operand *operand, uint32_t slack) {
    const struct phx_tensor *view = &operand->view;
    uint32_t status = view->layout != PHX_LAYOUT_ROWS             ? PHX_E_LAYOUT
                      : phx_grain_of(view->dtype).n_elements != 1 ? PHX_E_DTYPE
                      : !phx_is_dense(view)                       ? PHX_E_STRIDE
                      : operand->room < slack && operand->n_bytes ? PHX_E_RANGE
                                                                  : PHX_OK;
    return (struct phx_mismatch){status, operand};
}

/* Checks one side: exactly n operands, each as the kernel expects it. */
static struct phx_mismatch check_operands(const struct phx_operand *const *operands, uint32_t most, uint32_t n,
                                          uint32_t slack) {
    for (uint32_t i = 0; i < most; i++) {
        if ((operands[i] != NULL) != (i < n)) {
            return (struct phx_mismatch){PHX_E_INDEX, operands[i]};
        }
        struct phx_mismatch mismatch = i < n ? check_operand(operands[i], slack) : PHX_MATCH;
        if (mismatch.status) {
            return mismatch;
        }
    }
    return PHX_MATCH;
}

/* The generic checker allows dst[0] to be the identical view of any source. */
static struct phx_mismatch check_in_place(const struct phx_call *call, uint32_t in_place) {
    for (uint32_t i = 0; i < PHX_MAX_SRC && call->src[i]; i++) {
        if (!(in_place >> i & 1) && phx_overlap(call->dst[0], call->src[i])) {
            return (struct phx_mismatch){PHX_E_OVERLAP, call->dst[0]};
        }
    }
    return PHX_MATCH;
}

/* Returns the bytes of a row of each source, each aligned, or 0 if one of them is too long or has too few rows. A single
 * row stands for all. */
static uint32_t loaded_bytes(const struct phx_call *call, uint32_t n_src, uint32_t n_rows) {
    uint64_t n_bytes = 0;
    for (uint32_t i = 0; i < n_src; i++) {
        const struct phx_tensor *view = &call->src[i]->view;
        uint64_t row = (uint64_t)view->ne[0] * phx_grain_of(view->dtype).n_bytes;
        if ((phx_n_rows(view) < n_rows && phx_n_rows(view) != 1) || row > PHX_DMA_BYTES_MAX) {
            return 0;
        }
        n_bytes += PHX_ALIGNED(row);
    }
    return n_bytes <= PHX_KERNEL_WORK_MOST ? (uint32_t)n_bytes : 0;
}

/* Returns the number of threads: each must have work worth waking it for. */
static uint32_t threads_for(const struct phx_executor *executor, const struct phx_kernel *code, uint32_t n_rows,
                            uint32_t n_elements) {
    uint64_t cost = (uint64_t)n_rows * (code->row_cost ? code->row_cost : n_elements);
    uint32_t n = executor->pool->n_threads < n_rows ? executor->pool->n_threads : n_rows;
    while (n > 1 && cost < (uint64_t)n * MIN_PACKETS) {
        n--;
    }
    return code->flags & PHX_KERNEL_WHOLE ? 1 : n;
}

struct phx_mismatch phx_call_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_call_params *params = call->params;
    struct call_plan *plan = (void *)call->plan;
    if (params->kernel >= PHX_MAX_USER_KERNELS || !executor->user_kernels->loaded[params->kernel].module) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    const struct phx_kernel *code = &executor->user_kernels->loaded[params->kernel].code;
    for (uint32_t i = code->n_params; i < PHX_MAX_PARAMS - 1; i++) {
        if (params->words[i]) {
            return (struct phx_mismatch){PHX_E_PARAM, NULL};
        }
    }
    struct phx_mismatch mismatch = check_operands(call->src, PHX_MAX_SRC, code->n_src, code->slack);
    if (!mismatch.status) {
        mismatch = check_operands(call->dst, PHX_MAX_DST, code->n_dst, code->slack);
    }
    if (!mismatch.status) {
        mismatch = check_in_place(call, code->in_place);
    }
    if (mismatch.status || call->dst[0]->n_bytes == 0) {
        return mismatch;
    }
    const struct phx_tensor *view = &call->dst[0]->view;
    uint32_t n_rows = phx_n_rows(view);
    *plan = (struct call_plan){code, n_rows, threads_for(executor, code, n_rows, view->ne[0]), 0, 0};
    plan->row_bytes = code->flags & PHX_KERNEL_LOADS ? loaded_bytes(call, code->n_src, n_rows) : 0;
    plan->vtcm_bytes = PHX_ALIGNED(code->vtcm_bytes) + 2 * plan->row_bytes;
    plan->vtcm_bytes += plan->row_bytes ? PHX_ALIGNED(code->slack) : 0;
    call->work_bytes = PHX_ALIGNED(code->work_bytes);
    return PHX_MATCH;
}

/* --- Rows in fast memory --- */

static uint32_t row_bytes(const struct phx_kernel_tensor *tensor) {
    return tensor->ne[0] * phx_grain_of(tensor->dtype).n_bytes;
}

/* Returns row `row` of a source, or its only row; NULL if it has fewer. */
static const uint8_t *row_at(const struct phx_kernel_tensor *src, uint32_t row) {
    uint32_t n_rows = src->ne[1] * src->ne[2] * src->ne[3];
    return n_rows == 1 ? src->data : row < n_rows ? phx_kernel_row(src, row) : NULL;
}

/* Starts to copy a row of each source to VTCM, in one chain. The engine reads through the cache, since an op of this
 * program may have written the row. */
static void start_load(struct call_part *part, uint32_t row) {
    uint8_t *to = part->rows[row & 1];
    for (uint32_t i = 0; i < part->call.n_src; i++) {
        const struct phx_kernel_tensor *src = &part->call.src[i];
        struct phx_dma *next = i + 1 < part->call.n_src ? &part->chain[i + 1] : NULL;
        phx_dma_set(&part->chain[i], next, row_at(src, row), to, row_bytes(src));
        part->chain[i].words[0] &= ~((uint64_t)PHX_DMA_PAST_CACHE << 32);
        to += PHX_ALIGNED(row_bytes(src));
    }
    part->arriving = row;
    phx_dma_start(part->chain);
}

/* Waits for the row that is arriving, if any. After a failure, rows are read where they are. */
static void finish_load(struct call_part *part) {
    if (part->arriving != PHX_NONE && phx_dma_wait(&part->chain[part->call.n_src - 1]) != PHX_DMA_DONE) {
        part->rows[0] = NULL;
        phx_log_write(part->run->executor->log, PHX_LOG_WARNING, "a user kernel's DMA failed; it reads from memory");
    }
    part->arriving = PHX_NONE;
}

static const uint8_t *const *load_rows(const struct phx_kernel_call *call, uint32_t row) {
    struct call_part *part = (struct call_part *)(uintptr_t)call;
    if (part->rows[0] && part->arriving != row) {
        finish_load(part);
        if (part->rows[0]) {
            start_load(part, row);
        }
    }
    finish_load(part);
    const uint8_t *there = part->rows[row & 1];
    for (uint32_t i = 0; i < call->n_src; i++) {
        part->pointers[i] = part->rows[0] ? there : row_at(&call->src[i], row);
        there += PHX_ALIGNED(row_bytes(&call->src[i]));
    }
    if (part->rows[0] && row + 1 < call->end) {
        start_load(part, row + 1);
    }
    return part->pointers;
}

/* --- Tasks of a whole kernel: each thread takes the next one --- */

struct tasks {
    int (*task)(void *context, int i);
    void *context;
    int n;
    int next;   /* atomic */
    int failed; /* atomic */
};

static void run_tasks(void *argument, uint32_t thread, uint32_t n_threads) {
    struct tasks *tasks = argument;
    (void)thread, (void)n_threads;
    for (;;) {
        int i = __atomic_fetch_add(&tasks->next, 1, __ATOMIC_RELAXED);
        if (i >= tasks->n || __atomic_load_n(&tasks->failed, __ATOMIC_RELAXED)) {
            return;
        }
        int failed = tasks->task(tasks->context, i);
        if (failed) {
            __atomic_store_n(&tasks->failed, failed, __ATOMIC_RELAXED);
        }
    }
}

static int run_in_parallel(const struct phx_kernel_call *call, int (*task)(void *context, int i), void *context,
                           int n) {
    const struct call_run *run = ((const struct call_part *)(const void *)call)->run;
    struct phx_pool *pool = run->executor->pool;
    struct tasks tasks = {task, context, n, 0, 0};
    if (!(run->plan->code->flags & PHX_KERNEL_WHOLE)) {
        return -1; /* all threads run the kernel */
    }
    uint32_t n_threads = n < (int)pool->n_threads ? (uint32_t)(n > 0 ? n : 1) : pool->n_threads;
    phx_pool_run(pool, n_threads, run_tasks, &tasks);
    return tasks.failed;
}

/* --- Run --- */

/* Describes an operand. An absent one has no memory and endless rows: a kernel that loops over it faults at once. */
static void describe(struct phx_kernel_tensor *to, const struct phx_operand *from) {
    if (!from) {
        *to = (struct phx_kernel_tensor){NULL, PHX_NONE, {PHX_NONE, PHX_NONE, PHX_NONE, PHX_NONE}, {0, 0, 0, 0}, 0};
        return;
    }
    to->data = from->data;
    to->dtype = from->view.dtype;
    memcpy(to->ne, from->view.ne, sizeof(to->ne));
    memcpy(to->nb, from->view.nb, sizeof(to->nb));
    to->n_bytes = (uint32_t)from->n_bytes;
}

/* Returns the kernel's view of the operands, made once after a check. NULL when the workspace is exhausted. */
static const struct phx_kernel_tensor *tensors_of(const struct phx_call *call) {
    struct phx_tables *tables = call->tables;
    if (!tables->is_made) {
        const uint32_t n = PHX_MAX_SRC + PHX_MAX_DST;
        struct phx_kernel_tensor *tensors = phx_area_reserve(&tables->area, n * sizeof(*tensors));
        for (uint32_t i = 0; tensors && i < n; i++) {
            describe(&tensors[i], i < PHX_MAX_SRC ? call->src[i] : call->dst[i - PHX_MAX_SRC]);
        }
        tables->is_made = tensors != NULL;
    }
    return tables->is_made ? tables->area.data : NULL;
}

static void run_part(void *argument, uint32_t thread, uint32_t n_threads) {
    struct call_run *run = argument;
    const struct call_plan *plan = run->plan;
    struct call_part part;
    char message[PHX_KERNEL_MESSAGE_BYTES];
    message[0] = 0;
    part.call.size = sizeof(part.call);
    part.call.n_src = plan->code->n_src;
    part.call.n_dst = plan->code->n_dst;
    part.call.src = run->tensors;
    part.call.dst = run->tensors + PHX_MAX_SRC;
    part.call.params = run->params;
    part.call.first = phx_slice_start(run->rows, thread);
    part.call.end = phx_slice_start(run->rows, thread + 1);
    part.call.thread = thread;
    part.call.n_threads = n_threads;
    part.call.message = message;
    part.call.parallel = run_in_parallel;
    part.call.load_rows = load_rows;
    part.call.work = run->work ? run->work + thread * run->work_bytes : NULL;
    uint8_t *vtcm = run->vtcm ? run->vtcm + thread * plan->vtcm_bytes : NULL;
    part.call.vtcm = plan->code->vtcm_bytes ? vtcm : NULL;
    part.run = run;
    part.arriving = PHX_NONE;
    part.rows[0] = part.rows[1] = NULL;
    memset(part.pointers, 0, sizeof(part.pointers));
    if (vtcm && plan->row_bytes) {
        part.rows[0] = vtcm + PHX_ALIGNED(plan->code->vtcm_bytes);
        part.rows[1] = part.rows[0] + plan->row_bytes;
    }
    int32_t none = 0, failed = part.call.first < part.call.end ? plan->code->run(&part.call) : 0;
    finish_load(&part);
    if (failed && __atomic_compare_exchange_n(&run->failed, &none, failed, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        message[PHX_KERNEL_MESSAGE_BYTES - 1] = 0;
        memcpy(run->message, message, PHX_KERNEL_MESSAGE_BYTES);
    }
}

/* Takes VTCM from the weights of later products, which may be on their way there. Rows that DMA will read leave the
 * caches that it does not look into. */
static void take_vtcm(struct call_run *run, const struct phx_call *call) {
    const struct phx_vtcm *vtcm = run->executor->vtcm;
    const struct call_plan *plan = run->plan;
    if (!plan->vtcm_bytes || !vtcm->data || (uint64_t)plan->vtcm_bytes * plan->n_threads > vtcm->n_bytes) {
        return;
    }
    phx_streams_close(run->executor);
    run->vtcm = vtcm->data;
    for (uint32_t i = 0; plan->row_bytes && i < plan->code->n_src; i++) {
        qurt_mem_cache_clean((uintptr_t)call->src[i]->data, call->src[i]->n_bytes, QURT_MEM_CACHE_FLUSH,
                             QURT_MEM_DCACHE);
    }
}

static uint32_t run_kernel(struct phx_executor *executor, const struct phx_call *call, struct call_run *run) {
    const struct call_plan *plan = run->plan;
    run->failed = 0;
    run->rows = phx_split_evenly(plan->n_rows, plan->n_threads);
    run->work_bytes = call->work_bytes;
    run->work = run->vtcm = NULL;
    if (call->work_bytes) {
        run->work = phx_area_reserve(executor->scratch, (size_t)plan->n_threads * call->work_bytes);
        if (!run->work) {
            return PHX_E_NO_MEMORY;
        }
    }
    take_vtcm(run, call);
    if (plan->n_threads == 1) {
        run_part(run, 0, 1);
    } else {
        phx_pool_run(executor->pool, plan->n_threads, run_part, run);
    }
    return run->failed ? PHX_E_KERNEL : PHX_OK;
}

uint32_t phx_call_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_call_params *params = call->params;
    const struct call_plan *plan = (const void *)call->plan;
    record->kernels = PHX_KERNELS_VECTOR;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0) {
        return PHX_OK;
    }
    struct call_run run;
    run.plan = plan;
    run.executor = executor;
    for (uint32_t i = 0; i < PHX_MAX_PARAMS - 1; i++) {
        run.params[i] = i < plan->code->n_params ? params->words[i] : UNDECLARED;
    }
    run.tensors = tensors_of(call);
    if (!run.tensors) {
        return PHX_E_NO_MEMORY;
    }
    record->n_threads = plan->n_threads;
    phx_log_note_running(executor->log, params->kernel + 1);
    uint32_t status = run_kernel(executor, call, &run);
    phx_log_note_running(executor->log, 0);
    if (status == PHX_E_KERNEL) {
        phx_log_note_failure(executor->log, run.failed, run.message);
    }
    return status;
}
