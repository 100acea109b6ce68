/* SPDX-License-Identifier: MIT
 *
 * User kernels (idl/pyhexagon_kernel.h), loaded into the process domain as shared objects. Locked by `running` of struct
 * phx_context, as programs are.
 */
#ifndef PHX_USER_KERNELS_H
#define PHX_USER_KERNELS_H

#include "../../idl/pyhexagon_kernel.h"
#include "contract.h"
#include "log.h"

#define PHX_KERNEL_STACK_MOST 24576u /* of a thread's stack; the skel's own frames take the rest */
#define PHX_KERNEL_STACK_LEAST 4096u
#define PHX_KERNEL_WORK_MOST 0x100000u
#define PHX_KERNEL_SLACK_MOST 4096u

struct phx_user_kernel {
    void *module;           /* NULL: none has this number */
    struct phx_kernel code; /* a checked copy */
};

struct phx_user_kernels {
    struct phx_user_kernel loaded[PHX_MAX_USER_KERNELS];
};

/* Loads a kernel: the bytes of its image, or with `is_path` those of a file that the DSP opens. `name` is for the loader's
 * messages. Returns 0 or an AEE code of the DSP, the reason for which is in the log and its note. */
int phx_user_kernels_load(struct phx_user_kernels *kernels, uint32_t number, const char *name, const void *image,
                          uint32_t n_bytes, bool is_path, struct phx_log *log);

/* Unloads the kernel of this number, if there is one. No program may refer to it. */
void phx_user_kernels_unload(struct phx_user_kernels *kernels, uint32_t number);

void phx_user_kernels_unload_all(struct phx_user_kernels *kernels);

#endif
