/* SPDX-License-Identifier: MIT
 *
 * User kernels of a session: images whose descriptors have other numbers, right or wrong, loaded and unloaded.
 */
#ifndef FUZZ_USER_KERNELS_H
#define FUZZ_USER_KERNELS_H

#include "operands.h"

/* What a loaded kernel declares; n_src is 0 where none has the number. */
struct fuzz_kernel {
    uint32_t n_src, n_dst, n_params, flags, in_place, slack, work_bytes, vtcm_bytes, stack_bytes, row_cost;
};

/* Sends load_kernel: its scalars (number, is_path, bytes of the name, bytes of the image), the name, the image. */
typedef int (*fuzz_load)(const uint32_t in[4], const void *name, const void *image);

/* Forgets the kernels of the last session, and loads some. Returns a finding, or NULL. */
const char *begin_kernels(struct random *random, fuzz_load load);

/* Loads a kernel, an image that must be refused, or unloads one. Returns a finding, or NULL. */
const char *change_kernels(struct random *random, fuzz_load load);

/* Makes a CALL, of a loaded kernel if there is one. */
bool make_call(struct maker *maker);

#endif
