/* SPDX-License-Identifier: MIT
 *
 * A user kernel of any signature: the fuzzer writes other numbers into its descriptor before it loads the image. It checks
 * what pyhexagon_kernel.h promises of its call, and computes bytes that depend on all sources, parameters and rows, and not
 * on threads. A broken promise ends the process.
 */
#include <pyhexagon_kernel.h>

#ifdef FUZZ_HOST
/* Of the fuzzer, which end it: unless these bytes lie in a buffer; and always. */
void fuzz_promise(const uint8_t *data, uint32_t n_bytes);
void fuzz_broken(uint32_t line);
#else
#define fuzz_promise(data, n_bytes) ((void)(data), (void)(n_bytes))
#define fuzz_broken(line) __builtin_trap()
#endif

#define demand(is_kept) ((is_kept) ? (void)0 : (void)fuzz_broken(__LINE__))

extern const struct phx_kernel phx_kernel;

/* Returns the descriptor, whose numbers the compiler must not take from the source. */
static const struct phx_kernel *own(void) {
    const struct phx_kernel *kernel = &phx_kernel;
    __asm__("" : "+r"(kernel));
    return kernel;
}

/* Returns a parameter; PHX_PARAM would take their number from the source. */
static uint32_t param(const struct phx_kernel_call *call, uint32_t i) {
    return ((const uint32_t *)call->params)[i];
}

static uint32_t element_bytes(uint32_t dtype) {
    switch (dtype) {
    case PHX_KERNEL_I8:
    case PHX_KERNEL_U8:
        return 1;
    case PHX_KERNEL_F16:
    case PHX_KERNEL_I16:
    case PHX_KERNEL_U16:
        return 2;
    default:
        demand(dtype == PHX_KERNEL_F32 || dtype == PHX_KERNEL_I32);
        return 4;
    }
}

static uint32_t n_rows(const struct phx_kernel_tensor *tensor) {
    return tensor->ne[1] * tensor->ne[2] * tensor->ne[3];
}

static void check_tensor(const struct phx_kernel_tensor *tensor) {
    uint32_t size = element_bytes(tensor->dtype), n_bytes = size;
    int is_empty = 0;
    for (int i = 0; i < 4; i++) {
        is_empty |= tensor->ne[i] == 0;
        n_bytes += (tensor->ne[i] - 1) * tensor->nb[i];
    }
    if (is_empty) {
        return;
    }
    demand((tensor->nb[0] == size || tensor->ne[0] == 1) && (uintptr_t)tensor->data % size == 0);
    demand(tensor->n_bytes == n_bytes);
    fuzz_promise(tensor->data, n_bytes + own()->slack);
}

static int visit(void *context, int i) {
    ((uint8_t *)context)[i] = 1;
    return 0;
}

/* A WHOLE kernel runs all tasks, others none. */
static void check_tasks(const struct phx_kernel_call *call) {
    uint8_t visited[5] = {0};
    int is_whole = own()->flags & PHX_KERNEL_WHOLE, result = phx_parallel(call, visit, visited, 5);
    demand((result == 0) == (is_whole != 0));
    for (int i = 0; i < 5; i++) {
        demand(visited[i] == (is_whole != 0));
    }
}

static void compute_row(const struct phx_kernel_call *call, uint32_t d, uint32_t row) {
    const struct phx_kernel_tensor *dst = &call->dst[d];
    uint8_t *to = phx_kernel_row(dst, row);
    uint32_t n = dst->ne[0] * element_bytes(dst->dtype);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t sum = row + 3 * j + d;
        for (uint32_t i = 0; i < own()->n_params; i++) {
            sum += param(call, i) >> i;
        }
        for (uint32_t i = 0; i < call->n_src; i++) {
            const struct phx_kernel_tensor *src = &call->src[i];
            if (row < n_rows(src) && j < src->ne[0] * element_bytes(src->dtype)) {
                sum += (i + 1) * phx_kernel_row(src, row)[j];
            }
        }
        to[j] = (uint8_t)sum;
    }
}

/* Threads have work memory of their own. */
static void mark_work(const struct phx_kernel_call *call, int is_check) {
    uint8_t *work = call->work, mark = (uint8_t)(call->thread + 1);
    demand((work != NULL) == (own()->work_bytes != 0) && (uintptr_t)work % 128 == 0);
    for (uint32_t i = 0; i < own()->work_bytes; i += 61) {
        demand(!is_check || work[i] == mark);
        work[i] = mark;
    }
}

PHX_KERNEL(fuzzed, .n_src = 1, .n_dst = 1, .row_cost = 0x13579bdf) {
    demand(call->size == sizeof(*call) && call->n_src == own()->n_src && call->n_dst == own()->n_dst);
    demand(call->first < call->end && call->end <= n_rows(&call->dst[0]) && call->thread < call->n_threads);
    for (uint32_t i = 0; i < call->n_src; i++) {
        check_tensor(&call->src[i]);
    }
    for (uint32_t i = 0; i < call->n_dst; i++) {
        check_tensor(&call->dst[i]);
    }
    for (uint32_t i = call->n_src; i < 8; i++) {
        demand(call->src[i].data == NULL && call->src[i].ne[0] == UINT32_MAX);
    }
    for (uint32_t i = call->n_dst; i < 4; i++) {
        demand(call->dst[i].data == NULL && call->dst[i].ne[0] == UINT32_MAX);
    }
    check_tasks(call);
    mark_work(call, 0);
    for (uint32_t row = call->first; row < call->end; row++) {
        const uint8_t *const *rows = phx_load_rows(call, row);
        for (uint32_t i = 0; i < call->n_src; i++) {
            uint32_t n = n_rows(&call->src[i]);
            demand((rows[i] != NULL) == (row < n || n == 1));
        }
        demand(call->n_src == 8 || rows[call->n_src] == NULL);
        for (uint32_t d = 0; d < call->n_dst; d++) {
            if (row < n_rows(&call->dst[d])) {
                compute_row(call, d, row);
            }
        }
    }
    mark_work(call, 1);
    return own()->n_params && param(call, 0) == 0xfa11 ? phx_fail(call, "a parameter says so") : 0;
}
