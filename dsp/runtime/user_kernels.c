/* SPDX-License-Identifier: MIT */
#include "user_kernels.h"

#include "hap.h"
#include "libc.h"

#define NOW 2 /* RTLD_NOW of the shell's <dlfcn.h>, and of Linux */

/* The shell's loader. Not every shell exports dlopenbuf, which takes the bytes of a file. */
extern void *dlopenbuf(const char *name, const char *data, int size, int mode) __attribute__((weak));
extern void *dlopen(const char *path, int mode) __attribute__((weak));
extern void *dlsym(void *module, const char *name) __attribute__((weak));
extern int dlclose(void *module) __attribute__((weak));

/* Returns what is wrong with a descriptor, or NULL. */
static const char *fault_of(const struct phx_kernel *code) {
    const uint32_t flags = PHX_KERNEL_WHOLE | PHX_KERNEL_LOADS;
    return code->abi != PHX_KERNEL_ABI || code->size < sizeof(*code) ? "another version of pyhexagon_kernel.h"
           : !code->run                                              ? "no function"
           : code->n_src == 0 || code->n_src > PHX_MAX_SRC           ? "number of sources"
           : code->n_dst == 0 || code->n_dst > PHX_MAX_DST           ? "number of results"
           : code->n_params > PHX_MAX_PARAMS - 1                     ? "number of parameters"
           : code->flags & ~flags || code->flags == flags            ? "flags"
           : code->in_place >> code->n_src                           ? "sources that dst[0] may overwrite"
           : code->slack > PHX_KERNEL_SLACK_MOST                     ? "slack"
           : code->stack_bytes > PHX_KERNEL_STACK_MOST               ? "stack"
           : code->work_bytes > PHX_KERNEL_WORK_MOST                 ? "work memory"
           : code->vtcm_bytes > PHX_KERNEL_WORK_MOST                 ? "VTCM"
                                                                     : NULL;
}

static void *open_module(const char *name, const void *image, uint32_t n_bytes, bool is_path) {
    if (is_path) {
        return dlopen(image, NOW);
    }
    return dlopenbuf(name, image, (int)n_bytes, NOW);
}

int phx_user_kernels_load(struct phx_user_kernels *kernels, uint32_t number, const char *name, const void *image,
                          uint32_t n_bytes, bool is_path, struct phx_log *log) {
    if (number >= PHX_MAX_USER_KERNELS || n_bytes > INT32_MAX) {
        return DSP_EBADPARM;
    }
    struct phx_user_kernel *kernel = &kernels->loaded[number];
    if (kernel->module) {
        return DSP_EALREADY;
    }
    if (!dlsym || !dlclose || (is_path ? !dlopen : !dlopenbuf)) {
        return DSP_EUNSUPPORTED;
    }
    void *module = open_module(name, image, n_bytes, is_path);
    const struct phx_kernel *symbol = module ? dlsym(module, "phx_kernel") : NULL;
    const char *fault = "the loader refused it";
    if (symbol) {
        memcpy(&kernel->code, symbol, sizeof(kernel->code));
        fault = fault_of(&kernel->code);
    } else if (module) {
        fault = "it exports no phx_kernel";
    }
    phx_log_write(log, fault ? PHX_LOG_WARNING : PHX_LOG_INFO, "user kernel %u, %s, %u bytes: %s", (unsigned)number,
                  name, (unsigned)n_bytes, fault ? fault : "loaded");
    if (fault) {
        phx_log_note_failure(log, 0, fault);
        if (module) {
            dlclose(module);
        }
        return symbol ? DSP_EBADPARM : DSP_EUNABLETOLOAD;
    }
    kernel->module = module;
    return AEE_SUCCESS;
}

void phx_user_kernels_unload(struct phx_user_kernels *kernels, uint32_t number) {
    struct phx_user_kernel *kernel = number < PHX_MAX_USER_KERNELS ? &kernels->loaded[number] : NULL;
    if (kernel && kernel->module) {
        dlclose(kernel->module);
        memset(kernel, 0, sizeof(*kernel));
    }
}

void phx_user_kernels_unload_all(struct phx_user_kernels *kernels) {
    for (uint32_t i = 0; i < PHX_MAX_USER_KERNELS; i++) {
        phx_user_kernels_unload(kernels, i);
    }
}
