/* SPDX-License-Identifier: MIT
 *
 * A kernel of your own, in C with or without HVX intrinsics, compiled for the DSP and for CPUs from the same source:
 *     PHX_KERNEL(scale, .n_src = 1, .n_dst = 1, .n_params = 1) {
 *         float factor = PHX_PARAM(float, 0);
 *         for (uint32_t row = call->first; row < call->end; row++) {
 *             const float *x = PHX_ROW(const float, call->src[0], row);
 *             float *y = PHX_ROW(float, call->dst[0], row);
 *             ...
 *         }
 *         return 0; // or phx_fail(call, "why")
 *     }
 *
 * Checked before each call: counts; each tensor lies in mapped memory with `slack` bytes behind it, since the compiler
 * loads whole vectors; rows are contiguous; results overlap nothing, unless `in_place` allows it. Several threads call
 * the kernel at once, each for other rows: no result may depend on how rows are split, nor on bytes behind a row, and
 * only rows of results may be written. Loops vectorize best in a function with `restrict` pointers and the length.
 */
#ifndef PYHEXAGON_KERNEL_H
#define PYHEXAGON_KERNEL_H
#include <stddef.h>
#include <stdint.h>

#define PHX_KERNEL_ABI 1 /* later versions only add fields at the ends of structs */
enum phx_kernel_dtype {
    PHX_KERNEL_F32 = 0,
    PHX_KERNEL_F16 = 1,
    PHX_KERNEL_I8 = 24,
    PHX_KERNEL_I16 = 25,
    PHX_KERNEL_I32 = 26,
    PHX_KERNEL_U8 = 128,
    PHX_KERNEL_U16 = 129
};

enum phx_kernel_flags {
    PHX_KERNEL_WHOLE = 1, /* one call for all rows, on one thread, which may use phx_parallel() */
    PHX_KERNEL_LOADS = 2  /* the kernel takes its rows from phx_load_rows() */
};

struct phx_kernel_tensor {
    uint8_t *data;
    uint32_t dtype;   /* enum phx_kernel_dtype */
    uint32_t ne[4];   /* elements per dimension, innermost first */
    uint32_t nb[4];   /* bytes per step of each dimension; 0 repeats */
    uint32_t n_bytes; /* from its first to its last byte */
};

struct phx_kernel_call {
    uint32_t size; /* of this struct */
    uint32_t n_src, n_dst;
    const struct phx_kernel_tensor *src, *dst; /* data is NULL, and each length UINT32_MAX, beyond n_src and n_dst */
    const void *params;                        /* n_params words */
    uint32_t first, end;                       /* the rows of dst[0] to compute, over its dimensions 1 to 3 */
    uint32_t thread, n_threads;
    void *work;    /* work_bytes of scratch memory of this thread, aligned to 128; undefined contents */
    void *vtcm;    /* vtcm_bytes of fast memory of this thread; NULL where there is none, as on CPUs */
    char *message; /* 120 bytes for the reason of a result other than 0 */
    int (*parallel)(const struct phx_kernel_call *call, int (*task)(void *context, int i), void *context, int n);
    const uint8_t *const *(*load_rows)(const struct phx_kernel_call *call, uint32_t row);
};

struct phx_kernel {
    uint32_t abi, size;
    int (*run)(const struct phx_kernel_call *call);
    uint32_t n_src, n_dst;           /* at most 8 and 4 */
    uint32_t n_params;               /* words, at most 15 */
    uint32_t flags;                  /* enum phx_kernel_flags */
    uint32_t in_place;               /* one bit per source: dst[0] may be the identical view */
    uint32_t slack;                  /* bytes behind each tensor that may be read: 128 unless given, at most 4096 */
    uint32_t work_bytes, vtcm_bytes; /* per thread */
    uint32_t stack_bytes;            /* 0: 4096; at most 24576 */
    uint32_t row_cost;               /* packets for a row, roughly: small ops run on few threads. 0: its elements */
};

#define PHX_KERNEL(name, ...)                                                                                          \
    static int name(const struct phx_kernel_call *call);                                                               \
    __attribute__((visibility("default")))                                                                             \
    const struct phx_kernel phx_kernel = {PHX_KERNEL_ABI, sizeof(struct phx_kernel), name, .slack = 128, __VA_ARGS__}; \
    static int name(const struct phx_kernel_call *call)

extern const struct phx_kernel phx_kernel;
#if __has_attribute(error)
__attribute__((error("this parameter is beyond .n_params")))
#endif
uint32_t phx_undeclared(void);
#define PHX_IS_PARAM(i) ((uint32_t)(i) < phx_kernel.n_params)
#define PHX_IS_KNOWN(i) (__builtin_constant_p(i) && __builtin_constant_p(PHX_IS_PARAM(i)))
#define PHX_AT(i) (PHX_IS_PARAM(i) ? (i) : PHX_IS_KNOWN(i) ? phx_undeclared() : (__builtin_trap(), 0u))
#define PHX_PARAM(type, i) (*(const type *)((const uint32_t *)call->params + PHX_AT(i)))
#define PHX_ROW(type, tensor, row) ((type *)(void *)phx_kernel_row(&(tensor), row))

/* Returns the first byte of a row, counted over dimensions 1 to 3. */
static inline uint8_t *phx_kernel_row(const struct phx_kernel_tensor *tensor, uint32_t row) {
    if (row < tensor->ne[1]) {
        return tensor->data + row * tensor->nb[1]; /* without a division, for which the v68 has no instruction */
    }
    uint32_t i2 = row / tensor->ne[1], i3 = i2 / tensor->ne[2];
    return tensor->data + (row - i2 * tensor->ne[1]) * tensor->nb[1] + (i2 - i3 * tensor->ne[2]) * tensor->nb[2] +
           i3 * tensor->nb[3];
}

/* Returns a result other than 0 with a message, which Python raises. */
static inline int phx_fail(const struct phx_kernel_call *call, const char *message) {
    for (int i = 0; i < 119 && (call->message[i] = message[i]) != 0; i++) {
    }
    return 1;
}

/* Calls task(context, i) for i = 0..n-1 on all threads; returns the first result other than 0. WHOLE kernels only. */
static inline int phx_parallel(const struct phx_kernel_call *call, int (*task)(void *, int), void *context, int n) {
    return call->parallel(call, task, context, n);
}

/* Returns pointers to row `row` of each source, or to its only row; NULL if it has fewer. DMA brings the next row into
 * fast memory meanwhile; on CPUs, or if two do not fit, they are phx_kernel_row()'s. LOADS kernels only, in order. */
static inline const uint8_t *const *phx_load_rows(const struct phx_kernel_call *call, uint32_t row) {
    return call->load_rows(call, row);
}

#endif
