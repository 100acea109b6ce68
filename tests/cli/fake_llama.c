/* SPDX-License-Identifier: MIT
 *
 * The part of llama.cpp's interface that pyhexagon.bench uses. It computes nothing, and writes what it is asked to the
 * file FAKE_LLAMA_LOG. FAKE_LLAMA_FAILS names a function that fails.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_params {
    void *fields[8];
    bool flags[8];
};

struct context_params {
    uint32_t n_ctx, n_batch, n_ubatch, n_seq_max, n_rs_seq, n_outputs_max;
    int32_t n_threads, n_threads_batch;
    int32_t kinds[5];
    float rope[6];
    uint32_t yarn_orig_ctx;
    float defrag_thold;
    void *callback, *callback_data;
    int32_t type_k, type_v;
    void *abort, *abort_data;
    bool embeddings, offload_kqv, no_perf, op_offload, swa_full, kv_unified;
    void *samplers;
    size_t n_samplers;
};

struct batch {
    int32_t n_tokens, *token;
    void *others[5];
};

static void (*logger)(int, const char *, void *);

static void note(const char *format, ...) {
    const char *path = getenv("FAKE_LLAMA_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    va_list arguments;
    va_start(arguments, format);
    if (file) {
        vfprintf(file, format, arguments);
        fclose(file);
    }
    va_end(arguments);
}

static bool fails(const char *name) {
    const char *failing = getenv("FAKE_LLAMA_FAILS");
    if (failing && !strcmp(failing, name)) {
        puts("llama.cpp prints this to standard output");
        fflush(stdout);
        logger(4, "cannot do it, says llama.cpp\n", NULL);
        logger(2, "a later line, which is no error\n", NULL);
        return true;
    }
    return false;
}

void llama_log_set(void (*log)(int, const char *, void *), void *data) {
    (void)data, logger = log;
}

void *ggml_backend_load(const char *path) {
    note("load %s\n", strrchr(path, '/') + 1);
    return fails("ggml_backend_load") ? NULL : &logger;
}

struct model_params llama_model_default_params(void) {
    return (struct model_params){.flags = {false, true}};
}

struct context_params llama_context_default_params(void) {
    return (struct context_params){512,
                                   2048,
                                   512,
                                   1,
                                   .n_threads = 4,
                                   .n_threads_batch = 4,
                                   .kinds = {0, -1, -1, -1, -1},
                                   .defrag_thold = -1,
                                   .type_k = 1,
                                   .type_v = 1,
                                   .offload_kqv = true,
                                   .no_perf = true,
                                   .op_offload = true,
                                   .swa_full = true};
}

void *llama_model_load_from_file(const char *path, struct model_params params) {
    note("model %s %d\n", strrchr(path, '/') + 1, params.flags[1]);
    return fails("llama_model_load_from_file") ? NULL : &logger;
}

void *llama_init_from_model(void *model, struct context_params params) {
    note("context %u of types %d %d, %d\n", params.n_ctx, params.type_k, params.type_v, params.swa_full);
    return fails("llama_init_from_model") ? NULL : model;
}

void llama_set_n_threads(void *context, int n, int n_batch) {
    (void)context, note("threads %d %d\n", n, n_batch);
}

struct batch llama_batch_get_one(int32_t *tokens, int n) {
    return (struct batch){n, tokens, {0}};
}

int llama_decode(void *context, struct batch batch) {
    (void)context, note("decode %d\n", batch.n_tokens);
    return fails("llama_decode");
}

void llama_synchronize(void *context) {
    (void)context;
}

void *llama_get_memory(void *context) {
    return context;
}

void llama_memory_clear(void *memory, bool data) {
    (void)memory, (void)data, note("clear\n");
}

bool llama_memory_seq_rm(void *memory, int sequence, int first, int end) {
    (void)memory, note("remove %d from %d to %d\n", sequence, first, end);
    return !fails("llama_memory_seq_rm");
}

#define HAS(level, value)                                                                                              \
    int ggml_cpu_has_##level(void) {                                                                                   \
        return value;                                                                                                  \
    }
HAS(avx2, 1)
HAS(avx_vnni, 0)
HAS(avx512, 1)
HAS(avx512_vnni, 0)
HAS(amx_int8, 0)
HAS(neon, 0)
HAS(dotprod, 0)
HAS(matmul_int8, 0)
HAS(sve, 0)
